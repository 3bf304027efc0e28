"""Elements of which only bounds are known, as values functions combine them.

Bounds of floating-point elements may be fractions; who needs whole numbers draws them outward.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, inf, isfinite
from typing import Any

import numpy as np

from irops.values.dim import UNKNOWN, Bound, Dim
from irops.values.element import Array, ElementType


def lifted(array: Array) -> Array:
    """What is known of each element as a Dim: of known ones, all."""
    return np.asarray(np.frompyfunc(_lifted, 1, 1)(array), dtype=object)


def settled(dim: Dim, kind: ElementType) -> Dim:
    """What is known of an element of a type, given bounds of what was computed without limits: of a float, as
    it is rounded.

    Under 32 bits rounding begins so soon that a number's name is given up. Integers that wrap around are
    elements_of's concern.
    """
    if not kind.floating:
        return dim
    number = dim if kind.bits >= 32 else Dim(dim.low, dim.high)
    return monotone(number, lambda bound: _stored(bound, kind))


def monotone(dim: Dim, function: Callable[[Bound], Bound]) -> Dim:
    """A number put through a function that never falls. Infinite bounds stay; a symbol stays where nothing
    changes.
    """
    low = _plain(function(dim.low), -inf) if dim.low != -inf else -inf
    high = _plain(function(dim.high), inf) if dim.high != inf else inf
    return Dim(low, high, dim.symbol if (low, high) == (dim.low, dim.high) else None)


def whole(dim: Dim) -> Dim:
    """Bounds drawn outward to whole numbers."""
    return Dim(
        floor(dim.low) if dim.low != -inf else -inf, ceil(dim.high) if dim.high != inf else inf, dim.symbol
    )


def _lifted(item: Any) -> Dim:
    if isinstance(item, (Dim, int)):
        return Dim.of(int(item) if isinstance(item, bool) else item)
    number = float(item)
    return (
        Dim(_plain(number, inf), _plain(number, inf)) if isfinite(number) else UNKNOWN
    )  # no interval holds NaN


def _stored(bound: Bound, kind: ElementType) -> float:
    """A bound as a floating type holds it."""
    try:
        return float(np.asarray(float(bound)).astype(kind.dtype))
    except OverflowError:  # an integer beyond f64
        return inf if bound > 0 else -inf


def _plain(bound: Bound, end: float) -> Bound:
    """A bound as an integer where it is one; where it is no number, the end of all numbers."""
    if isinstance(bound, int):
        return bound
    if not isfinite(bound):
        return end
    return int(bound) if bound == int(bound) else bound
