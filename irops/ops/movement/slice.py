"""Slice: extract start:stop:step along the given axes."""

from __future__ import annotations

import numpy as np

from irops.ops.entries import entries
from irops.ops.movement.slicing import slice_of, sliced_size
from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import Dim, unify
from irops.values.element import DYNAMIC, Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


@shape("Slice-8")
def slice_shape(data: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None) -> Shape:
    lists = [start, stop, step] if axes is None else [start, stop, step, axes]
    count = lists[0].shape[0]
    for other in lists[1:]:
        count = unify(count, other.shape[0], "C1")
    warn_unless(len({fact.element_type for fact in lists[:3]} - {DYNAMIC}) < 2, "C5", start, stop, step)
    if data.shape.dims is None:
        return UNRANKED
    require(count <= len(data.shape), "C2", f"{count} elements at rank {len(data.shape)}")
    sliced_axes = _axes(axes, count, len(data.shape))
    if sliced_axes is None:  # any axis may be sliced
        return data.shape if count == 0 else Shape(Dim(0, size.high) for size in data.shape)
    sizes = list(data.shape)
    for axis, *bounds in zip(sliced_axes, *(entries(fact, len(sliced_axes)) for fact in lists[:3])):
        require(bounds[2] != 0, "C4", f"step 0 along axis {axis}")
        sizes[axis] = sliced_size(sizes[axis], *bounds)
    return Shape(sizes)


def _axes(axes: Fact | None, count: Dim, rank: int) -> tuple[int, ...] | None:
    """The axes to slice, counted from 0; None if they are unknown."""
    if axes is None:
        return tuple(range(int(count))) if count.known else None
    return None if axes.value is None else normal_axes(as_i64(axes.value).tolist(), rank, "C3")


@kernel("Slice-8")
def slice_kernel(data: Array, start: Array, stop: Array, step: Array, axes: Array | None) -> Array:
    return data[slices_of(data.shape, start, stop, step, axes)]


def slices_of(shape: Sizes, start: Array, stop: Array, step: Array, axes: Array | None) -> tuple[slice, ...]:
    """The slice to take along each axis of a tensor of this shape."""
    numbers = np.arange(start.size) if axes is None else as_i64(axes)
    slices = [slice(None)] * len(shape)
    for axis, *bounds in zip(
        normal_axes(numbers.tolist(), len(shape), "C3"), *(as_i64(a).tolist() for a in (start, stop, step))
    ):
        require(bounds[2] != 0, "C4", f"step 0 along axis {axis}")
        slices[axis] = slice_of(shape[axis], *bounds)
    return tuple(slices)


@gradient("Slice-8")
def slice_gradient(
    d_output: Array, start: Array, stop: Array, step: Array, axes: Array | None, *, data_shape: Sizes
) -> Array:
    d_data = np.zeros(data_shape, d_output.dtype)
    d_data[slices_of(data_shape, start, stop, step, axes)] = d_output
    return d_data


@values("Slice-8")
def slice_values(data: Array, start: Array, stop: Array, step: Array, axes: Array | None) -> Array | None:
    if any(bound is not None and holds_dims(bound) for bound in (start, stop, step, axes)):
        return None
    return slice_kernel(data, start, stop, step, axes)
