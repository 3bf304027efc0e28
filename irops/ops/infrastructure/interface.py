"""Parameter, Const and Result: where values enter and leave a model."""

from irops.spec.binding import gradient, kernel, values
from irops.spec.binding import shape as infers
from irops.values.element import Array
from irops.values.shape import Shape


@infers("Const-1")
def const_shape(*, shape: tuple[int, ...]) -> Shape:
    return Shape(shape)


@kernel("Const-1")
def const(*, value: Array) -> Array:
    return value


@infers("Parameter-1")
def parameter_shape(*, shape: Shape) -> Shape:
    return shape


@kernel("Parameter-1")
def parameter(*, value: Array) -> Array:
    return value


@values("Result-1")
@kernel("Result-1")
def result(data: Array) -> Array:
    return data


@gradient("Result-1")
def result_gradient(d_output: Array) -> Array:
    return d_output
