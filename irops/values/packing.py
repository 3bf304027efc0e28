"""Elements as OpenVINO stores them, and as they are held in memory. The one place that packs and unpacks."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irops.values.element import CODED, DYNAMIC, STRING, Array, ElementType, tagged

Buffer = bytes | bytearray | memoryview
Codes = npt.NDArray[np.uint8]
_BLOCK = 1 << 18
"""So many entries of a table of strings are looked at at one time."""


class Layout(NamedTuple):
    """How codes of a few bits share bytes. A group of them fills some bytes: 4 elements of u6 fill 3."""

    elements: int
    bytes: int
    split: Callable[[Codes], Codes]  # [groups, bytes] -> [groups, elements]
    join: Callable[[Codes], Codes]  # and back


def packed_size(element: ElementType, count: int) -> int:
    """The bytes that count elements take when stored, in exact integers.

    Raises:  ValueError for string and dynamic, whose elements have no size
    """
    if element.bits == 0:
        raise ValueError(f"elements of type {element} have no fixed size")
    layout = LAYOUTS.get(element.name)
    if layout is None:
        return count * (element.bits // 8)
    return -(-count // layout.elements) * layout.bytes


def unpack(raw: Buffer, element: ElementType, shape: tuple[int, ...]) -> Array:
    """The tensor that raw stores: a view of raw where elements fill bytes, else a new array.

    Raises:  ValueError where raw is too short, or its table of strings is corrupt
    """
    count = prod(shape)
    if element is STRING:
        return _strings(memoryview(raw), count).reshape(shape)
    needed = packed_size(element, count)
    if len(raw) < needed:
        raise ValueError(f"{len(raw)} bytes are too few: {element}{list(shape)} takes {needed}")
    layout = LAYOUTS.get(element.name)
    if layout is None:
        return np.frombuffer(raw, element.dtype, count).reshape(shape)
    groups = np.frombuffer(raw, np.uint8, needed).reshape(-1, layout.bytes)
    codes = np.ascontiguousarray(layout.split(groups)).ravel()[:count]
    return _of_codes(codes, element).reshape(shape)  # last: NumPy makes scalars of arrays without axes


def pack(array: Array, element: ElementType) -> bytes:
    """The bytes that store an array's elements; unpack undoes it."""
    if element is STRING:
        return _string_table(array)
    if element is DYNAMIC:
        raise ValueError("a tensor of dynamic element type cannot be stored")
    layout = LAYOUTS.get(element.name)
    if layout is None:
        return np.ascontiguousarray(
            array, element.dtype.newbyteorder("<") if element.dtype.itemsize > 1 else element.dtype
        ).tobytes()
    codes = _codes_of(array, element).ravel()
    padded = np.zeros(-(-codes.size // layout.elements) * layout.elements, np.uint8)
    padded[: codes.size] = codes
    return np.ascontiguousarray(layout.join(padded.reshape(-1, layout.elements))).tobytes()


def _of_codes(codes: Codes, element: ElementType) -> Array:
    """Codes as the type that holds the element in memory. ml_dtypes keeps a code in the low bits of a
    byte.
    """
    if element.name in CODED:
        return tagged(codes, element)
    if element.kind == "signed":
        sign = 1 << element.bits - 1
        signed = (codes ^ sign).astype(np.int8) - sign
        return signed.astype(element.dtype)
    if element.kind == "unsigned":
        return codes.astype(element.dtype)
    return codes.view(element.dtype)


def _codes_of(array: Array, element: ElementType) -> Codes:
    codes = (
        np.asarray(array, np.uint8)
        if element.name in CODED
        else np.ascontiguousarray(array, element.dtype).view(np.uint8)
    )
    return codes & np.uint8((1 << element.bits) - 1)


def _fields(bits: int, first_high: bool) -> Layout:
    """Fields of a few bits within one byte, the first element in the high bits or in the low."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    if first_high:
        shifts = shifts[::-1]
    mask = np.uint8((1 << bits) - 1)

    def split(groups: Codes) -> Codes:
        return (groups >> shifts) & mask

    def join(codes: Codes) -> Codes:
        return np.bitwise_or.reduce(codes << shifts, axis=1, keepdims=True)

    return Layout(8 // bits, 1, split, join)


def _split_fields(low_bits: int, elements: int) -> Layout:
    """Low bits of a group in two bytes, its high bits in a third, the first element highest in each
    (u3, u6).
    """
    low, high = _fields(low_bits, True), _fields(8 // elements, True)

    def split(groups: Codes) -> Codes:
        lows = low.split(groups[:, :2].reshape(-1, 1)).reshape(-1, elements)
        return lows | (high.split(groups[:, 2:]) << np.uint8(low_bits))

    def join(codes: Codes) -> Codes:
        lows = low.join((codes & np.uint8((1 << low_bits) - 1)).reshape(-1, elements // 2)).reshape(-1, 2)
        return np.concatenate((lows, high.join(codes >> np.uint8(low_bits))), axis=1)

    return Layout(elements, 3, split, join)


_NIBBLES = _fields(4, False)
LAYOUTS = {
    "u1": _fields(1, True),
    "u2": _fields(2, False),
    "i2": _fields(2, False),
    "u3": _split_fields(2, 8),
    "u6": _split_fields(4, 4),
    "u4": _NIBBLES,
    "i4": _NIBBLES,
    "nf4": _NIBBLES,
    "f4e2m1": _NIBBLES,
}
"""The element types whose elements share bytes."""


def string_bounds(raw: memoryview, count: int | None = None) -> npt.NDArray[np.int64]:
    """Where the strings begin among the characters behind the table, and where the last ends; reads the table
    only.

    count: how many strings there must be; None for any number
    Raises:  ValueError saying what is wrong with the table
    """
    held = hold_strings(lambda start, size: raw[start : start + size], len(raw), count)
    return np.frombuffer(raw, "<i4", held + 1, 4).astype(np.int64)


def hold_strings(read: Callable[[int, int], Buffer], size: int, count: int | None = None) -> int:
    """How many strings a table holds, that many bytes of which read gives from a place on, a block at a time.

    size: of the table and the characters behind it, in bytes; count, and what is raised: as of string_bounds
    """
    if size < 8:
        raise ValueError(f"a table of strings starts with 8 bytes, and only {size} are there")
    held = int(np.frombuffer(read(0, 4), "<i4", 1)[0])
    if held < 0:
        raise ValueError(f"the table of strings counts {held} of them")
    characters = size - 4 * (held + 2)
    if characters < 0:
        raise ValueError(f"a table of {held} strings takes {4 * (held + 2)} bytes, and only {size} are there")
    if count is not None and held != count:
        raise ValueError(f"the table of strings counts {held} of them, the shape {count}")
    for first in range(0, held + 1, _BLOCK):
        block = np.frombuffer(read(4 + 4 * first, 4 * min(_BLOCK + 1, held + 1 - first)), "<i4").astype(
            np.int64
        )
        _hold_bounds(block, first, characters)
    return held


def _hold_bounds(bounds: npt.NDArray[np.int64], first: int, characters: int) -> None:
    """Demand that a part of a table makes sense. first: the number of the string that it starts with"""
    if bounds[0] < 0:
        raise ValueError(f"string {first} begins at character byte {bounds[0]}")
    if (drops := np.flatnonzero(np.diff(bounds) < 0)).size:
        k = int(drops[0])
        raise ValueError(
            f"string {first + k} begins at character byte {bounds[k]} and ends at {bounds[k + 1]}, before it"
            " begins"
        )
    if bounds[-1] > characters:
        k = max(int(np.flatnonzero(bounds > characters)[0]) - 1, 0)
        end = bounds[min(k + 1, len(bounds) - 1)]
        raise ValueError(f"string {first + k} ends at character byte {end}, and only {characters} are there")


def _strings(raw: memoryview, count: int) -> Array:
    bounds = string_bounds(raw, count).tolist()
    text = raw[4 * (len(bounds) + 1) :]
    strings = np.empty(count, object)
    for k in range(count):
        try:
            strings[k] = str(text[bounds[k] : bounds[k + 1]], "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"string {k} is not UTF-8: {error.reason} at its byte {error.start}") from None
    return strings


def _string_table(array: Array) -> bytes:
    encoded = [str(item).encode() for item in np.asarray(array, object).ravel()]
    sizes: list[Any] = [len(encoded), 0, *np.cumsum([len(item) for item in encoded], dtype=np.int64)]
    return np.array(sizes, "<i4").tobytes() + b"".join(encoded)
