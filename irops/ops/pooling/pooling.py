"""AvgPool, MaxPool, AdaptiveAvgPool and AdaptiveMaxPool: pooling over windows along the spatial axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, prod
from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.partial import entries
from irops.ops.reals import blocks
from irops.ops.sliding import Numbers, Slide, Steps, at, reach, same_padding, warn_of_empty
from irops.spec.binding import kernel, shape
from irops.values.dim import UNKNOWN, Dim, minimum, slack, unify
from irops.values.element import Array, ElementType, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


@dataclass(frozen=True, slots=True)
class Window:
    """A pooling window along one axis, as given by the attributes."""

    taps: int
    stride: int
    dilation: int
    before: int
    after: int
    rounding: str
    auto_pad: str

    @property
    def reach(self) -> int:
        """The size of the dilated window."""
        return int(reach(self.taps, self.dilation))

    def padding(self, size: int) -> tuple[int, int]:
        """The padding before and after an axis of that size."""
        if self.auto_pad.startswith("same"):
            return same_padding(size, self.reach, self.stride, self.auto_pad)
        return (0, 0) if self.auto_pad == "valid" else (self.before, self.after)

    def count(self, size: int) -> int:
        """The number of windows on an axis of that size, into which at least one fits."""
        before, after = self.padding(size)
        free = size + before + after - self.reach
        steps = free // self.stride if self.rounding == "floor" else -(-free // self.stride)
        if self.rounding == "ceil_torch" and 0 < size + before <= steps * self.stride:
            return steps  # the last window would begin after the last element
        return steps + 1

    def slide(self, size: int) -> Slide:
        """The windows on an axis of that size."""
        return Slide(size, self.taps, self.stride, self.dilation, self.padding(size)[0], self.count(size))


def windows(
    *,
    kernel: Numbers,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    rounding_type: str,
    auto_pad: str,
    dilations: Numbers = (),
) -> list[Window]:
    """The windows along all spatial axes.

    Empty dilations are 1 for each axis, and empty paddings 0.
    Raises:  Violation(C1) if the attributes have different lengths
    """
    warn_of_empty(auto_pad, pads_begin, pads_end)
    steps = Steps.of(len(kernel), strides, dilations, pads_begin, pads_end)
    lists = (strides, steps.dilations, steps.pads_begin, steps.pads_end)
    lengths, count = [len(numbers) for numbers in lists], len(kernel)
    shown = ", ".join(map(str, lengths))
    require(set(lengths) == {count}, "C1", f"{shown} values for {count} of kernel")
    return [Window(*axis, rounding_type, auto_pad) for axis in zip(kernel, *lists)]


def pooled_shape(data: Shape, along: list[Window]) -> Shape:
    """The output shape of pooling.

    Raises:  Violation of C2 (one window for each spatial axis), C3 (the window fits), or C4 (batch size and
        number of channels are at least 1)
    """
    batch, channels, *sizes = data.of_rank(len(along) + 2, "C2")
    require(batch > 0 and channels > 0, "C4", data)
    return Shape.of(batch, channels, *(_positions(window, size) for window, size in zip(along, sizes)))


def _positions(window: Window, size: Dim) -> Dim:
    """The number of windows on an axis whose size may be an interval.

    Raises:  Violation(C3) if no size of the interval is large enough
    """
    same = window.auto_pad.startswith("same")
    padding = 0 if same else sum(window.padding(0))
    free = slack(size + padding, 1 if same else window.reach, "C3")
    if window.rounding == "floor":
        return size.at_least(1).ceil_div(window.stride) if same else free // window.stride + 1
    if window.rounding == "ceil" and not same:
        return free.ceil_div(window.stride) + 1
    smallest = 1 if same else window.reach - padding
    low, high = int(max(size.low, smallest, 0)), size.high
    # with ceil_torch, size 0 may have more windows than size 1
    counts = [window.count(low), window.count(int(min(low + 1, high)))]
    count = Dim(min(counts), inf if high == inf else max(*counts, window.count(int(high))))
    return count.named(None if same else _torch_count(window, size + padding, size).symbol)


def _torch_count(window: Window, padded: Dim, size: Dim) -> Dim:
    """The number of windows by the formula of ceil_torch, where that holds for all sizes of an interval."""
    ahead = size + window.padding(0)[0]
    if ahead.low <= 0 or window.padding(0)[1] > window.reach:
        return UNKNOWN
    return minimum((padded - window.reach).ceil_div(window.stride) + 1, ahead.ceil_div(window.stride))


# AvgPool: the mean over a sliding window.


@shape("AvgPool-1", "AvgPool-14")
def avg_pool_shape(data: Fact, *, exclude_pad: bool, **window: Any) -> Shape:
    return _pooled(data.shape, windows(**window), exclude_pad)


@shape("AvgPool-16")
def avg_pool_16_shape(data: Fact, *, exclude_pad: bool, **window: Any) -> Shape:
    warn_unless(window["dilations"], "C10")
    return _pooled(data.shape, windows(**window), exclude_pad)


def _pooled(data: Shape, along: Sequence[Window], exclude_pad: bool) -> Shape:
    """The output shape. Warns of C11. Raises: Violation(C5) if padding is as long as a window, and the other
    ones of pooled_shape
    """
    pooled = pooled_shape(data, list(along))
    if exclude_pad and data.dims is not None:
        for window, size in zip(along, data[2:]):
            if not size.known:
                continue
            padding = f"padding {window.before} and {window.after}"
            fits = max(window.padding(int(size))) < window.reach
            require(fits, "C5", padding, f"a window of {window.reach}")
            if window.rounding == "ceil":
                last = window.slide(int(size)).counts()[-1:]
                warn_unless(all(last), "C11", f"the last window on an axis of {size}")
    return pooled


@kernel("AvgPool-1", "AvgPool-14", "AvgPool-16", widen=True)
def avg_pool(data: Array, *, exclude_pad: bool, **window: Any) -> Array:
    along = windows(**window)
    slides = [window.slide(size) for window, size in zip(along, data.shape[2:])]
    padded = any(any(window.padding(size)) for window, size in zip(along, data.shape[2:]))
    covered = reduce(np.multiply.outer, (slide.counts() for slide in slides))
    counts = np.asarray(prod(slide.taps for slide in along)) if padded and not exclude_pad else covered
    # 0 for a count of 0; integers are rounded, ties to even
    kind = element_type_of(data)
    if kind.floating:
        means: Array = _sums(data, slides) / np.maximum(counts, 1).astype(data.dtype)
        return means
    wide = np.uint64 if kind.name == "u64" else np.int64
    divisors = np.maximum(counts, 1).astype(wide)
    quotients, remainders = np.divmod(_sums(as_numbers(data).astype(wide), slides), divisors)
    round_up = (2 * remainders > divisors) | ((2 * remainders == divisors) & (quotients % 2 == 1))
    return low_bits(quotients + round_up.astype(wide), kind)


def _sums(data: Array, slides: Sequence[Slide]) -> Array:
    """The sums of the elements under each window, computed one axis after the other."""
    for axis, slide in reversed(list(enumerate(slides, 2))):
        total = np.zeros((*data.shape[:axis], slide.positions, *data.shape[axis + 1 :]), data.dtype)
        if slide.taps <= slide.positions:
            for positions, elements in map(slide.meet, range(slide.taps)):
                total[at(axis, positions)] += data[at(axis, elements)]
        else:
            for position in range(slide.positions):
                total[at(axis, position)] = data[at(axis, slide.cover(position))].sum(axis=axis)
        data = total
    return data


# MaxPool: the maximum over a sliding window, and its index.


BLOCK_ELEMENTS = 1 << 16
"""The elements that are pooled at once."""
Overlaps = list[tuple[slice, slice]]
"""Positions and the elements that their windows cover: one for each position, or all of one position."""


@shape("MaxPool-8", "MaxPool-14")
def max_pool_shape(
    data: Fact,
    *,
    index_element_type: ElementType,  # noqa: ARG001
    axis: int,  # noqa: ARG001
    **window: Any,
) -> tuple[Shape, Shape]:
    warn_unless(window["dilations"], "C10")
    pooled = pooled_shape(data.shape, windows(**window))
    return pooled, pooled


@kernel("MaxPool-8", "MaxPool-14", widen=True)
def max_pool(
    data: Array, *, index_element_type: ElementType, axis: int, **window: Any
) -> tuple[Array, Array]:
    slides = [along.slide(size) for along, size in zip(windows(**window), data.shape[2:])]
    maxima, positions = _maxima(as_numbers(data), slides, True)
    channels = np.arange(prod(data.shape[:2])).reshape(*data.shape[:2], *(1,) * len(slides))
    indices = channels * prod(data.shape[2:]) + positions
    if axis > 0:
        indices %= max(prod(data.shape[axis:]), 1)
    return _in_type_of(data, maxima), indices.astype(index_element_type.dtype, copy=False)


@shape("MaxPool-1")
def max_pool_1_shape(data: Fact, **window: Any) -> Shape:
    return pooled_shape(data.shape, windows(**window))


@kernel("MaxPool-1", widen=True)
def max_pool_1(data: Array, **window: Any) -> Array:
    slides = [along.slide(size) for along, size in zip(windows(**window), data.shape[2:])]
    return _in_type_of(data, _maxima(as_numbers(data), slides, False)[0])


def _in_type_of(data: Array, maxima: Array) -> Array:
    kind = element_type_of(data)
    return low_bits(maxima, kind) if kind.integral else maxima


def _maxima(data: Array, slides: Sequence[Slide], indexed: bool) -> tuple[Array, Array]:
    """The maximum under each window, and, if indexed, the index in its channel of the first element equal to
    it, otherwise 0.

    A window that covers no element gives the lowest finite number and index 0. NaN is treated as -inf.
    """
    channels = data.reshape(prod(data.shape[:2]), *data.shape[2:])
    shape, size = tuple(slide.positions for slide in slides), prod(data.shape[2:])
    maxima = np.empty((len(channels), *shape), data.dtype)
    indices = np.zeros(maxima.shape if indexed else 1, np.min_scalar_type(size))
    for block in blocks(len(channels), size, BLOCK_ELEMENTS):
        maxima[block] = _maxima_of_channels(channels[block], slides, indices[block] if indexed else None)
    maxima = maxima.reshape(*data.shape[:2], *shape)
    return maxima, indices.reshape(maxima.shape) if indexed else indices


def _maxima_of_channels(data: Array, slides: Sequence[Slide], indices: Array | None) -> Array:
    """The maxima of data[channels, ...]. indices: the array to write the indices to, if they are wanted."""
    floating = data.dtype.kind == "f"
    if floating and np.isnan(data.max(initial=-np.inf)):
        data = np.where(np.isnan(data), data.dtype.type(-np.inf), data)
    first = None if indices is None else np.zeros((1,) * data.ndim, indices.dtype)
    for axis, slide in enumerate(slides, 1):
        overlaps = _by_taps(slide) if slide.taps <= slide.positions else _by_positions(slide)
        maxima = _maxima_along(data, axis, slide, overlaps)
        if first is not None:
            elements = np.arange(slide.size, dtype=first.dtype).reshape(-1, *(1,) * (data.ndim - axis - 1))
            places = first * first.dtype.type(slide.size) + elements
            first = _first_along(data, maxima, np.broadcast_to(places, data.shape), axis, overlaps)
        data = maxima
    for axis, slide in enumerate(slides, 1):
        if not slide.whole:
            empty = at(axis, slide.counts() == 0)
            data[empty] = np.finfo(data.dtype).min if floating else np.iinfo(data.dtype).min
            if first is not None:
                first[empty] = 0
    if indices is not None:
        indices[...] = first
    return data


def _by_taps(slide: Slide) -> Overlaps:
    """Tap by tap: the element of each position."""
    return [slide.meet(tap) for tap in range(slide.taps)]


def _by_positions(slide: Slide) -> Overlaps:
    """Position by position: all elements of the window; faster if windows are few and long."""
    return [(slice(p, p + 1), slide.cover(p)) for p in range(slide.positions)]


def _maxima_along(data: Array, axis: int, slide: Slide, overlaps: Overlaps) -> Array:
    """The maximum along one axis under each window; the lowest number of the type if it has no element."""
    lowest = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    maxima = np.full((*data.shape[:axis], slide.positions, *data.shape[axis + 1 :]), lowest, data.dtype)
    for positions, elements in overlaps:
        best, covered = maxima[at(axis, positions)], data[at(axis, elements)]
        if best.shape[axis] == 1:
            covered = covered.max(axis=axis, keepdims=True, initial=lowest)
        np.maximum(best, covered, out=best)
    return maxima


def _first_along(data: Array, maxima: Array, indices: Array, axis: int, overlaps: Overlaps) -> Array:
    """The lowest of the indices of the elements that are equal to the maximum of each window."""
    none = np.iinfo(indices.dtype).max
    first = np.full(maxima.shape, none, indices.dtype)
    for positions, elements in overlaps:
        lowest, best = first[at(axis, positions)], maxima[at(axis, positions)]
        other = (data[at(axis, elements)] != best).astype(indices.dtype)
        candidates = indices[at(axis, elements)] | np.negative(other, out=other)  # -1 has all bits: none
        if lowest.shape[axis] == 1:
            candidates = candidates.min(axis=axis, keepdims=True, initial=none)
        np.minimum(lowest, candidates, out=lowest)
    return first


# AdaptiveAvgPool and AdaptiveMaxPool: pooling to a given output size.


@shape("AdaptiveAvgPool-8")
def adaptive_pool_shape(data: Fact, output_shape: Fact) -> Shape:
    count = output_shape.shape[0]
    if data.shape.dims is not None:
        count = unify(count, len(data.shape) - 2, "C1")
    if not count.known:
        return UNRANKED
    require(1 <= int(count) <= 3, "C1", f"{count} sizes")
    sizes = entries(output_shape, int(count))
    require(all(size >= 0 for size in sizes), "C2", Shape(sizes))
    return Shape.of(data.shape[0], data.shape[1], *(size.at_least(0) for size in sizes))


@shape("AdaptiveMaxPool-8")
def adaptive_max_pool_shape(data: Fact, output_shape: Fact) -> tuple[Shape, Shape]:
    pooled = adaptive_pool_shape(data, output_shape)
    if data.shape.dims is not None:
        for size, count in zip(data.shape[2:], pooled[2:]):
            require_elements(size, count)
    return pooled, pooled


def require_elements(size: Dim, count: Dim) -> None:
    require(size > 0 or count.low <= 0, "C3", f"output size {count} for an axis of size {size}")


@kernel("AdaptiveAvgPool-8", widen=True)
def adaptive_avg_pool(data: Array, output_shape: Array) -> Array:
    counts = tuple(map(int, as_i64(output_shape)))
    if 0 in (*data.shape[:2], *counts):
        return np.zeros((*data.shape[:2], *counts), data.dtype)
    for axis, count in enumerate(counts, 2):
        sums = np.zeros((*data.shape[:axis], count, *data.shape[axis + 1 :]), data.dtype)
        for position, window in enumerate(adaptive_windows(data.shape[axis], count)):
            covered = data[at(axis, window)]
            sums[at(axis, position)] = covered.sum(axis=axis) / data.dtype.type(max(covered.shape[axis], 1))
        data = sums
    return data


@kernel("AdaptiveMaxPool-8")
def adaptive_max_pool(
    data: Array, output_shape: Array, *, index_element_type: ElementType
) -> tuple[Array, Array]:
    """Reduce one axis after the other, starting with the last, so that the first of equal maxima is found."""
    counts = tuple(map(int, as_i64(output_shape)))
    if 0 in (*data.shape[:2], *counts):
        empty = (*data.shape[:2], *counts)
        return np.zeros(empty, data.dtype), np.zeros(empty, index_element_type.dtype)
    numbers, kind = as_numbers(data), element_type_of(data)
    maxima = np.where(np.isnan(numbers), -np.inf, numbers).astype(numbers.dtype) if kind.floating else numbers
    indices = np.zeros(data.shape, np.int64)
    stride = 1
    for axis, count in reversed([*enumerate(counts, 2)]):
        require_elements(Dim.of(data.shape[axis]), Dim.of(count))
        shape = (*maxima.shape[:axis], count, *maxima.shape[axis + 1 :])
        pooled, pooled_indices = np.zeros(shape, numbers.dtype), np.zeros(shape, np.int64)
        for position, window in enumerate(adaptive_windows(data.shape[axis], count)):
            first = maxima[at(axis, window)].argmax(axis=axis, keepdims=True) + window.start
            here = at(axis, slice(position, position + 1))
            pooled[here] = np.take_along_axis(maxima, first, axis)
            pooled_indices[here] = np.take_along_axis(indices, first, axis) + first * stride
        maxima, indices, stride = pooled, pooled_indices, stride * data.shape[axis]
    output = low_bits(maxima, kind) if kind.integral else maxima.astype(data.dtype)
    return output, indices.astype(index_element_type.dtype)


def adaptive_windows(size: int, count: int) -> list[slice]:
    """The elements of each of count windows, which together cover an axis."""
    return [slice(position * size // count, -(-(position + 1) * size // count)) for position in range(count)]
