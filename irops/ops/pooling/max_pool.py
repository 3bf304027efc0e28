"""MaxPool: the greatest element under a window that slides over data, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.pooling.windows import Numbers, pooled_shape, windows
from irops.ops.sliding import Slide, at
from irops.spec.binding import kernel as computes
from irops.spec.binding import shape
from irops.values.element import I64, Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape


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
    greatest, places = _greatest(as_numbers(data), slides)
    channels = np.arange(prod(data.shape[:2])).reshape(*data.shape[:2], *(1,) * len(slides))
    indices = (channels * prod(data.shape[2:]) + places) % max(prod(data.shape[axis:]), 1)
    kind = element_type_of(data)
    return low_bits(greatest, kind) if kind.integral else greatest, indices.astype(index_element_type.dtype)


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


def _greatest(data: Array, slides: Sequence[Slide]) -> tuple[Array, Array]:
    """The greatest element under each window, and its place within its channel, the first in order where
    several are equal.

    Under a window that meets no element the lowest finite number stands, and place 0. NaN counts as -inf.
    """
    real = data.dtype.kind == "f"
    if real and np.isnan(data.max(initial=-np.inf)):
        data = np.where(np.isnan(data), data.dtype.type(-np.inf), data)
    places: Array | None = None
    for axis, slide in reversed(list(enumerate(slides, 2))):
        data, elements = (_by_taps if slide.taps <= slide.positions else _by_positions)(data, axis, slide)
        inner = np.take_along_axis(places, elements, axis) if places is not None and slide.size else 0
        places = elements * prod(other.size for other in slides[axis - 1 :]) + inner
    assert places is not None
    for axis, slide in enumerate(slides, 2):
        if not slide.whole:
            empty = at(axis, slide.counts() == 0)
            data[empty] = np.finfo(data.dtype).min if real else np.iinfo(data.dtype).min
            places[empty] = 0
    return data, places


def _lowest(data: Array, axis: int, slide: Slide) -> Array:
    """For each window the lowest number: the greatest of nothing."""
    lowest = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    return np.full((*data.shape[:axis], slide.positions, *data.shape[axis + 1 :]), lowest, data.dtype)


def _by_taps(data: Array, axis: int, slide: Slide) -> tuple[Array, Array]:
    """The greatest element along one axis under each window, and which of the axis it is; 0 where there is
    none.
    """
    greatest = _lowest(data, axis, slide)
    meetings = [slide.meet(tap) for tap in range(slide.taps)]
    for positions, elements in meetings:
        best = greatest[at(axis, positions)]
        np.maximum(best, data[at(axis, elements)], out=best)
    pending = np.ones(greatest.shape, np.bool_)
    taps = np.zeros(greatest.shape, np.uint8 if slide.taps < 256 else np.intp)
    for positions, elements in meetings:  # counts the taps before the first that meets the greatest
        pending[at(axis, positions)] &= data[at(axis, elements)] != greatest[at(axis, positions)]
        taps += pending.view(np.uint8)
    starts = (np.arange(slide.positions) * slide.stride - slide.before).reshape(
        -1, *(1,) * (data.ndim - axis - 1)
    )
    return greatest, np.where(pending, 0, taps * np.intp(slide.dilation) + starts)


def _by_positions(data: Array, axis: int, slide: Slide) -> tuple[Array, Array]:
    """The same, faster where windows are long and few."""
    greatest = _lowest(data, axis, slide)
    found = np.zeros(greatest.shape, np.intp)
    for position in range(slide.positions):
        elements, here = slide.cover(position), at(axis, slice(position, position + 1))
        seen = data[at(axis, elements)]
        if seen.shape[axis]:
            first = seen.argmax(axis=axis, keepdims=True)
            greatest[here] = np.take_along_axis(seen, first, axis)
            found[here] = first * slide.dilation + elements.start
    return greatest, found
