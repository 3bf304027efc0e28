"""ScatterUpdate: replace slices of a tensor along an axis."""

from __future__ import annotations

import numpy as np

from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape, values
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require


@shape("ScatterUpdate-3")
def scatter_update_shape(data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
    require(axis.shape.size.can_be(1), "C1", axis)
    rank, number = data.shape.rank, (axis.dims or (UNKNOWN,))[0]
    if rank is None:
        return data.shape
    require(number >= -rank and number < rank, "C2", f"axis {number} at rank {rank}")
    if not number.known or indices.shape.rank is None:
        return data.shape
    at = int(number) % rank
    if indices.value is not None:
        check_indices(as_i64(indices.value), data.shape[at])
    unify_shapes(data.shape[:at] + indices.shape + data.shape[at + 1 :], updates.shape, "C3")
    return data.shape


def check_indices(indices: Array, size: Dim) -> None:
    """Require that indices lie inside an axis of this size."""
    outside = (indices >= size.high) | (indices < 0)
    require(not outside.any(), "C4", f"{indices[outside][:1].tolist()} on {size} elements")


@kernel("ScatterUpdate-3")
def scatter_update(data: Array, indices: Array, updates: Array, axis: Array) -> Array:
    at = normal_axes(as_i64(axis).ravel().tolist(), data.ndim, "C2")[0]
    numbers = as_i64(indices)
    check_indices(numbers, Dim.of(data.shape[at]))
    result = data.copy()
    rows = updates.reshape(*data.shape[:at], indices.size, *data.shape[at + 1 :])
    np.moveaxis(result, at, 0)[numbers.ravel()] = np.moveaxis(rows, at, 0)
    return result


@values("ScatterUpdate-3")
def scatter_update_values(data: Array, indices: Array, updates: Array, axis: Array) -> Array | None:
    if holds_dims(indices) or holds_dims(axis):
        return None
    return scatter_update(data.astype(object), indices, updates.astype(object), axis)
