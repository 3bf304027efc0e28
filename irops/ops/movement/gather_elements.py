"""GatherElements: gather single elements along an axis by index."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape, values
from irops.values.dim import ANY, Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless


@shape("GatherElements-6")
def gather_elements_shape(data: Fact, indices: Fact, *, axis: int) -> Shape:
    size = data.shape[axis]
    if indices.value is not None:
        check_indices(indices.value, size)
    if data.shape.dims is None:
        return indices.shape
    size_along = ANY if indices.shape.dims is None else indices.shape.of_rank(len(data.shape), "C1")[axis]
    return unify_shapes(data.shape.with_dim(axis, size_along), indices.shape, "C2")


def check_indices(indices: Array, size: Dim) -> None:
    """Require that indices lie inside an axis of this size; warn if one is negative."""
    outside = (indices >= size.high) | (indices < -size.high)
    require(not outside.any(), "C3", f"{indices[outside][:1].tolist()} on {size} elements")
    warn_unless(not (indices < 0).any(), "C4", indices[indices < 0][:1].tolist())


@kernel("GatherElements-6")
def gather_elements(data: Array, indices: Array, *, axis: int) -> Array:
    check_indices(indices, Dim.of(data.shape[axis]))
    return np.take_along_axis(data, as_i64(indices), axis)


@values("GatherElements-6")
def gather_elements_values(data: Array, indices: Array, *, axis: int) -> Array | None:
    return None if holds_dims(indices) else gather_elements(data, indices, axis=axis)
