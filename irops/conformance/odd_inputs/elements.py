"""Elements that tell whether a type is kept: what narrower types cannot hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irops.values.element import Array, ElementType, element_type, element_types, foreign_types, tagged

TYPES = tuple(kind for kind in (*element_types(), *foreign_types()) if kind.kind != "dynamic")


def telling(kind: ElementType) -> Array:
    """Three elements of a type: its ends, or numbers that rounding changes, and small ones."""
    if kind.kind == "string":
        return _row(["a", "", "dé"], object)
    if kind.kind == "boolean":
        return _row([True, False, False], np.bool_)
    if kind.kind == "complex":
        return _row([1 + 2j, -0.1j, 3e-9], kind.dtype)
    if kind.kind == "lookup":
        return tagged(np.array([[15, 0, 1]], np.uint8), kind)
    if kind.floating:
        return _floats(kind)
    low, high = map(int, kind.extent)
    return tagged(
        np.array([[high, low, high - 1]], np.uint64 if low == 0 else np.int64).astype(kind.dtype), kind
    )


def lengths(kind: str, *values: float | str) -> Array:
    """A vector of any element type."""
    found = element_type(kind)
    row: Array = _row(values, found.dtype)[0]
    return tagged(row, found)


def _row(values: Sequence[object], dtype: Any) -> Array:
    array: Array = np.empty((1, len(values)), dtype)
    array[0] = values
    return array


def _floats(kind: ElementType) -> Array:
    """The greatest and the least number above 0, and a fraction."""
    import ml_dtypes

    about = ml_dtypes.finfo(kind.dtype)  # type: ignore[no-untyped-call]
    return np.array([[about.max, about.smallest_subnormal, 0.3]], kind.dtype)
