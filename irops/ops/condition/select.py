"""Select: elements of one of two tensors, selected by a condition."""

from __future__ import annotations

import numpy as np

from irops.ops.elementwise import aligned
from irops.ops.partial import as_dims, stored_dim
from irops.ops.stock import broadcast
from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim
from irops.values.element import STRING, Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape


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
) -> Array | None:
    if result_type is STRING:
        return None

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
