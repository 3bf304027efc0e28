"""The inputs of an op, validated against its definition: their number, element types, ranks and axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from irops.invocation.faults import OpFault
from irops.spec.definition import PortSpec
from irops.spec.op import Op
from irops.values.element import DYNAMIC, ElementType
from irops.values.fact import Fact


def named_inputs(op: Op, inputs: Sequence[Any]) -> dict[str, Any]:
    """Inputs by their names in the definition: a tuple for a variadic one, None for an optional one left out.

    Raises:  OpFault where there are too many or too few
    """
    ports, is_variadic, min_inputs = op.definition.inputs, op.is_variadic, op.min_inputs
    count = len(inputs)
    if count == min_inputs == len(ports) and not is_variadic and all(item is not None for item in inputs):
        return {port.name: item for port, item in zip(ports, inputs)}
    missing = next((p.name for k, p in enumerate(ports) if not p.optional and _lacks(inputs, k)), None)
    if count < min_inputs or (count > len(ports) and not is_variadic):
        message = f"{op.id} has {count} input{'s' * (count != 1)}, takes {_input_counts(op)}"
        raise OpFault("wrong-number-of-inputs", message)
    if missing is not None:
        raise OpFault("wrong-number-of-inputs", f"{op.id} has no input {missing}")
    named: dict[str, Any] = {p.name: inputs[k] if k < count else None for k, p in enumerate(ports)}
    if is_variadic:
        named[ports[-1].name] = tuple(inputs[len(ports) - 1 :])
    return named


def _lacks(inputs: Sequence[Any], index: int) -> bool:
    return index >= len(inputs) or inputs[index] is None


def _input_counts(op: Op) -> str:
    """How many inputs an op takes, in words."""
    if op.is_variadic:
        return f"{op.min_inputs} or more"
    count = len(op.definition.inputs)
    return str(count) if op.min_inputs == count else f"{op.min_inputs} to {count}"


def positional(op: Op, named: Mapping[str, Any]) -> list[Any]:
    """Named inputs in the order in which functions take them; those of a variadic one follow one by one."""
    values: list[Any] = []
    for port in op.definition.inputs:
        if port.variadic:
            values.extend(named[port.name])
        else:
            values.append(named[port.name])
    return values


def input_spec(op: Op, index: int) -> PortSpec:
    """The port of the definition that an input belongs to."""
    ports = op.definition.inputs
    return ports[min(index, len(ports) - 1)]


def element_types(op: Op, inputs: Sequence[Fact | None]) -> dict[str, ElementType]:
    """The element types of the definition's type variables.

    Raises:  OpFault where an input has a type that the definition does not allow
    """
    bound: dict[str, ElementType] = {}
    first: dict[str, str] = {}
    for index, fact in enumerate(inputs):
        if fact is None or fact.element_type is DYNAMIC:
            continue
        spec, kind = input_spec(op, index), fact.element_type
        if kind.name not in spec.allowed:
            message = f"{op.id} does not accept {kind} for input {spec.name!r}; must be {describe(op, spec)}"
            raise OpFault("unsupported-element-type", message)
        before = bound.setdefault(spec.type, kind)
        if before is not kind and spec.type in op.definition.types:
            message = (
                f"{op.id} takes {first[spec.type]} and {spec.name} of one element type; got {before} and"
                f" {kind}"
            )
            raise OpFault("mismatched-element-types", message)
        first.setdefault(spec.type, spec.name)
    return bound


def describe(op: Op, spec: PortSpec) -> str:
    """The element types that an input accepts, in the words of the definition."""
    variable = op.definition.types.get(spec.type)
    return variable.text if variable else spec.type


def check_ranks(op: Op, inputs: Sequence[Fact | None]) -> None:
    """Validate the ranks of the inputs. Raises: OpFault"""
    for index, fact in enumerate(inputs):
        if fact is None or fact.shape.dims is None:
            continue
        spec, rank = input_spec(op, index), len(fact.shape.dims)
        if not spec.low_rank <= rank <= spec.high_rank:
            message = f"{op.id} takes {spec.name} of rank {_ranks(spec)}; got rank {rank}, {fact.shape}"
            raise OpFault("unsupported-rank", message)


def _ranks(spec: PortSpec) -> str:
    low, high = spec.low_rank, spec.high_rank
    if low == high:
        return f"{low}"
    return f"{low} or more" if high == inf else f"{low} to {high:g}"


def with_normal_axes(op: Op, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes, with axes counted from 0 where the rank of the input that they refer to is known.

    inputs: Facts or arrays
    Raises:  OpFault where an axis is out of range
    """
    result = attributes
    for attribute in op.axes:
        name = attribute.name
        value = attributes.get(name)
        if value is None:
            continue
        rank = _rank_of(op, inputs, attribute.of)
        if rank is not None:
            axes = value if isinstance(value, tuple) else (value,)
            normal = tuple(_normal(axis, rank, name, attribute.of) for axis in axes)
            result = {**result, name: normal if isinstance(value, tuple) else normal[0]}
    return result


def _normal(axis: int, rank: int, name: str, of: str | None) -> int:
    if not -rank <= axis < rank:
        message = f"{name} is {axis}, must be in [{-rank}, {rank - 1}]: {of} has rank {rank}"
        raise OpFault("axis-out-of-range", message)
    return axis + rank if axis < 0 else axis


def _rank_of(op: Op, inputs: Sequence[Any], name: str | None) -> int | None:
    for index, item in enumerate(inputs):
        if item is not None and input_spec(op, index).name == name:
            rank: int | None = item.shape.rank if isinstance(item, Fact) else item.ndim
            if rank is not None:
                return rank
    return None
