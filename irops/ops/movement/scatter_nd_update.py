"""ScatterNDUpdate: write elements or slices into a tensor at index tuples."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.ops.movement.scattering import scattered
from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless


@shape("ScatterNDUpdate-4", "ScatterNDUpdate-15")
def scatter_nd_update_shape(data: Fact, indices: Fact, updates: Fact) -> Shape:
    if data.shape.dims is None or indices.shape.dims is None:
        return data.shape
    tuples, depth = indices.shape[:-1], indices.shape[-1]
    require(depth <= len(data.shape), "C1", depth, f"rank {len(data.shape)}")
    require(depth >= 1, "C6", indices)
    if not depth.known:
        return data.shape
    if indices.value is not None:
        check_indices(indices.value, list(data.shape[: int(depth)]))
    outer, inner = data.shape[: int(depth)], data.shape[int(depth) :]
    if not len(tuples) and not len(inner):
        require(updates.shape.size.can_be(1), "C3", updates)
        return data.shape
    update_shape = unify_shapes(tuples + inner, updates.shape, "C2")
    return outer + update_shape[len(tuples) :]


def check_indices(indices: Array, sizes: list[Dim]) -> None:
    """Require that indices lie inside axes of these sizes; warn if one is negative."""
    numbers = as_i64(indices)
    for axis, size in enumerate(sizes):
        along = numbers[..., axis]
        outside = (along >= size.high) | (along < -size.high)
        require(
            not outside.any(), "C4", f"{along[outside][:1].tolist()} along axis {axis} of {size} elements"
        )
    warn_unless((numbers >= 0).all(), "C5", numbers[numbers < 0][:1].tolist())


@kernel("ScatterNDUpdate-4")
def scatter_nd_update(data: Array, indices: Array, updates: Array) -> Array:
    return reduced_nd_update(data, indices, updates, reduction="none")


@kernel("ScatterNDUpdate-15")
def reduced_nd_update(data: Array, indices: Array, updates: Array, *, reduction: str) -> Array:
    depth = indices.shape[-1]
    outer, inner = data.shape[:depth], data.shape[depth:]
    check_indices(indices, [Dim.of(size) for size in outer])
    strides = np.array([prod(outer[axis + 1 :]) for axis in range(depth)], np.int64)
    from_0 = as_i64(indices) % np.array(outer, np.int64) if indices.size else as_i64(indices)
    rows = data.reshape(prod(outer), prod(inner))
    new_rows = updates.reshape(prod(indices.shape[:-1]), prod(inner))
    return scattered(rows, (from_0 * strides).sum(-1).ravel(), new_rows, reduction).reshape(data.shape)


@values("ScatterNDUpdate-4")
def scatter_nd_update_values(data: Array, indices: Array, updates: Array) -> Array | None:
    return (
        None
        if holds_dims(indices)
        else scatter_nd_update(data.astype(object), indices, updates.astype(object))
    )


@values("ScatterNDUpdate-15")
def reduced_nd_update_values(data: Array, indices: Array, updates: Array, *, reduction: str) -> Array | None:
    return scatter_nd_update_values(data, indices, updates) if reduction == "none" else None
