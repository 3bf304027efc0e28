"""Functions of real numbers on arrays of any type, block by block."""

from collections.abc import Callable, Iterator

import numpy as np

from irops.ops.conversion import as_numbers, low_bits, nearest
from irops.values.element import Array, element_type_of

BLOCK_ELEMENTS = 1 << 14
"""The elements of a block: few enough for the cache, enough that the calls of NumPy cost little."""


def in_blocks(formula: Callable[[Array], Array], data: Array) -> Array:
    """Apply an elementwise formula to data. The result has the type of data."""
    if data.size <= BLOCK_ELEMENTS:
        return np.asarray(formula(data), data.dtype)
    result = np.empty(data.shape, data.dtype)
    elements, results = data.reshape(-1), result.reshape(-1)
    for block in blocks(data.size, 1):
        results[block] = formula(elements[block])
    return result


def blocks(items: int, elements: int, of: int = BLOCK_ELEMENTS) -> Iterator[slice]:
    """Slices that divide items into blocks.

    elements: of an item; of: the elements of a block, which has at least one item
    """
    each = max(of // max(elements, 1), 1)
    return (slice(start, start + each) for start in range(0, items, each))


Function = Callable[[Array], Array]


def on_reals(function: Function, data: Array) -> Array:
    """Apply a function of real numbers to each element. For integers it is computed in f64, and the result is
    rounded to the nearest integer of their type, halves to even.
    """
    kind = element_type_of(data)
    return nearest(function(as_numbers(data).astype("f8")), kind) if kind.integral else function(data)


def on_numbers(function: Function, data: Array) -> Array:
    """Apply to each element a function that maps integers to integers. Integers are computed as integers, and
    wrap around.
    """
    kind = element_type_of(data)
    return low_bits(function(as_numbers(data)), kind) if kind.integral else function(data)


def elements_at(maps: Array, y: Array, x: Array, inside: Array) -> Array:
    """The elements of maps[C, H, W] at rows y and columns x, in every channel: [C, ...]. 0 where `inside` is
    False; there, too, y and x are indices of elements.
    """
    channels, height, width = maps.shape
    elements: Array = maps.reshape(channels, height * width).take(y * width + x, axis=1)
    return elements if inside.all() else np.where(inside, elements, elements.dtype.type(0))
