"""Elements of which only bounds are known, as values functions combine them."""
from __future__ import annotations

from math import ceil, floor, inf, isfinite
from typing import Any

import numpy as np

from irops.values.dim import UNKNOWN, Bound, Dim
from irops.values.element import Array, ElementType


def lifted(array: Array) -> Array:
    """What is known of each element as a Dim: of known ones, all. Bounds may be fractions here; settled takes them away."""
    return np.asarray(np.frompyfunc(_lifted, 1, 1)(array), dtype=object)


def settled(dim: Dim, kind: ElementType) -> Dim:
    """What is known of an element of a type, given bounds of what was computed without limits.

    Integers that do not fit wrap around, and then nothing is known; a size without upper bound is taken to fit. Floating-point results
    are rounded; their bounds are drawn outward to whole numbers, so that no op need know of others.
    """
    if kind.floating:
        return _whole(_rounded(dim.low, kind), _rounded(dim.high, kind), dim)
    low, high = kind.extent
    fits = (dim.low >= low or dim.low == -inf) and (dim.high <= high or dim.high == inf)
    return dim if fits else Dim(low, high)


def _lifted(item: Any) -> Dim:
    if isinstance(item, Dim):
        return item
    number = item if isinstance(item, int) else float(item)
    if not isfinite(number):
        return UNKNOWN                           # no interval holds NaN, and infinities would make it
    return Dim.of(int(number)) if number == int(number) else Dim(number, number)


def _rounded(bound: Bound, kind: ElementType) -> float:
    return float(np.asarray(float(bound)).astype(kind.dtype))


def _whole(low: float, high: float, dim: Dim) -> Dim:
    whole = Dim(floor(low) if isfinite(low) else -inf, ceil(high) if isfinite(high) else inf)
    return dim if whole == dim else whole
