"""Intervals of elements (Dims), as values functions combine them; the Dims of a short list of integers.

The bounds of floating-point elements may be fractions; `whole` widens an interval to integer bounds.
"""

from collections.abc import Callable
from math import ceil, floor, inf, isfinite
from typing import Any

import numpy as np

from irops.values.dim import UNKNOWN, Bound, Dim
from irops.values.element import Array, ElementType
from irops.values.fact import Fact


def entries(numbers: Fact | None, count: int, absent: int = 1) -> tuple[Dim, ...]:
    """The Dim of each of `count` numbers: unknown if the values are unknown, `absent` if there is no list."""
    if numbers is None:
        return (Dim.of(absent),) * count
    dims = numbers.dims
    return (UNKNOWN,) * count if dims is None else dims


def as_dims(array: Array) -> Array:
    """Every element as a Dim; a known number becomes an interval of one value."""
    return np.asarray(np.frompyfunc(_as_dim, 1, 1)(array), dtype=object)


def stored_dim(dim: Dim, kind: ElementType) -> Dim:
    """The Dim of an exact result after it is stored in an element type: floats are rounded to the type.

    A type of less than 32 bits represents so few integers that the symbol is dropped. Integers that wrap
    around are handled by elements_of.
    """
    if not kind.floating:
        return dim
    number = dim if kind.bits >= 32 else Dim(dim.low, dim.high)
    return rounding(number, lambda bound: _stored(bound, kind))


def monotone(dim: Dim, function: Callable[[Bound], Bound]) -> Dim:
    """The image of an interval under a function that never decreases, without a symbol: even if both bounds
    are mapped to themselves, the numbers between them need not be. Infinite bounds stay infinite.
    """
    low = _plain(function(dim.low), -inf) if dim.low != -inf else -inf
    high = _plain(function(dim.high), inf) if dim.high != inf else inf
    return Dim(low, high)


def rounding(dim: Dim, function: Callable[[Bound], Bound]) -> Dim:
    """The image of an interval under a rounding function, which maps every integer to itself: the symbol,
    which stands for an integer, stays if the bounds do not change.
    """
    image = monotone(dim, function)
    return Dim(image.low, image.high, dim.symbol if image.bounds == dim.bounds else None)


def whole(dim: Dim) -> Dim:
    """The interval widened to integer bounds."""
    return Dim(
        floor(dim.low) if dim.low != -inf else -inf, ceil(dim.high) if dim.high != inf else inf, dim.symbol
    )


def _as_dim(item: Any) -> Dim:
    if isinstance(item, (Dim, int)):
        return Dim.of(int(item) if isinstance(item, bool) else item)
    number = float(item)
    if not isfinite(number):  # no interval contains NaN
        return UNKNOWN
    return Dim(_plain(number, inf), _plain(number, inf))


def _stored(bound: Bound, kind: ElementType) -> float:
    """A bound rounded to a floating-point type."""
    try:
        return float(np.asarray(float(bound)).astype(kind.dtype))
    except OverflowError:  # an integer beyond f64
        return inf if bound > 0 else -inf


def _plain(bound: Bound, end: float) -> Bound:
    """A bound as an int if it is an integer; `end`, -inf or inf, if it is not finite."""
    if isinstance(bound, int):
        return bound
    if not isfinite(bound):
        return end
    return int(bound) if bound == int(bound) else bound
