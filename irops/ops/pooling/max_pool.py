"""MaxPool: the maximum over a sliding window, and its index."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.pooling.windows import pooled_shape, windows
from irops.ops.reals import blocks
from irops.ops.sliding import Slide, at
from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import warn_unless

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
