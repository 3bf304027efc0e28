"""Pad: add elements at the ends of axes, or take some away."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.ops.entries import entries
from irops.spec.binding import kernel, shape, values
from irops.values.dim import ANY, Dim, unify
from irops.values.element import DYNAMIC, STRING, Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact, holds_dims
from irops.values.shape import MAX_DIM, UNRANKED, Shape
from irops.values.violation import require, warn_unless

NEEDED = {"constant": 0, "edge": 1, "reflect": 1, "symmetric": 0}
"""How many elements an axis needs beside those that are mirrored."""


@shape("Pad-12")
def pad_shape(
    data: Fact, pads_begin: Fact, pads_end: Fact, pad_value: Fact | None, *, pad_mode: str
) -> Shape:
    kind = data.element_type
    require(kind is not STRING or pad_mode == "constant", "C6", f"{pad_mode} for {data}")
    if pad_value is not None:
        warn_unless(pad_mode == "constant", "C8", pad_mode)
        fits = pad_value.element_type in (kind, DYNAMIC) or kind is DYNAMIC
        require(pad_mode != "constant" or (fits and pad_value.shape.rank in (0, None)), "C5", data, pad_value)
    count = unify(pads_begin.shape[0], pads_end.shape[0], "C1")
    if data.shape.dims is None:
        return Shape([ANY] * int(count)) if count.known and count <= 64 else UNRANKED
    unify(count, len(data.shape), "C1")
    pads = zip(data.shape, entries(pads_begin, len(data.shape)), entries(pads_end, len(data.shape)))
    return Shape(padded_size(size, begin, end, pad_mode) for size, begin, end in pads)


@shape("Pad-1")
def pad_1_shape(
    data: Fact, pads_begin: Fact, pads_end: Fact, pad_value: Fact | None, *, pad_mode: str
) -> Shape:
    pads = (pads_begin.dims or ()) + (pads_end.dims or ())
    warn_unless(all(number >= 0 for number in pads), "C9", Shape(pads))
    return pad_shape(data, pads_begin, pads_end, pad_value, pad_mode=pad_mode)


def padded_size(size: Dim, begin: Dim, end: Dim, pad_mode: str) -> Dim:
    """The size of an axis with its pads; what a mode asks of the axis is then known of it."""
    total = size + begin + end
    whole = Dim(-MAX_DIM, MAX_DIM)
    require(
        all(number.can_be(whole) for number in (begin, end, total)),
        "C2",
        f"{begin} and {end} on {size} elements",
    )
    most = max(begin.low, end.low)
    if pad_mode == "edge":
        require(most <= 0 or size.high > 0, "C3", f"{begin} and {end} on no element")
    elif pad_mode != "constant":
        least = most + NEEDED[pad_mode]
        require(size.high >= least, "C4", f"{begin} and {end} on {size} elements, mode {pad_mode}")
        total = Dim(max(size.low, least), size.high, size.symbol) + begin + end if size.low < least else total
    warn_unless(total >= 0, "C7", f"{begin} and {end} on {size} elements")
    return total.at_least(0)


@kernel("Pad-1", "Pad-12")
def pad(data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None, *, pad_mode: str) -> Array:
    return padded(
        data,
        pads_begin,
        pads_end,
        zeros((), element_type_of(data)) if pad_value is None else pad_value,
        pad_mode,
    )


def padded(data: Array, pads_begin: Array, pads_end: Array, pad_value: Any, pad_mode: str) -> Array:
    """The padded tensor: for each axis, which of its elements stand where; pad_value where there is none."""
    require(
        pads_begin.size == pads_end.size == data.ndim,
        "C1",
        pads_begin.size,
        pads_end.size,
        f"rank {data.ndim}",
    )
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
    """The nearest element; position counts from the first element of data."""
    nearest: Array = np.clip(position, 0, max(size - 1, 0))
    return nearest


def reflected(position: Array, size: int) -> Array:
    """The element that lies as far on the other side of the first or last one."""
    mirrored: Array = size - 1 - np.abs(size - 1 - np.abs(position))
    return mirrored


def repeated(position: Array, size: int) -> Array:
    """The element that lies as far on the other side of the end of the axis: the first and the last one are
    repeated.
    """
    position = np.where(position < 0, -1 - position, position)
    return np.where(position < size, position, 2 * size - 1 - position)


SOURCES = {"edge": at_edge, "reflect": reflected, "symmetric": repeated}


@values("Pad-1", "Pad-12")
def pad_values(
    data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None, *, pad_mode: str
) -> Array | None:
    if holds_dims(pads_begin) or holds_dims(pads_end):
        return None
    filling = Dim.of(0) if pad_value is None else pad_value.astype(object)[()]
    return padded(data.astype(object), pads_begin, pads_end, filling, pad_mode)
