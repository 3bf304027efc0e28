"""Where values enter and leave a model: Parameter, Const and Result; ReadValue and Assign, whose variables
keep their values from one inference to the next.
"""

from collections.abc import Mapping
from typing import Protocol

from irops.spec.binding import gradient, kernel, shape, shape as infers, values
from irops.values.element import DYNAMIC, Array, ElementType, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


class SessionState(Protocol):
    """The variables of a session."""

    def read(self, variable_id: str) -> Array | None: ...
    def assign(self, variable_id: str, value: Array) -> None: ...


@shape("ReadValue-6")
def read_value_shape(
    init_value: Fact | None = None, *, variable_type: ElementType, variable_shape: Shape
) -> Fact:
    declared = Fact(variable_type, variable_shape)
    if init_value is None:
        warn_unless(variable_type is not DYNAMIC and variable_shape.rank is not None, "C4", declared)
        return declared
    check_value(init_value, declared)
    warn_unless(variable_shape.contains(init_value.shape), "C2", init_value, declared)
    if variable_type is not DYNAMIC:
        return declared
    return Fact(init_value.element_type, init_value.shape if variable_shape.rank is None else variable_shape)


@kernel("ReadValue-6")
def read_value(
    init_value: Array | None = None,
    *,
    variable_id: str,
    variable_type: ElementType,
    variable_shape: Shape,
    variables: SessionState,
) -> Array:
    value = variables.read(variable_id)
    if value is not None:
        return value
    if init_value is not None:
        return init_value
    declared = Fact(variable_type, variable_shape)
    require(variable_type is not DYNAMIC and variable_shape.dims is not None, "C3", declared)
    return zeros(tuple(int(dim.low) for dim in variable_shape), variable_type)


@kernel("ReadValue-3")
def read_initialized(init_value: Array, *, variable_id: str, variables: SessionState) -> Array:
    value = variables.read(variable_id)
    if value is None:
        return init_value
    stored, initial = Fact.of(value), Fact.of(init_value)
    require(
        stored.element_type is initial.element_type and stored.shape == initial.shape, "C1", stored, initial
    )
    return value


@shape("Assign-6")
def assign_shape(new_value: Fact, *, variable_id: str, variables: Mapping[str, Fact] | None = None) -> Shape:
    check_value(new_value, (variables or {}).get(variable_id, Fact(DYNAMIC, UNRANKED)))
    return new_value.shape


@kernel("Assign-3", "Assign-6")
def assign(new_value: Array, *, variable_id: str, variables: SessionState) -> Array:
    variables.assign(variable_id, new_value)
    return new_value


def check_value(fact: Fact, variable: Fact) -> None:
    """Require that a variable may have this value: that element type and shape are compatible."""
    fits = DYNAMIC in (fact.element_type, variable.element_type) or fact.element_type is variable.element_type
    require(fits, "C1", fact, variable)
    require(variable.shape.can_be(fact.shape), "C2", fact, variable)


# Parameter, Const and Result: where values enter and leave a model.


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
