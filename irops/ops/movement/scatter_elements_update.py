"""ScatterElementsUpdate: write single elements along an axis by index."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.ops.movement.scattering import scattered
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape, values
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import BOOLEAN, Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless


@shape("ScatterElementsUpdate-3")
def scatter_elements_update_shape(data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
    require(axis.shape.size.can_be(1), "C3", axis)
    update_shape = unify_shapes(indices.shape, updates.shape, "C2")
    rank = data.shape.rank
    if rank is None:
        return data.shape
    require(update_shape.rank in (None, rank), "C1", data.shape, update_shape)
    number = (axis.dims or (UNKNOWN,))[0]
    require(number >= -rank and number < rank, "C4", f"axis {number} at rank {rank}")
    if number.known and update_shape.rank is not None:
        _check_positions(indices, data.shape, update_shape, int(number) % rank)
    return data.shape


def _check_positions(indices: Fact, data: Shape, update_shape: Shape, axis: int) -> None:
    """Require constant indices inside the axis, and sizes along the other axes of at most those of data."""
    warn_unless(
        all(size <= data[other] for other, size in enumerate(update_shape) if other != axis),
        "C6",
        update_shape,
        data,
    )
    if indices.value is not None:
        check_indices(as_i64(indices.value), data[axis])


def check_indices(indices: Array, size: Dim) -> None:
    """Require that indices lie inside an axis of this size."""
    outside = (indices >= size.high) | (indices < -size.high)
    require(not outside.any(), "C5", f"{indices[outside][:1].tolist()} on {size} elements")


@shape("ScatterElementsUpdate-12")
def scatter_elements_update_12_shape(
    data: Fact, indices: Fact, updates: Fact, axis: Fact, *, reduction: str
) -> Shape:
    require(reduction != "mean" or data.element_type is not BOOLEAN, "C7", data)
    return scatter_elements_update_shape(data, indices, updates, axis)


@kernel("ScatterElementsUpdate-3")
def scatter_elements_update(data: Array, indices: Array, updates: Array, axis: Array) -> Array:
    return scatter_elements_update_12(data, indices, updates, axis, reduction="none", use_init_val=True)


@kernel("ScatterElementsUpdate-12")
def scatter_elements_update_12(
    data: Array, indices: Array, updates: Array, axis: Array, *, reduction: str, use_init_val: bool
) -> Array:
    along = normal_axes(as_i64(axis).ravel().tolist(), data.ndim, "C4")[0]
    numbers = as_i64(indices)
    check_indices(numbers, Dim.of(data.shape[along]))
    others = [size for other, size in enumerate(indices.shape) if other != along]
    require(
        all(size <= whole for size, whole in zip(others, np.delete(data.shape, along))),
        "C6",
        Shape(indices.shape),
        Shape(data.shape),
    )
    positions: list[Array] = list(np.indices(indices.shape, sparse=True))
    positions[along] = np.where(numbers < 0, numbers + data.shape[along], numbers)
    strides = [prod(data.shape[axis + 1 :]) for axis in range(data.ndim)]
    flat = sum(
        (position * stride for position, stride in zip(positions, strides)), np.zeros(indices.shape, np.int64)
    ).ravel()
    return scattered(data.reshape(-1), flat, updates.reshape(-1), reduction, use_init_val).reshape(data.shape)


@values("ScatterElementsUpdate-3")
def scatter_elements_values(data: Array, indices: Array, updates: Array, axis: Array) -> Array | None:
    if holds_dims(indices) or holds_dims(axis):
        return None
    return scatter_elements_update(data.astype(object), indices, updates.astype(object), axis)


@values("ScatterElementsUpdate-12")
def scatter_elements_12_values(
    data: Array, indices: Array, updates: Array, axis: Array, *, reduction: str
) -> Array | None:
    return scatter_elements_values(data, indices, updates, axis) if reduction == "none" else None
