"""Writing rows into a tensor by index, with or without a reduction."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.values.element import BOOLEAN, Array, element_type_of

NUMBERS: dict[str, np.ufunc] = {
    "sum": np.add,
    "sub": np.subtract,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
FLAGS: dict[str, np.ufunc] = {
    "sum": np.logical_or,
    "max": np.logical_or,
    "prod": np.logical_and,
    "min": np.logical_and,
    "sub": np.logical_xor,
}


def scattered(
    rows: Array, indices: Array, updates: Array, reduction: str, use_init_val: bool = True
) -> Array:
    """A copy of rows with updates written at indices, or combined with the rows there by a reduction.

    Without a reduction, the last update of an index remains. With use_init_val, the original rows take
    part in the reduction.
    """
    result = rows.copy()
    if reduction == "none":
        result[indices] = updates
        return result
    kind = element_type_of(rows)
    if kind is BOOLEAN:
        if not use_init_val:
            result[indices] = reduction in ("prod", "min")
        FLAGS[reduction].at(result, indices, updates)
        return result
    numbers, update_numbers = as_numbers(rows).copy(), as_numbers(updates)
    if reduction == "mean":
        return _means(rows, numbers, indices, update_numbers, use_init_val)
    if not use_init_val:
        numbers[indices] = _neutral(reduction, numbers.dtype)
    NUMBERS[reduction].at(numbers, indices, update_numbers)
    return converted(numbers, kind)


def _means(rows: Array, numbers: Array, indices: Array, updates: Array, use_init_val: bool) -> Array:
    """A copy of rows with means at indices; means of integers are rounded down."""
    kind = element_type_of(rows)
    counts = np.bincount(indices, minlength=len(rows)).reshape(-1, *(1,) * (rows.ndim - 1))
    sums = numbers.astype(np.float64 if kind.floating else np.int64)
    if not use_init_val:
        sums[indices] = 0
    np.add.at(sums, indices, updates.astype(sums.dtype))
    divisors = np.maximum(counts + use_init_val, 1)
    means = sums / divisors if kind.floating else sums // divisors
    return np.where(counts > 0, converted(means, kind), rows)


def _neutral(reduction: str, dtype: np.dtype[Any]) -> Any:
    """The neutral element of a reduction."""
    if reduction in ("min", "max"):
        real = dtype.kind == "f"
        ends = (np.inf, -np.inf) if real else (np.iinfo(dtype).max, np.iinfo(dtype).min)
        return ends[reduction == "max"]
    return int(reduction == "prod")
