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
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("MaxPool-14")
def max_pool_shape(data: Fact, *, kernel: Numbers, strides: Numbers, dilations: Numbers, pads_begin: Numbers, pads_end: Numbers,
                   rounding_type: str, auto_pad: str) -> tuple[Shape, Shape]:
    pooled = pooled_shape(data.shape, windows(kernel, strides, dilations, pads_begin, pads_end, rounding_type, auto_pad))
    return pooled, pooled


@computes("MaxPool-14", widen=True)
def max_pool(data: Array, *, kernel: Numbers, strides: Numbers, dilations: Numbers, pads_begin: Numbers, pads_end: Numbers,
             rounding_type: str, auto_pad: str, index_element_type: ElementType, axis: int) -> tuple[Array, Array]:
    along = windows(kernel, strides, dilations, pads_begin, pads_end, rounding_type, auto_pad)
    slides = [window.slide(size) for window, size in zip(along, data.shape[2:])]
    greatest, places = _greatest(as_numbers(data), slides)
    channels = np.arange(prod(data.shape[:2])).reshape(*data.shape[:2], *(1,) * len(slides))
    indices = (channels * prod(data.shape[2:]) + places) % max(prod(data.shape[axis:]), 1)
    kind = element_type_of(data)
    return low_bits(greatest, kind) if kind.integral else greatest, indices.astype(index_element_type.dtype)


def _greatest(data: Array, slides: Sequence[Slide]) -> tuple[Array, Array]:
    """The greatest element under each window, and its place within its channel, the first in order where several are equal.

    Under a window that meets no element the lowest finite number stands, and place 0. NaN counts as -inf.
    """
    real = data.dtype.kind == "f"
    if real and np.isnan(data.max(initial=-np.inf)):
        data = np.where(np.isnan(data), data.dtype.type(-np.inf), data)
    count = prod(data.shape[2:])
    places = np.broadcast_to(np.arange(count, dtype=np.int32 if count < 2**31 else np.int64).reshape(data.shape[2:]), data.shape)
    for axis, slide in reversed(list(enumerate(slides, 2))):
        data, places = (_by_taps if slide.taps <= slide.positions else _by_positions)(data, places, axis, slide)
    for axis, slide in enumerate(slides, 2):
        if real and not slide.whole:
            data[at(axis, slide.counts() == 0)] = np.finfo(data.dtype).min
    return data, places


def _nothing(data: Array, places: Array, axis: int, slide: Slide) -> tuple[Array, Array]:
    """What is found before anything is looked at: the lowest number, at place 0."""
    shape = (*data.shape[:axis], slide.positions, *data.shape[axis + 1:])
    lowest = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    return np.full(shape, lowest, data.dtype), np.zeros(shape, places.dtype)


def _by_taps(data: Array, places: Array, axis: int, slide: Slide) -> tuple[Array, Array]:
    """The greatest along one axis, from the last tap to the first, so that the first of equals stays."""
    greatest, found = _nothing(data, places, axis, slide)
    for tap in reversed(range(slide.taps)):
        positions, elements = slide.meet(tap)
        seen, best = data[at(axis, elements)], greatest[at(axis, positions)]
        np.copyto(found[at(axis, positions)], places[at(axis, elements)], where=seen >= best)
        np.maximum(best, seen, out=best)
    return greatest, found


def _by_positions(data: Array, places: Array, axis: int, slide: Slide) -> tuple[Array, Array]:
    """The same where windows are long and few."""
    greatest, found = _nothing(data, places, axis, slide)
    for position in range(slide.positions):
        seen = data[at(axis, slide.cover(position))]
        if seen.shape[axis]:
            first = seen.argmax(axis=axis, keepdims=True)
            here = at(axis, slice(position, position + 1))
            greatest[here] = np.take_along_axis(seen, first, axis)
            found[here] = np.take_along_axis(places[at(axis, slide.cover(position))], first, axis)
    return greatest, found
