"""Bucketize, NonZero, Select and If."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.elementwise import aligned
from irops.ops.partial import as_dims, stored_dim
from irops.ops.stock import broadcast
from irops.spec.binding import kernel, shape, values
from irops.spec.body import BodyFunction
from irops.values.dim import ANY, Dim
from irops.values.element import DYNAMIC, NF4_ZERO, Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, violations_at, warn_unless


@shape("Bucketize-3")
def bucketize_shape(data: Fact, buckets: Fact) -> Shape:
    if buckets.value is not None:
        check_order(as_numbers(buckets.value))
    return data.shape


def check_order(boundaries: Array) -> None:
    """Require ascending boundaries; warn if two are equal."""
    require((boundaries[:-1] <= boundaries[1:]).all(), "C1", boundaries.tolist())
    warn_unless((boundaries[:-1] < boundaries[1:]).all(), "C2", boundaries.tolist())


@kernel("Bucketize-3")
def bucketize(data: Array, buckets: Array, *, output_type: ElementType, with_right_bound: bool) -> Array:
    numbers, boundaries = as_numbers(data), as_numbers(buckets)
    check_order(boundaries)
    return np.asarray(
        np.searchsorted(boundaries, numbers, side="left" if with_right_bound else "right"), output_type.dtype
    )


@shape("NonZero-3")
def non_zero_shape(data: Fact) -> Shape:
    count = non_zero_count(data)
    if data.shape.rank == 0:
        return Shape.of(count, count)
    return Shape.of(ANY if data.shape.rank is None else data.shape.rank, count)


def non_zero_count(data: Fact) -> Dim:
    """Bounds of the number of elements that are not zero."""
    if data.value is not None:
        return Dim.of(int(np.count_nonzero(is_non_zero(data.value))))
    if data.known is None or data.dims is None:
        return Dim(0, data.shape.size.high)
    return Dim(sum(not dim.can_be(0) for dim in data.dims), sum(dim != 0 for dim in data.dims))


def is_non_zero(data: Array) -> Array:
    """Whether each element is not zero. The zero of strings is the empty string; f8e8m0 has no zero."""
    if data.dtype == object:
        return np.asarray(data != "", dtype=bool)
    return data != NF4_ZERO if element_type_of(data).name == "nf4" else data.astype(bool)


@kernel("NonZero-3")
def non_zero(data: Array, *, output_type: ElementType) -> Array:
    mask = is_non_zero(data)
    if data.ndim == 0:
        return np.zeros((int(mask), int(mask)), output_type.dtype)
    return np.stack(np.nonzero(mask)).astype(output_type.dtype)


@shape("Select-1")
def select_shape(
    cond: Fact, then_values: Fact, else_values: Fact, *, auto_broadcast: str, auto_broadcast_axis: int
) -> Shape:
    both = broadcast(then_values, else_values, auto_broadcast, "C1", auto_broadcast_axis)
    return broadcast(Fact(shape=both), cond, auto_broadcast, "C2", auto_broadcast_axis)


@kernel("Select-1")
def select(
    cond: Array, then_values: Array, else_values: Array, *, auto_broadcast: str, auto_broadcast_axis: int
) -> Array:
    rank = then_values.ndim
    other = aligned(else_values, rank, auto_broadcast, auto_broadcast_axis)
    return np.where(aligned(cond, rank, auto_broadcast, auto_broadcast_axis), then_values, other)


@values("Select-1")
def select_dims(
    cond: Array,
    then_values: Array,
    else_values: Array,
    *,
    auto_broadcast: str,
    auto_broadcast_axis: int,
    result_type: ElementType,
) -> Array:
    def chosen(condition: Dim, then: Dim, other: Dim) -> Dim:
        if condition.known:
            return stored_dim(then if condition == 1 else other, result_type)
        return stored_dim(then.union(other), result_type)

    cond, else_values = (
        aligned(b, then_values.ndim, auto_broadcast, auto_broadcast_axis) for b in (cond, else_values)
    )
    return np.asarray(
        np.frompyfunc(chosen, 3, 1)(as_dims(cond), as_dims(then_values), as_dims(else_values)), dtype=object
    )


# If: run one of two bodies, depending on a condition.


@shape("If-8")
def if_shape(cond: Fact, *inputs: Fact, then_body: BodyFunction, else_body: BodyFunction) -> tuple[Fact, ...]:
    require(cond.shape.size.can_be(1), "C1", cond)
    if cond.value is not None:
        selected, other = (then_body, else_body) if cond.value.all() else (else_body, then_body)
        # The inputs need not fit the body that does not run, so it is inferred from what it declares.
        other(other.declared)
        return tuple(outputs_of(selected, selected(arguments_of(selected, (cond, *inputs)))))
    first, second = (
        outputs_of(body, body(arguments_of(body, (cond, *inputs)))) for body in (then_body, else_body)
    )
    require(len(first) == len(second), "C2", len(first), len(second))
    return tuple(union(a, b) for a, b in zip(first, second))


@kernel("If-8")
def if_then_else(
    cond: Array, *inputs: Array, then_body: BodyFunction, else_body: BodyFunction
) -> tuple[Array, ...]:
    require(cond.size == 1, "C1", Shape(cond.shape))
    body = then_body if cond.item() else else_body
    return tuple(outputs_of(body, body(arguments_of(body, (cond, *inputs)))))


def arguments_of(body: BodyFunction, inputs: Sequence[Any]) -> list[Any]:
    """The argument of each Parameter of body: an input of the layer, or else what the Parameter declares."""
    arguments = list(body.declared)
    for entry in body.inputs:
        if entry.port is not None:
            argument, declared = inputs[entry.port], arguments[entry.parameter]
            if isinstance(argument, Fact):
                with violations_at(entry.at):
                    kinds = {argument.element_type, declared.element_type} - {DYNAMIC}
                    warn_unless(len(kinds) < 2, "C4", f"{argument} for {declared}")
            arguments[entry.parameter] = argument
    return arguments


def outputs_of(body: BodyFunction, results: Sequence[Any]) -> list[Any]:
    """The results of body that are outputs of the layer, ordered by output port."""
    by_port = {entry.port: results[entry.result] for entry in body.outputs if entry.port is not None}
    return [by_port[port] for port in sorted(by_port)]


def union(a: Fact, b: Fact) -> Fact:
    """The Fact of an output that is computed by one body or the other."""
    require(DYNAMIC in (a.element_type, b.element_type) or a.element_type is b.element_type, "C3", a, b)
    kind = b.element_type if a.element_type is DYNAMIC else a.element_type
    if {a.shape.rank, b.shape.rank} == {0, 1}:
        return Fact(kind, Shape((ANY,)))  # as in OpenVINO, which treats a scalar as one element
    return Fact(kind, a.shape.union(b.shape))
