"""SliceScatter: write to start:stop:step along the given axes."""

from __future__ import annotations

from irops.ops.movement.slice import slice_shape, slices_of
from irops.spec.binding import kernel, shape, values
from irops.values.element import Array
from irops.values.fact import Fact, holds_dims
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require


@shape("SliceScatter-15")
def slice_scatter_shape(
    data: Fact, updates: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None
) -> Shape:
    whole = data.shape if updates.shape.rank is None else data.shape.of_rank(updates.shape.rank, "C6")
    part = slice_shape(data.with_shape(whole), start, stop, step, axes)
    unify_shapes(part, updates.shape, "C6")
    return whole


@kernel("SliceScatter-15")
def slice_scatter(
    data: Array, updates: Array, start: Array, stop: Array, step: Array, axes: Array | None
) -> Array:
    slices = slices_of(data.shape, start, stop, step, axes)
    result = data.copy()
    require(
        result[slices].shape == updates.shape,
        "C6",
        Shape(updates.shape),
        f"a slice of shape {Shape(result[slices].shape)}",
    )
    result[slices] = updates
    return result


@values("SliceScatter-15")
def slice_scatter_values(
    data: Array, updates: Array, start: Array, stop: Array, step: Array, axes: Array | None
) -> Array | None:
    if any(bound is not None and holds_dims(bound) for bound in (start, stop, step, axes)):
        return None
    return slice_scatter(data.astype(object), updates.astype(object), start, stop, step, axes)
