"""Pad: add elements at the beginning and end of axes, or remove elements there."""

from typing import Any

import numpy as np

from irops.ops.partial import entries
from irops.spec.binding import kernel, shape, values
from irops.values.dim import ANY, MAX_DIM, Dim, unify
from irops.values.element import DYNAMIC, STRING, Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact, holds_dims
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless

UNMIRRORED = {"constant": 0, "edge": 1, "reflect": 1, "symmetric": 0}
"""The number of elements that an axis needs in addition to those that are mirrored."""


@shape("Pad-12")
def pad_shape(
    data: Fact, pads_begin: Fact, pads_end: Fact, pad_value: Fact | None, *, pad_mode: str
) -> Shape:
    kind = data.element_type
    require(kind is not STRING or pad_mode == "constant", "C6", f"{pad_mode} for {data}")
    if pad_value is not None:
        fits = pad_value.element_type in (kind, DYNAMIC) or kind is DYNAMIC
        require(pad_mode != "constant" or (fits and pad_value.shape.rank in (0, None)), "C5", data, pad_value)
    count = unify(pads_begin.shape[0], pads_end.shape[0], "C1")
    sizes = data.shape.dims
    if sizes is None:
        if not count.known or count > 64:
            return UNRANKED
        sizes = (ANY,) * int(count)
    unify(count, len(sizes), "C1")
    pads = zip(sizes, entries(pads_begin, len(sizes)), entries(pads_end, len(sizes)))
    return Shape(padded_size(size, begin, end, pad_mode) for size, begin, end in pads)


@shape("Pad-1")
def pad_1_shape(
    data: Fact, pads_begin: Fact, pads_end: Fact, pad_value: Fact | None, *, pad_mode: str
) -> Shape:
    pads = (pads_begin.dims or ()) + (pads_end.dims or ())
    warn_unless(all(number >= 0 for number in pads), "C9", Shape(pads))
    return pad_shape(data, pads_begin, pads_end, pad_value, pad_mode=pad_mode)


def padded_size(size: Dim, begin: Dim, end: Dim, pad_mode: str) -> Dim:
    """The padded size of an axis; the requirements of pad_mode narrow an unknown size."""
    total = size + begin + end
    fits = all(number >= -MAX_DIM and number <= MAX_DIM for number in (begin, end, total))
    require(fits, "C2", f"{begin} and {end} on {size} elements")
    max_pad = max(begin.low, end.low)
    if pad_mode == "edge":
        require(max_pad <= 0 or size.high > 0, "C3", f"{begin} and {end} on no element")
    elif pad_mode != "constant":
        min_size = max_pad + UNMIRRORED[pad_mode]
        require(size.high >= min_size, "C4", f"{begin} and {end} on {size} elements, mode {pad_mode}")
        if size.low < min_size:
            total = Dim(min_size, size.high, size.symbol) + begin + end
    warn_unless(total >= 0, "C7", f"{begin} and {end} on {size} elements")
    return total.at_least(0)


@kernel("Pad-1", "Pad-12")
def pad(data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None, *, pad_mode: str) -> Array:
    filler = zeros((), element_type_of(data)) if pad_value is None else pad_value
    return padded(data, pads_begin, pads_end, filler, pad_mode)


def padded(data: Array, pads_begin: Array, pads_end: Array, pad_value: Any, pad_mode: str) -> Array:
    """The padded tensor, in which elements without a source in data are pad_value."""
    counts = pads_begin.size, pads_end.size
    require(counts == (data.ndim, data.ndim), "C1", *counts, f"rank {data.ndim}")
    pads = list(zip(data.shape, as_i64(pads_begin).tolist(), as_i64(pads_end).tolist()))
    for size, begin, end in pads:
        padded_size(Dim.of(size), Dim.of(begin), Dim.of(end), pad_mode)
    sizes = [max(begin + size + end, 0) for size, begin, end in pads]
    if pad_mode != "constant":
        sources = [SOURCES[pad_mode](np.arange(n) - begin, size) for n, (size, begin, _) in zip(sizes, pads)]
        mirrored: Array = data[np.ix_(*sources)] if sources else data
        return mirrored
    result: Array = np.full(sizes, pad_value, data.dtype)
    result[tuple(slice(max(begin, 0), max(begin + size, 0)) for size, begin, _ in pads)] = data[
        tuple(slice(max(-begin, 0), max(n - begin, 0)) for n, (_, begin, _) in zip(sizes, pads))
    ]
    return result


def at_edge(position: Array, size: int) -> Array:
    """The index of the nearest element; position 0 is the first element of data."""
    nearest: Array = np.clip(position, 0, max(size - 1, 0))
    return nearest


def reflected(position: Array, size: int) -> Array:
    """The index of the element mirrored at the first or last element, which is not repeated."""
    mirrored: Array = size - 1 - np.abs(size - 1 - np.abs(position))
    return mirrored


def repeated(position: Array, size: int) -> Array:
    """The index of the element mirrored at the end of the axis; the first and last element are repeated."""
    position = np.where(position < 0, -1 - position, position)
    return np.where(position < size, position, 2 * size - 1 - position)


SOURCES = {"edge": at_edge, "reflect": reflected, "symmetric": repeated}


@values("Pad-1", "Pad-12")
def pad_values(
    data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None, *, pad_mode: str
) -> Array | None:
    if holds_dims(pads_begin) or holds_dims(pads_end):
        return None
    fill = Dim.of(0) if pad_value is None else pad_value.astype(object)[()]
    return padded(data.astype(object), pads_begin, pads_end, fill, pad_mode)
