"""MaxPool: the maximum over a sliding window, and its index."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.pooling.windows import pooled_shape, windows
from irops.ops.sliding import Numbers, Slide, at
from irops.spec.binding import kernel as computes
from irops.spec.binding import shape
from irops.values.element import I64, Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import warn_unless


@shape("MaxPool-8", "MaxPool-14")
def max_pool_shape(
    data: Fact,
    *,
    kernel: Numbers,
    strides: Numbers,
    dilations: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    rounding_type: str,
    auto_pad: str,
) -> tuple[Shape, Shape]:
    warn_unless(dilations, "C10")
    pooled = pooled_shape(
        data.shape, windows(kernel, strides, dilations, pads_begin, pads_end, rounding_type, auto_pad)
    )
    return pooled, pooled


@computes("MaxPool-8", "MaxPool-14", widen=True)
def max_pool(
    data: Array,
    *,
    kernel: Numbers,
    strides: Numbers,
    dilations: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    rounding_type: str,
    auto_pad: str,
    index_element_type: ElementType,
    axis: int,
) -> tuple[Array, Array]:
    along = windows(kernel, strides, dilations, pads_begin, pads_end, rounding_type, auto_pad)
    slides = [window.slide(size) for window, size in zip(along, data.shape[2:])]
    maxima, positions = _maxima(as_numbers(data), slides)
    channels = np.arange(prod(data.shape[:2])).reshape(*data.shape[:2], *(1,) * len(slides))
    indices = (channels * prod(data.shape[2:]) + positions) % max(prod(data.shape[axis:]), 1)
    kind = element_type_of(data)
    return low_bits(maxima, kind) if kind.integral else maxima, indices.astype(index_element_type.dtype)


@shape("MaxPool-1")
def max_pool_1_shape(
    data: Fact,
    *,
    kernel: Numbers,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    rounding_type: str,
    auto_pad: str,
) -> Shape:
    return pooled_shape(
        data.shape, windows(kernel, strides, (), pads_begin, pads_end, rounding_type, auto_pad)
    )


@computes("MaxPool-1", widen=True)
def max_pool_1(
    data: Array,
    *,
    kernel: Numbers,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    rounding_type: str,
    auto_pad: str,
) -> Array:
    return max_pool(
        data,
        kernel=kernel,
        strides=strides,
        dilations=(),
        pads_begin=pads_begin,
        pads_end=pads_end,
        rounding_type=rounding_type,
        auto_pad=auto_pad,
        index_element_type=I64,
        axis=0,
    )[0]


def _maxima(data: Array, slides: Sequence[Slide]) -> tuple[Array, Array]:
    """The maximum under each window, and the index in its channel of the first element equal to it.

    A window that covers no element gives the lowest finite number and index 0. NaN is treated as -inf.
    """
    floating = data.dtype.kind == "f"
    if floating and np.isnan(data.max(initial=-np.inf)):
        data = np.where(np.isnan(data), data.dtype.type(-np.inf), data)
    indices: Array | None = None
    for axis, slide in reversed(list(enumerate(slides, 2))):
        data, elements = (_by_taps if slide.taps <= slide.positions else _by_positions)(data, axis, slide)
        inner = np.take_along_axis(indices, elements, axis) if indices is not None and slide.size else 0
        indices = elements * prod(other.size for other in slides[axis - 1 :]) + inner
    assert indices is not None
    for axis, slide in enumerate(slides, 2):
        if not slide.whole:
            empty = at(axis, slide.counts() == 0)
            data[empty] = np.finfo(data.dtype).min if floating else np.iinfo(data.dtype).min
            indices[empty] = 0
    return data, indices


def _lowest(data: Array, axis: int, slide: Slide) -> Array:
    """The lowest number of the type for each window, to start the maximum from."""
    lowest = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    return np.full((*data.shape[:axis], slide.positions, *data.shape[axis + 1 :]), lowest, data.dtype)


def _by_taps(data: Array, axis: int, slide: Slide) -> tuple[Array, Array]:
    """The maximum along one axis under each window, and its index on the axis; 0 if there is no element.

    Loops over the elements of the window.
    """
    maxima = _lowest(data, axis, slide)
    overlaps = [slide.meet(tap) for tap in range(slide.taps)]
    for positions, elements in overlaps:
        best = maxima[at(axis, positions)]
        np.maximum(best, data[at(axis, elements)], out=best)
    pending = np.ones(maxima.shape, np.bool_)
    taps = np.zeros(maxima.shape, np.uint8 if slide.taps < 256 else np.intp)
    for positions, elements in overlaps:  # count the window elements before the first maximum
        pending[at(axis, positions)] &= data[at(axis, elements)] != maxima[at(axis, positions)]
        taps += pending.view(np.uint8)
    starts = (np.arange(slide.positions) * slide.stride - slide.before).reshape(
        -1, *(1,) * (data.ndim - axis - 1)
    )
    return maxima, np.where(pending, 0, taps * np.intp(slide.dilation) + starts)


def _by_positions(data: Array, axis: int, slide: Slide) -> tuple[Array, Array]:
    """Like _by_taps, but loops over the output positions; faster if windows are few and long."""
    maxima = _lowest(data, axis, slide)
    indices = np.zeros(maxima.shape, np.intp)
    for position in range(slide.positions):
        elements, here = slide.cover(position), at(axis, slice(position, position + 1))
        covered = data[at(axis, elements)]
        if covered.shape[axis]:
            first = covered.argmax(axis=axis, keepdims=True)
            maxima[here] = np.take_along_axis(covered, first, axis)
            indices[here] = first * slide.dilation + elements.start
    return maxima, indices
