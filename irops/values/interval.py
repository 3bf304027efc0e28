"""Interval arithmetic on integers."""

from __future__ import annotations

from math import inf
from typing import TypeAlias

Bound: TypeAlias = int | float  # an integer, or plus or minus infinity
Interval: TypeAlias = tuple[Bound, Bound]
HUGE = 2**1000
"""Larger products are not computed: they would double in length with every factor, and Python cannot multiply
integers from 2**1024 on by infinity.
"""


def product(a: Interval, b: Interval) -> Interval:
    """The interval of all products; beyond HUGE it is only known that they are at least HUGE."""
    corners = [_times(x, y) for x in a for y in b]
    low, high = min(corners), max(corners)
    if low >= -HUGE and high <= HUGE:
        return low, high
    return -inf if low < -HUGE else min(low, HUGE), inf if high > HUGE else max(high, -HUGE)


def quotient(a: Interval, b: Interval) -> Interval:
    """a // b, rounded down; b is assumed not to be 0."""
    corners = [_over(x, y) for part in _without_zero(b) for x in a for y in part]
    return (min(corners), max(corners)) if corners else (-inf, inf)


def remainder(a: Interval, b: Interval) -> Interval:
    """a % b, with the sign of b; b is assumed not to be 0."""
    parts = [
        _modulo(a, part) if part[0] > 0 else _negative(_modulo(_negative(a), _negative(part)))
        for part in _without_zero(b)
    ]
    return (min(low for low, _ in parts), max(high for _, high in parts)) if parts else (-inf, inf)


def _negative(a: Interval) -> Interval:
    return -a[1], -a[0]


def _times(a: Bound, b: Bound) -> Bound:
    return 0 if a == 0 or b == 0 else a * b


def _over(a: Bound, b: Bound) -> Bound:
    if abs(a) == inf:
        return a if b > 0 else -a
    if abs(b) == inf:
        return 0 if (a >= 0) == (b > 0) or a == 0 else -1
    return a // b


def _without_zero(b: Interval) -> list[Interval]:
    """The parts of an interval of integers below and above 0."""
    low, high = b
    if low > 0 or high < 0:
        return [b]
    below: list[Interval] = [(low, -1)] if low < 0 else []
    return below + ([(1, high)] if high > 0 else [])


def _modulo(a: Interval, b: Interval) -> Interval:
    """a % b for a positive b."""
    (low, high), (smallest, greatest) = a, b
    if low >= 0 and high < smallest:
        return a
    if smallest == greatest and abs(low) != inf and low // smallest == high // smallest:
        return low % smallest, high % smallest
    return 0, min(greatest - 1, high if low >= 0 else inf)
