"""Formulas of several NumPy calls, applied in blocks, so that temporary arrays stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable

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
    for start in range(0, data.size, BLOCK_ELEMENTS):
        block = slice(start, start + BLOCK_ELEMENTS)
        results[block] = formula(elements[block])
    return result
