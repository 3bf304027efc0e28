"""Slice, SliceScatter and StridedSlice: start:stop:step along axes, which elements it takes, and how many.

Negative positions count from the end. Then positions are clamped: with a positive step, both to 0..size;
with a negative step, start to 0..size-1 and stop to -1..size. So with a negative step, a start before the
first element takes the first element, unlike in Python.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from math import inf
from typing import Any, NamedTuple

import numpy as np

from irops.ops.partial import entries
from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape
from irops.values.dim import MAX_DIM, Bound, Dim, maximum, minimum, unify
from irops.values.element import DYNAMIC, Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import require, warn_unless

FAR = 1 << 200
"""An integer that stands for infinity: greater than any size times any step."""


def bounds(size: int, start: int, stop: int, step: int) -> tuple[int, int]:
    """start and stop counted from 0 and clamped for the direction of step."""
    start, stop = (position + size if position < 0 else position for position in (start, stop))
    if step > 0:
        return _clamped(start, 0, size), _clamped(stop, 0, size)
    return _clamped(start, 0, size - 1), _clamped(stop, -1, size)


def slice_of(size: int, start: int, stop: int, step: int) -> slice:
    """The elements to take, as a Python slice."""
    first, last = bounds(size, start, stop, step)
    if _count(size, start, stop, step) == 0:
        return slice(0, 0)
    return slice(first, None if last < 0 else last, step)


def sliced_size(size: Dim, start: Dim, stop: Dim, step: Dim) -> Dim:
    """The number of elements taken, as exactly as bounds and symbols determine it.

    If step may be positive or negative, only size limits the number. Otherwise, while the signs of the other
    arguments are fixed, the number has at most one turning point in each argument. So its extremes lie at the
    ends of the intervals, and at the sizes where clamping begins.
    """
    if takes_all(size, start, stop, step):
        return size
    if step.low <= 0 <= step.high:
        return Dim(0, size.high)
    ends = product(_corners(start), _corners(stop), {_finite(step.low), _finite(step.high)})
    counts = [_count(n, a, b, s) for a, b, s in ends for n in _sizes(size, a, b)]
    result = Dim(min(counts), inf if max(counts) > MAX_DIM else max(counts))
    return result if result.known else _with_symbol(result, size, start, stop, step)


def takes_all(size: Dim, start: Dim, stop: Dim, step: Dim) -> bool:
    """Whether every element is certainly taken, forward or backward."""
    max_size = min(size.high, MAX_DIM)
    if step == 1:
        return (start == 0 or start.high <= -max_size) and stop.low >= max_size
    return step == -1 and (start == -1 or start.low >= max_size - 1) and stop.high <= -max_size - 1


def _with_symbol(count: Dim, size: Dim, start: Dim, stop: Dim, step: Dim) -> Dim:
    """The count by its formula, which keeps symbols, where the signs of the arguments are certain."""
    if not step.known or not all(p.low >= 0 or p.high < 0 for p in (start, stop)):
        return count
    if step > 0:
        length = _limited(stop, size, 0, size) - _limited(start, size, 0, size)
    else:
        length = _limited(start, size, 0, size - 1) - _limited(stop, size, -1, size)
    formula = length.at_least(0).ceil_div(abs(int(step)))
    low, high = max(count.low, formula.low), min(count.high, formula.high)
    return count if low > high else Dim(low, high).named(formula.symbol)


def _limited(position: Dim, size: Dim, low: int, high: Dim) -> Dim:
    """The distance from 0, clamped to low..high: negative positions count from the end."""
    if position.low >= MAX_DIM:
        return high
    if position.high <= -MAX_DIM:
        return Dim.of(low)
    return minimum(maximum(size + position if position.high < 0 else position, low), high)


def _clamped(position: int, low: int, high: int) -> int:
    return min(max(position, low), high)


def _count(size: int, start: int, stop: int, step: int) -> int:
    first, last = bounds(size, start, stop, step)
    return max(0, -((first - last) // step))


def _finite(bound: Bound) -> int:
    """A bound as an integer; models write the limits of i64 for no limit."""
    if bound >= MAX_DIM:
        return 2 * FAR
    return -2 * FAR if bound <= -MAX_DIM else int(bound)


def _corners(position: Dim) -> set[int]:
    """The ends of the interval of a position, split at 0: negative positions count from the end."""
    low, high = _finite(position.low), _finite(position.high)
    return {low, high} | ({-1, 0} if low < 0 <= high else set())


def _sizes(size: Dim, start: int, stop: int) -> Iterable[int]:
    """The ends of the interval of a size, and the sizes in between at which the count may have an extreme."""
    low, high = int(size.low), FAR if size.high > MAX_DIM else int(size.high)
    turning_points = (1, -start, stop, start + 1, -stop - 1)
    return {low, high, *(point for point in turning_points if low < point < high)} if low < high else (low,)


@shape("Slice-8")
def slice_shape(data: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None) -> Shape:
    lists = [start, stop, step] if axes is None else [start, stop, step, axes]
    count = lists[0].shape[0]
    for other in lists[1:]:
        count = unify(count, other.shape[0], "C1")
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


@kernel("Slice-8", moves=("data",))
def slice_kernel(data: Array, start: Array, stop: Array, step: Array | None, axes: Array | None) -> Array:
    return data[slices_of(data.shape, start, stop, step, axes)]


def slices_of(
    shape: Sizes, start: Array, stop: Array, step: Array | None, axes: Array | None
) -> tuple[slice, ...]:
    """The slice to take along each axis of a tensor of this shape. step: 1 by default"""
    step = np.ones_like(start) if step is None else step
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
    d_output: Array, start: Array, stop: Array, step: Array | None, axes: Array | None, *, data_shape: Sizes
) -> Array:
    d_data = np.zeros(data_shape, d_output.dtype)
    d_data[slices_of(data_shape, start, stop, step, axes)] = d_output
    return d_data


@shape("SliceScatter-15")
def slice_scatter_shape(
    data: Fact, updates: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None
) -> Shape:
    whole = data.shape if updates.shape.rank is None else data.shape.of_rank(updates.shape.rank, "C5")
    part = slice_shape(data.with_shape(whole), start, stop, step, axes)
    unify_shapes(part, updates.shape, "C5")
    return whole


@kernel("SliceScatter-15", moves=("data", "updates"))
def slice_scatter(
    data: Array, updates: Array, start: Array, stop: Array, step: Array, axes: Array | None
) -> Array:
    slices = slices_of(data.shape, start, stop, step, axes)
    result = data.copy()
    sliced = result[slices].shape
    require(sliced == updates.shape, "C5", Shape(updates.shape), f"a slice of shape {Shape(sliced)}")
    result[slices] = updates
    return result


Mask = tuple[int, ...]


class Masks(NamedTuple):
    """The attributes of StridedSlice."""

    begin_mask: Mask
    end_mask: Mask
    new_axis_mask: Mask
    shrink_axis_mask: Mask
    ellipsis_mask: Mask


FIRST, LAST = 0, MAX_DIM
BEFORE_FIRST = -MAX_DIM - 1


@shape("StridedSlice-1")
def strided_slice_shape(data: Fact, begin: Fact, end: Fact, stride: Fact | None, **attributes: Mask) -> Shape:
    masks = Masks(**attributes)
    count = unify(begin.shape[0], end.shape[0], "C1")
    counted = stride is not None or begin.shape.rank is not None or end.shape[0].known
    require(counted, "C10", begin.shape, end.shape)
    count = count if stride is None else unify(count, stride.shape[0], "C1")
    kinds = {fact.element_type for fact in (begin, end, stride) if fact is not None} - {DYNAMIC}
    warn_unless(len(kinds) < 2, "C8", *sorted(map(str, kinds)))
    lengths = [len(mask) for mask in masks]
    warn_unless(set(lengths) <= {0, lengths[0]}, "C2", lengths)
    at_ellipsis = [i for i, one in enumerate(masks.ellipsis_mask) if one == 1]
    ignored = any(bit(mask, i) for mask in masks[2:4] for i in at_ellipsis)
    warn_unless(not ignored, "C4", f"position {at_ellipsis}")
    if data.shape.dims is None or not count.known:
        return UNRANKED
    begins, ends, steps = (entries(fact, int(count)) for fact in (begin, end, stride))
    sizes = iter(data.shape)
    result: list[Dim | int] = []
    for kind, i in parts(int(count), len(data.shape), masks):
        size = Dim.of(1) if kind == "new" else next(sizes)
        if kind == "shrink":
            check_index(begins[i], size, bit(masks.begin_mask, i))
        elif kind == "slice":
            result.append(sliced_size(size, *masked(begins[i], ends[i], steps[i], masks, i)))
        else:
            result.append(size)
    return Shape(result)


def bit(mask: Mask, i: int) -> bool:
    return i < len(mask) and mask[i] == 1


def parts(count: int, rank: int, masks: Masks) -> Iterator[tuple[str, int]]:
    """The action for each axis, in order, and the position that describes it.

    "new" adds an axis, "shrink" drops one, "slice" slices one, "whole" keeps one. Axes that no position
    describes are kept at the place of the ellipsis, or at the end if there is none.
    """
    ellipses = [i for i in range(count) if bit(masks.ellipsis_mask, i)]
    require(len(ellipses) < 2, "C3", f"positions {ellipses}")
    kinds = ["shrink" if bit(masks.shrink_axis_mask, i) else "slice" for i in range(count)]
    kinds = ["new" if bit(masks.new_axis_mask, i) else kind for i, kind in enumerate(kinds)]
    kinds = ["ellipsis" if i in ellipses else kind for i, kind in enumerate(kinds)]
    described = count - len(ellipses) - kinds.count("new")
    require(described <= rank, "C5", f"{described} positions at rank {rank}")
    for i, kind in enumerate(kinds):
        if kind == "ellipsis":
            yield from [("whole", i)] * (rank - described)
        else:
            yield kind, i
    if not ellipses:
        yield from [("whole", count)] * (rank - described)


def masked(begin: Dim, end: Dim, step: Dim, masks: Masks, i: int) -> tuple[Dim, Dim, Dim]:
    """begin, end and step, where a bound whose mask is set is the end of the axis in that direction."""
    require(step != 0, "C6")
    from_start, to_end = bit(masks.begin_mask, i), bit(masks.end_mask, i)
    if step.high < 0:
        return Dim.of(LAST) if from_start else begin, Dim.of(BEFORE_FIRST) if to_end else end, step
    return Dim.of(FIRST) if from_start else begin, Dim.of(LAST) if to_end else end, step


def check_index(index: Dim, size: Dim, from_start: bool) -> None:
    """Require that the index of an axis that is dropped lies inside the axis; from_start: is the first."""
    require(index >= -size and index < size, "C7", index, f"size {size}")
    require(not from_start or index.can_be(0) or (index + size).can_be(0), "C9", index, f"size {size}")


@kernel("StridedSlice-1", moves=("data",))
def strided_slice(data: Array, begin: Array, end: Array, stride: Array | None, **attributes: Mask) -> Array:
    masks = Masks(**attributes)
    begins, ends, steps = (
        as_i64(a).tolist() for a in (begin, end, np.ones_like(begin) if stride is None else stride)
    )
    sizes = iter(data.shape)
    picks: list[Any] = []
    for kind, i in parts(len(begins), data.ndim, masks):
        size = 1 if kind == "new" else next(sizes)
        if kind == "shrink":
            check_index(Dim.of(begins[i]), Dim.of(size), bit(masks.begin_mask, i))
            picks.append(begins[i])
        elif kind == "slice":
            limits = masked(Dim.of(begins[i]), Dim.of(ends[i]), Dim.of(steps[i]), masks, i)
            picks.append(slice_of(size, *map(int, limits)))
        else:
            picks.append(np.newaxis if kind == "new" else slice(None))
    return data[(*picks, ...)]
