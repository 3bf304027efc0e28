"""Smaller and simpler arrays in place of one: shorter axes, plainer types, lower numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged, zeros

PLAIN = ("f32", "i32")
FEW = 8
"""A vector of at most this many elements may contain axes, sizes or lengths."""


def shorter(size: int, smallest: int = 0) -> Iterator[slice]:
    """Shorter slices of an axis, from its start and from its end."""
    for length in dict.fromkeys((smallest, 1, size // 2, size - 1)):
        if smallest <= length < size:
            yield slice(0, length)
            yield slice(size - length, size)


def sliced(array: Array, axes: Collection[int], cut: slice) -> Array:
    """A copy of the slice of an array along some axes."""
    whole = slice(None)
    return array[tuple(cut if axis in axes else whole for axis in range(array.ndim))].copy()


def axes_of(array: Array, size: int) -> set[int]:
    """The axes of a size."""
    return {axis for axis, length in enumerate(array.shape) if length == size}


def in_plain_types(array: Array) -> Iterator[Array]:
    """The same numbers in a plain type."""
    kind = element_type_of(array)
    if kind is STRING or kind.name in PLAIN:
        return
    for plain in map(element_type, PLAIN):
        if (plain.floating, plain.integral) == (kind.floating, kind.integral):
            with np.errstate(all="ignore"):
                converted = array.astype(plain.dtype)
            yield converted


def counting(shape: tuple[int, ...], kind: ElementType) -> Array:
    """Consecutive numbers from 0, which start again where the type has no greater ones."""
    numbers = np.arange(int(np.prod(shape))) % (1000 if kind.bits > 8 else 2 ** (kind.bits - 1))
    return tagged(
        numbers.reshape(shape).astype(np.uint8 if kind.dtype == np.uint8 else np.float32).astype(kind.dtype),
        kind,
    )


def may_be_parameters(array: Array) -> bool:
    """Whether an array may contain axes, sizes or lengths. These are lowered; other arrays are replaced by
    consecutive numbers.
    """
    return array.ndim == 1 and array.size <= FEW


def lower_numbers(array: Array) -> Iterator[Array]:
    """The array with one positive element lowered."""
    kind = element_type_of(array)
    if not may_be_parameters(array) or not (kind.integral or kind.floating):
        return
    for index in np.ndindex(array.shape):
        number = float(array[index])
        if 0 < number < 2.0**53:
            for lower in dict.fromkeys((0, number // 2, number - 1)):
                if 0 <= lower < number:
                    changed = array.copy()
                    changed[index] = lower
                    yield changed


def plainer(array: Array) -> Iterator[Array]:
    """Arrays of the same type and shape that are easier to read, the easiest first, up to the array itself:
    zeros, ones, consecutive numbers, whole numbers.
    """
    kind = element_type_of(array)
    if kind is STRING or not array.size or not (kind.integral or kind.floating):
        return
    with np.errstate(all="ignore"):
        candidates = (
            zeros(array.shape, kind),
            np.ones(array.shape, np.uint8 if kind.dtype == np.uint8 else np.float32).astype(kind.dtype),
            counting(array.shape, kind),
            (np.rint(array.astype(np.float32)) + 0).astype(array.dtype) if kind.floating else array,
        )
    for candidate in candidates:
        plain = tagged(candidate, kind)
        if plain.tobytes() == array.tobytes():
            return
        yield plain
