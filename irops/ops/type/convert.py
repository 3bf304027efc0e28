"""Convert and ConvertLike."""

from math import trunc

from irops.ops.conversion import converted
from irops.ops.partial import rounding, stored_dim
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, Array, ElementType, element_type_of
from irops.values.fact import each_dim

EITHER = Dim(0, 1)
"""A boolean that may be false or true."""


@kernel("Convert-1")
def convert(data: Array, *, destination_type: ElementType) -> Array:
    return converted(data, destination_type)


@gradient("Convert-1")
def convert_gradient(d_output: Array, *, data_type: ElementType) -> Array:
    return converted(d_output, data_type)


@values("Convert-1")
def convert_dims(data: Array, *, destination_type: ElementType) -> Array | None:
    if destination_type.integral:
        return each_dim(lambda dim: rounding(dim, trunc), data)
    if destination_type is BOOLEAN:
        return each_dim(truth, data)
    if destination_type.floating and destination_type.bits >= 16:
        return each_dim(lambda dim: rounded_dim(dim, destination_type), data)
    return None


def rounded_dim(dim: Dim, kind: ElementType) -> Dim:
    """The bounds of a number converted to a floating-point type.

    Below 32 bits the symbol of the number is dropped, because even small integers are rounded.
    """
    return stored_dim(dim if kind.bits >= 32 else Dim(dim.low, dim.high), kind)


def truth(dim: Dim) -> Dim:
    """The bounds of a number converted to boolean."""
    return EITHER if dim.can_be(0) and not dim.known else Dim.of(int(dim != 0))


@kernel("ConvertLike-1")
def convert_like(data: Array, like: Array) -> Array:
    return converted(data, element_type_of(like))


@values("ConvertLike-1")
def convert_like_dims(data: Array, like: Array, *, result_type: ElementType) -> Array | None:  # noqa: ARG001
    return convert_dims(data, destination_type=result_type)
