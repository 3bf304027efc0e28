"""Converts between elements as OpenVINO stores them and arrays in memory."""

from codecs import getincrementaldecoder
from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irops.values.element import CODED, DYNAMIC, STRING, Array, ElementType, tagged

Buffer = bytes | bytearray | memoryview
Codes = npt.NDArray[np.uint8]
_BLOCK = 1 << 18
"""The number of entries of a string table that are checked at one time."""
_CHUNK = 1 << 20
"""The number of bytes of characters that are decoded at one time."""


class BitLayout(NamedTuple):
    """How codes of less than 8 bits share bytes. A group of elements fills whole bytes: 4 of u6 fill 3."""

    elements: int
    bytes: int
    split: Callable[[Codes], Codes]  # [groups, bytes] -> [groups, elements]
    join: Callable[[Codes], Codes]  # the inverse


def packed_size(element: ElementType, count: int) -> int:
    """The number of bytes that count stored elements take, in exact integers.

    Raises:  ValueError for string and dynamic, whose elements have no fixed size
    """
    if element.bits == 0:
        raise ValueError(f"elements of type {element} have no fixed size")
    layout = LAYOUTS.get(element.name)
    if layout is None:
        return count * (element.bits // 8)
    return -(-count // layout.elements) * layout.bytes


def unpack(raw: Buffer, element: ElementType, shape: tuple[int, ...]) -> Array:
    """The tensor stored in raw: a view of raw, or a new array if elements share bytes or are strings.

    Raises:  ValueError if raw is too short, or its string table is corrupt
    """
    count = prod(shape)
    if element is STRING:
        return _strings(memoryview(raw), count).reshape(shape)
    needed = packed_size(element, count)
    if len(raw) < needed:
        raise ValueError(f"{element}{list(shape)} has {len(raw)} bytes, must have {needed}")
    layout = LAYOUTS.get(element.name)
    if layout is None:
        return np.frombuffer(raw, element.dtype, count).reshape(shape)
    groups = np.frombuffer(raw, np.uint8, needed).reshape(-1, layout.bytes)
    codes = np.ascontiguousarray(layout.split(groups)).ravel()[:count]
    return _of_codes(codes, element).reshape(shape)  # reshape last: NumPy turns 0-d arrays into scalars


def pack(array: Array, element: ElementType) -> bytes:
    """The bytes that store the elements of an array; the inverse of unpack."""
    if element is STRING:
        encoded = [str(item).encode() for item in np.asarray(array, object).ravel()]
        sizes: list[Any] = [len(encoded), 0, *np.cumsum([len(item) for item in encoded], dtype=np.int64)]
        return np.array(sizes, "<i4").tobytes() + b"".join(encoded)
    if element is DYNAMIC:
        raise ValueError("the element type is dynamic, must be known to store a tensor")
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
    """Codes converted to the dtype of the element type. ml_dtypes stores a code in the low bits of a byte."""
    if element.name in CODED:
        return tagged(codes, element)
    return codes.view(element.dtype)


def _codes_of(array: Array, element: ElementType) -> Codes:
    if element.name in CODED:
        codes = np.asarray(array, np.uint8)
    else:
        codes = np.ascontiguousarray(array, element.dtype).view(np.uint8)
    return codes & np.uint8((1 << element.bits) - 1)


def _fields(bits: int, first_high: bool) -> BitLayout:
    """The layout of bit fields in one byte, with the first element in the high or in the low bits."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    if first_high:
        shifts = shifts[::-1]
    mask = np.uint8((1 << bits) - 1)

    def split(groups: Codes) -> Codes:
        codes = np.empty((len(groups), len(shifts)), np.uint8)
        for field, shift in enumerate(shifts):
            np.right_shift(groups[:, 0], shift, out=codes[:, field])
        codes &= mask
        return codes

    def join(codes: Codes) -> Codes:
        joined: Codes = codes[:, :1] << shifts[0]
        for field in range(1, len(shifts)):
            joined |= codes[:, field : field + 1] << shifts[field]
        return joined

    return BitLayout(8 // bits, 1, split, join)


def _split_fields(low_bits: int, elements: int) -> BitLayout:
    """The layout of u3 and u6: two bytes of low bits and one of high bits, the first element highest."""
    low, high = _fields(low_bits, True), _fields(8 // elements, True)

    def split(groups: Codes) -> Codes:
        lows = low.split(groups[:, :2].reshape(-1, 1)).reshape(-1, elements)
        return lows | (high.split(groups[:, 2:]) << np.uint8(low_bits))

    def join(codes: Codes) -> Codes:
        lows = low.join((codes & np.uint8((1 << low_bits) - 1)).reshape(-1, elements // 2)).reshape(-1, 2)
        return np.concatenate((lows, high.join(codes >> np.uint8(low_bits))), axis=1)

    return BitLayout(elements, 3, split, join)


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
"""The element types whose elements share bytes. The orders of their bits are those of OpenVINO."""


def string_bounds(raw: memoryview, count: int | None = None) -> npt.NDArray[np.int64]:
    """The start offset of each string in the characters after the table, and the end of the last one.

    Reads the table only. count: the required number of strings; None for any number
    Raises:  ValueError with the first error in the table
    """
    strings = checked_string_count(lambda start, size: raw[start : start + size], len(raw), count)
    return np.frombuffer(raw, "<i4", strings + 1, 4).astype(np.int64)


def checked_string_count(read: Callable[[int, int], Buffer], size: int, count: int | None = None) -> int:
    """Check a string table block by block, and return the number of its strings.

    read: returns size bytes from an offset; size: bytes of the table and its characters; count and errors: as
    in string_bounds.
    """
    if size < 8:  # a count and the first offset, of 4 bytes each
        raise ValueError(f"the string table has {size} bytes, must have at least 8")
    strings = int(np.frombuffer(read(0, 4), "<i4", 1)[0])
    if strings < 0:
        raise ValueError(f"the string table has a count of {strings}, must be 0 or greater")
    characters = size - 4 * (strings + 2)
    if characters < 0:
        raise ValueError(
            f"the string table has {size} bytes, must have at least {4 * (strings + 2)} for {strings} strings"
        )
    if count is not None and strings != count:
        raise ValueError(f"the string table has {strings} strings, must have {count} for its shape")
    for first in range(0, strings + 1, _BLOCK):
        raw = read(4 + 4 * first, 4 * min(_BLOCK + 1, strings + 1 - first))
        _check_bounds(np.frombuffer(raw, "<i4").astype(np.int64), first, characters)
    return strings


def check_strings(read: Callable[[int, int], Buffer], size: int, count: int) -> None:
    """Check a string table and the characters of its strings, block by block.

    read, size, count: as in checked_string_count
    Raises:  ValueError with the first error
    """
    strings = checked_string_count(read, size, count)
    table = 4 * (strings + 2)
    for first in range(0, strings, _BLOCK):
        raw = read(4 + 4 * first, 4 * (min(_BLOCK, strings - first) + 1))
        bounds = np.frombuffer(raw, "<i4").astype(np.int64)
        text = memoryview(read(table + int(bounds[0]), int(bounds[-1] - bounds[0]))).cast("B")
        if not _are_utf8(text, bounds[:-1] - bounds[0]):
            for k, (start, end) in enumerate(pairwise((bounds - bounds[0]).tolist())):
                _decoded(text[start:end], first + k)


def _are_utf8(text: memoryview, starts: npt.NDArray[np.int64]) -> bool:
    """Whether all strings that lie one after the other are valid: the whole is, and no string starts within a
    character.
    """
    octets = np.frombuffer(text, np.uint8)
    if (octets[starts[starts < len(octets)]] & 0xC0 == 0x80).any():
        return False
    decoder = getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(text), _CHUNK):
            decoder.decode(text[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(raw: memoryview, number: int) -> str:
    """The characters of the string of a number. Raises: ValueError"""
    try:
        return str(raw, "utf-8")
    except UnicodeDecodeError as error:
        message = f"string {number} is not valid UTF-8: {error.reason} at byte {error.start}"
        raise ValueError(message) from None


def _check_bounds(bounds: npt.NDArray[np.int64], first: int, characters: int) -> None:
    """Check a block of bounds in a string table. first: the index of its first string"""
    if bounds[0] < 0:
        raise ValueError(f"string {first} starts at byte {bounds[0]}, must start at 0 or greater")
    if (drops := np.flatnonzero(np.diff(bounds) < 0)).size:
        k = int(drops[0])
        raise ValueError(
            f"string {first + k} ends at byte {bounds[k + 1]}, must end at its start {bounds[k]} or later"
        )
    if bounds[-1] > characters:
        k = max(int(np.flatnonzero(bounds > characters)[0]) - 1, 0)
        end = bounds[min(k + 1, len(bounds) - 1)]
        raise ValueError(f"string {first + k} ends at byte {end}, must end within the {characters} bytes")


def _strings(raw: memoryview, count: int) -> Array:
    bounds = string_bounds(raw, count).tolist()
    text = raw[4 * (len(bounds) + 1) :]
    strings = np.empty(count, object)
    for k in range(count):
        strings[k] = _decoded(text[bounds[k] : bounds[k + 1]], k)
    return strings
