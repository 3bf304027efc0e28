"""Rows put at places of a tensor, replaced or combined with what is there."""

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


def scattered(rows: Array, places: Array, updates: Array, reduction: str, use_init_val: bool = True) -> Array:
    """Rows, with updates put at places, the last one staying where one place is named twice; or combined by a
    reduction.

    use_init_val: whether what is there takes part in the combination.
    """
    result = rows.copy()
    if reduction == "none":
        result[places] = updates
        return result
    kind = element_type_of(rows)
    if kind is BOOLEAN:
        if not use_init_val:
            result[places] = reduction in ("prod", "min")
        FLAGS[reduction].at(result, places, updates)
        return result
    numbers, news = as_numbers(rows).copy(), as_numbers(updates)
    if reduction == "mean":
        return _means(rows, numbers, places, news, use_init_val)
    if not use_init_val:
        numbers[places] = _neutral(reduction, numbers.dtype)
    NUMBERS[reduction].at(numbers, places, news)
    return converted(numbers, kind)


def _means(rows: Array, numbers: Array, places: Array, updates: Array, use_init_val: bool) -> Array:
    """Rows whose named ones are means; of integers, rounded down."""
    kind = element_type_of(rows)
    counts = np.bincount(places, minlength=len(rows)).reshape(-1, *(1,) * (rows.ndim - 1))
    sums = numbers.astype(np.float64 if kind.floating else np.int64)
    if not use_init_val:
        sums[places] = 0
    np.add.at(sums, places, updates.astype(sums.dtype))
    divisors = np.maximum(counts + use_init_val, 1)
    means = sums / divisors if kind.floating else sums // divisors
    return np.where(counts > 0, converted(means, kind), rows)


def _neutral(reduction: str, dtype: np.dtype[Any]) -> Any:
    """The number that changes nothing."""
    if reduction in ("min", "max"):
        real = dtype.kind == "f"
        ends = (np.inf, -np.inf) if real else (np.iinfo(dtype).max, np.iinfo(dtype).min)
        return ends[reduction == "max"]
    return int(reduction == "prod")
