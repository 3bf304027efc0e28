"""Dimensions, known or not: an interval of integers, and perhaps a name."""
from __future__ import annotations

from functools import reduce
from math import inf
from typing import TypeAlias

from irops.values.violation import Violation

Bound: TypeAlias = int | float    # an integer, or plus or minus infinity
DimLike: TypeAlias = "Dim | int"


class Dim:
    """What is known of one integer: that it lies in low..high, and perhaps the symbol that names it.

    The sizes of axes are 0 or more; entries of shape-like tensors (the pattern of a Reshape) may be negative.
    Comparisons ask whether they *can* be true, so that a requirement fails only where it surely fails.
    """

    __slots__ = ("high", "low", "symbol")

    def __init__(self, low: Bound, high: Bound, symbol: str | None = None) -> None:
        if low > high:
            raise ValueError(f"an interval from {low} to {high} is empty")
        self.low, self.high, self.symbol = low, high, symbol

    @staticmethod
    def of(value: DimLike) -> Dim:
        """The Dim that is surely value."""
        if isinstance(value, Dim):
            return value
        return _SMALL[value] if 0 <= value < len(_SMALL) else Dim(value, value)

    @property
    def known(self) -> bool:
        return self.low == self.high

    def __int__(self) -> int:
        if self.low != self.high:
            raise ValueError(f"{self} is not one number")
        return int(self.low)

    def __eq__(self, other: object) -> bool:
        """Whether the same is known of both; use can_be to ask whether they may be equal."""
        if isinstance(other, Dim):
            return self.low == other.low and self.high == other.high
        return self.low == self.high == other

    def __hash__(self) -> int:
        return hash(self.low) if self.low == self.high else hash((self.low, self.high))

    def __str__(self) -> str:
        if self.low == self.high:
            return str(self.low)
        if self.low <= 0 and self.high == inf:
            return "?"
        return f"{'' if self.low <= 0 else self.low}..{'' if self.high == inf else self.high}"

    def __repr__(self) -> str:
        return f"Dim({self.low}, {self.high}{'' if self.symbol is None else f', {self.symbol!r}'})"

    def can_be(self, other: DimLike) -> bool:
        other = Dim.of(other)
        return self.low <= other.high and other.low <= self.high

    def __le__(self, other: DimLike) -> bool:
        return self.low <= Dim.of(other).high

    def __lt__(self, other: DimLike) -> bool:
        return self.low < Dim.of(other).high

    def __ge__(self, other: DimLike) -> bool:
        return self.high >= Dim.of(other).low

    def __gt__(self, other: DimLike) -> bool:
        return self.high > Dim.of(other).low

    def __add__(self, other: DimLike) -> Dim:
        other = Dim.of(other)
        if other == 0:
            return self
        return Dim(self.low + other.low, self.high + other.high, self.symbol if self == 0 and other.symbol else None)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Dim(-self.high, -self.low)

    def __sub__(self, other: DimLike) -> Dim:
        other = Dim.of(other)
        if other == 0:
            return self
        return Dim(self.low - other.high, self.high - other.low)

    def __rsub__(self, other: DimLike) -> Dim:
        return Dim.of(other) - self

    def __mul__(self, other: DimLike) -> Dim:
        other = Dim.of(other)
        if other == 1:
            return self
        if self == 1:
            return other
        corners = [_times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Dim(min(corners), max(corners))

    __rmul__ = __mul__

    def __floordiv__(self, other: DimLike) -> Dim:
        """The quotient, rounded down; a divisor of 0 has none, so the divisor is taken not to be 0."""
        other = Dim.of(other)
        if other == 1:
            return self
        parts = _without_zero(other)
        if not parts:
            return UNKNOWN
        corners = [_over(a, b) for part in parts for a in (self.low, self.high) for b in (part.low, part.high)]
        return Dim(min(corners), max(corners))

    def __rfloordiv__(self, other: DimLike) -> Dim:
        return Dim.of(other) // self

    def __mod__(self, other: DimLike) -> Dim:
        """The remainder of the quotient rounded down: of the sign of the divisor, which is taken not to be 0."""
        found = [_modulo(self, part) if part.low > 0 else -_modulo(-self, -part) for part in _without_zero(Dim.of(other))]
        return reduce(Dim.union, found) if found else UNKNOWN

    def __rmod__(self, other: DimLike) -> Dim:
        return Dim.of(other) % self

    def ceil_div(self, other: DimLike) -> Dim:
        """The quotient, rounded up."""
        return -(-self // other)

    def at_least(self, low: int) -> Dim:
        """max(self, low): what is known of the greater of the two."""
        if low <= self.low:
            return self
        return Dim(low, max(low, self.high))

    def at_most(self, high: int) -> Dim:
        """min(self, high): what is known of the lesser of the two."""
        if self.high <= high:
            return self
        return Dim(min(self.low, high), high)

    def union(self, other: DimLike) -> Dim:
        """What is known of a number that is one of the two."""
        other = Dim.of(other)
        symbol = self.symbol if self.symbol == other.symbol else None
        return Dim(min(self.low, other.low), max(self.high, other.high), symbol)

    def named(self, symbol: str | None) -> Dim:
        """The same interval under a symbol; a known number needs none."""
        return self if self.known or symbol == self.symbol else Dim(self.low, self.high, symbol)


def _times(a: Bound, b: Bound) -> Bound:
    return 0 if a == 0 or b == 0 else a * b


def _over(a: Bound, b: Bound) -> Bound:
    if abs(a) == inf:
        return a if b > 0 else -a
    if abs(b) == inf:
        return 0 if (a >= 0) == (b > 0) or a == 0 else -1
    return a // b


def _without_zero(divisor: Dim) -> list[Dim]:
    """What is left of an interval of integers when 0 is cut out."""
    if divisor.low > 0 or divisor.high < 0:
        return [divisor]
    below = [Dim(divisor.low, -1)] if divisor.low < 0 else []
    return below + ([Dim(1, divisor.high)] if divisor.high > 0 else [])


def _modulo(number: Dim, divisor: Dim) -> Dim:
    """number modulo a divisor that is positive."""
    if number.low >= 0 and number.high < divisor.low:
        return number
    if divisor.known and abs(number.low) != inf and number.low // divisor.low == number.high // divisor.low:
        return Dim(number.low % divisor.low, number.high % divisor.low)
    return Dim(0, min(divisor.high - 1, number.high if number.low >= 0 else inf))


_SMALL = tuple(Dim(n, n) for n in range(4097))
ANY = Dim(0, inf)
"""The size of an axis of which nothing is known."""
UNKNOWN = Dim(-inf, inf)
"""An integer of which nothing is known."""


def unify(a: DimLike, b: DimLike, constraint: str) -> Dim:
    """What is known of two dimensions that must be equal.

    Raises:  Violation(constraint) if they surely differ
    """
    a, b = Dim.of(a), Dim.of(b)
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low > high:
        raise Violation(constraint, f"got {a} and {b}")
    if low == high:
        return Dim.of(int(low))
    return Dim(low, high, a.symbol or b.symbol)


def broadcast(a: DimLike, b: DimLike, constraint: str) -> Dim:
    """The size of an axis where sizes a and b meet under NumPy's rule: equal, or one of them 1.

    Raises:  Violation(constraint) if they surely neither are equal nor is one of them 1
    """
    a, b = Dim.of(a), Dim.of(b)
    if a == 1:
        return b
    if b == 1:
        return a
    if a.symbol is not None and a.symbol == b.symbol:
        return unify(a, b, constraint)
    if not a.can_be(1) and not b.can_be(1):
        return unify(a, b, constraint)
    if not a.can_be(1):
        return a
    if not b.can_be(1):
        return b
    return a.union(b)


def slack(size: DimLike, window: DimLike, constraint: str) -> Dim:
    """How far a window can slide within an axis.

    Units:   elements along the axis, 0 or more
    Raises:  Violation(constraint) if the window is surely longer than the axis
    Source:  OpenVINO 2026.4, Convolution-1, explicit and valid padding
    """
    size, window = Dim.of(size), Dim.of(window)
    free = size - window
    if free.high < 0:
        raise Violation(constraint, f"got a window of {window} on {size} elements")
    return free.at_least(0)


def minimum(a: DimLike, b: DimLike) -> Dim:
    """What is known of the lesser of two numbers."""
    a, b = Dim.of(a), Dim.of(b)
    return a if a.high <= b.low else b if b.high <= a.low else Dim(min(a.low, b.low), min(a.high, b.high))


def maximum(a: DimLike, b: DimLike) -> Dim:
    """What is known of the greater of two numbers."""
    a, b = Dim.of(a), Dim.of(b)
    return a if a.low >= b.high else b if b.low >= a.high else Dim(max(a.low, b.low), max(a.high, b.high))
