"""Elements that reveal a conversion of the element type: values that narrower types cannot represent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irops.values.element import Array, ElementType, element_type, element_types, foreign_types, tagged

TYPES = tuple(kind for kind in (*element_types(), *foreign_types()) if kind.kind != "dynamic")


def distinguishing_elements(kind: ElementType) -> Array:
    """Three elements of a type: its extremes, or numbers that rounding changes, and small ones."""
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
    element_type_ = element_type(kind)
    row: Array = _row(values, element_type_.dtype)[0]
    return tagged(row, element_type_)


def _row(values: Sequence[object], dtype: Any) -> Array:
    array: Array = np.empty((1, len(values)), dtype)
    array[0] = values
    return array


def _floats(kind: ElementType) -> Array:
    """The largest number, the smallest positive one, and a fraction."""
    import ml_dtypes

    about = ml_dtypes.finfo(kind.dtype)  # type: ignore[no-untyped-call]
    return np.array([[about.max, about.smallest_subnormal, 0.3]], kind.dtype)
