"""Formulas of several NumPy calls, applied in blocks, so that temporary arrays stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from irops.values.element import Array

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
