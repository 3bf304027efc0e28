"""Dimensions, static or dynamic: an interval of integers with an optional symbol."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeAlias

from irops.values.interval import Bound, Interval, product, quotient, remainder
from irops.values.symbol import Symbol
from irops.values.violation import Violation

__all__ = ["ANY", "UNKNOWN", "Bound", "Dim", "DimLike", "broadcast", "maximum", "minimum", "slack", "unify"]

DimLike: TypeAlias = "Dim | int"
GENERATED_PREFIX = "#"
"""The prefix of names that inference generates; names given by callers cannot start with it."""
MAX_ZERO_WITH = 4
"""More symbols are dropped, which is less precise, but never wrong."""


class Dim:
    """An integer that is known to be in low..high, with an optional symbol.

    Equal symbols are equal numbers. Arithmetic propagates symbols (batch*heads, past + 1), so that terms
    which cancel out leave an exact result. Sizes of axes are 0 or greater; elements of shape-like tensors
    (the pattern of a Reshape) may be negative.
    Comparisons return whether they *can* be true, so that a constraint fails only if it certainly fails.
    zero_with: further symbols of which each is 0 only if this size is 0; see broadcast.
    """

    __slots__ = ("high", "low", "symbol", "zero_with")

    def __init__(
        self, low: Bound, high: Bound, symbol: Symbol | None = None, zero_with: tuple[Symbol, ...] = ()
    ) -> None:
        if low > high:
            raise ValueError(f"an interval from {low} to {high} is empty")
        self.low, self.high, self.symbol, self.zero_with = low, high, symbol, zero_with

    @staticmethod
    def of(value: DimLike) -> Dim:
        """The Dim with exactly this value; a Dim is returned as it is."""
        if type(value) is int:
            return _SMALL[value] if 0 <= value < len(_SMALL) else Dim(value, value)
        return value if isinstance(value, Dim) else Dim(value, value)

    @property
    def known(self) -> bool:
        """Whether the interval contains one number only."""
        return self.low == self.high

    def __int__(self) -> int:
        if self.low != self.high:
            raise ValueError(f"{self} is dynamic, must be one number")
        return int(self.low)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same bounds; use can_be to ask whether the numbers can be equal."""
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

    @property
    def spelled(self) -> str:
        """The symbol, if it consists of names given by the caller: batch, 2*length; otherwise as str."""
        text = "" if self.symbol is None else str(self.symbol)
        return text if text and GENERATED_PREFIX not in text else str(self)

    def __repr__(self) -> str:
        return f"Dim({self.low}, {self.high}{'' if self.symbol is None else f', {str(self.symbol)!r}'})"

    @property
    def bounds(self) -> Interval:
        return self.low, self.high

    def can_be(self, other: DimLike) -> bool:
        """Whether the two numbers can be equal."""
        low, high = _difference(self, Dim.of(other))
        return low <= 0 <= high

    def __le__(self, other: DimLike) -> bool:
        return _difference(self, Dim.of(other))[0] <= 0

    def __lt__(self, other: DimLike) -> bool:
        return _difference(self, Dim.of(other))[0] < 0

    def __ge__(self, other: DimLike) -> bool:
        return _difference(self, Dim.of(other))[1] >= 0

    def __gt__(self, other: DimLike) -> bool:
        return _difference(self, Dim.of(other))[1] > 0

    def __add__(self, other: DimLike) -> Dim:
        other = Dim.of(other)
        if other.low == other.high == 0:
            return self
        if self.low == self.high == 0:
            return other
        return _joined((self.low + other.low, self.high + other.high), self, other, Symbol.plus)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Dim.of(0) - self

    def __sub__(self, other: DimLike) -> Dim:
        other = Dim.of(other)
        if other.low == other.high == 0:
            return self
        return _joined((self.low - other.high, self.high - other.low), self, other, Symbol.minus)

    def __rsub__(self, other: DimLike) -> Dim:
        return Dim.of(other) - self

    def __mul__(self, other: DimLike) -> Dim:
        other = Dim.of(other)
        if other.low == other.high == 1:
            return self
        if self.low == self.high == 1:
            return other
        return _joined(product(self.bounds, other.bounds), self, other, Symbol.times)

    __rmul__ = __mul__

    def __floordiv__(self, other: DimLike) -> Dim:
        """The quotient, rounded down. The divisor is assumed not to be 0."""
        other = Dim.of(other)
        if other == 1:
            return self
        bounds = quotient(self.bounds, other.bounds)
        return _joined(bounds, self, other, lambda a, b: a.over(b, bounds))

    def __rfloordiv__(self, other: DimLike) -> Dim:
        return Dim.of(other) // self

    def __mod__(self, other: DimLike) -> Dim:
        """The remainder with the sign of the divisor, as in Python. The divisor is assumed not to be 0."""
        other = Dim.of(other)
        bounds = remainder(self.bounds, other.bounds)
        return _joined(bounds, self, other, lambda a, b: a.modulo(b, quotient(self.bounds, other.bounds)))

    def __rmod__(self, other: DimLike) -> Dim:
        return Dim.of(other) % self

    def ceil_div(self, other: DimLike) -> Dim:
        """The quotient, rounded up."""
        other = Dim.of(other)
        return (self + (other - 1)) // other if other.known and other > 0 else -(-self // other)

    def at_least(self, low: int) -> Dim:
        """max(self, low)."""
        return maximum(self, low)

    def at_most(self, high: int) -> Dim:
        """min(self, high)."""
        return minimum(self, high)

    def union(self, other: DimLike) -> Dim:
        """The smallest Dim that contains both."""
        other = Dim.of(other)
        symbol = self.symbol if self.symbol == other.symbol else None
        return Dim(min(self.low, other.low), max(self.high, other.high), symbol)

    def named(self, name: str | Symbol | None) -> Dim:
        """The same interval with a new name, with a symbol, or with none; a known number is unchanged."""
        if self.known:
            return self
        symbol = Symbol.named(name, self.bounds) if isinstance(name, str) else name
        return Dim(self.low, self.high, symbol, () if symbol is None else self.zero_with)


def _symbol(dim: Dim) -> Symbol | None:
    return Symbol.constant(int(dim.low)) if dim.known and isinstance(dim.low, int) else dim.symbol


def _joined(bounds: Interval, a: Dim, b: Dim, join: Callable[[Symbol, Symbol], Symbol | None]) -> Dim:
    """The result of an operation on two dims: bounds, intersected with those of the joined symbol."""
    if a.symbol is None and b.symbol is None:
        return Dim(*bounds)
    left, right = _symbol(a), _symbol(b)
    symbol = None if left is None or right is None else join(left, right)
    if symbol is None:
        return Dim(*bounds)
    lower, upper = symbol.bounds
    low, high = max(bounds[0], lower), min(bounds[1], upper)
    if low > high:  # contradictory bounds, reported where the contradiction arose
        return Dim(*bounds)
    return Dim.of(int(low)) if low == high else Dim(low, high, symbol)


def _applied(function: str, a: Dim, b: Dim, bounds: Interval) -> Dim:
    """A function of two dims that is not a polynomial, with a symbol if both have one."""
    if bounds[0] == bounds[1] and isinstance(bounds[0], int):
        return Dim.of(bounds[0])
    left, right = _symbol(a), _symbol(b)
    return Dim(*bounds, None if left is None or right is None else left.applied(function, right, bounds))


def _difference(a: Dim, b: Dim) -> Interval:
    """The bounds of a - b."""
    low, high = a.low - b.high, a.high - b.low
    if a.symbol is not None and b.symbol is not None and (symbol := a.symbol.minus(b.symbol)) is not None:
        lower, upper = symbol.bounds
        return max(low, lower), min(high, upper)
    return low, high


_SMALL = tuple(Dim(n, n) for n in range(4097))
ANY = Dim(0, inf)
"""An unknown size of an axis."""
UNKNOWN = Dim(-inf, inf)
"""An unknown integer."""


def unify(a: DimLike, b: DimLike, constraint: str) -> Dim:
    """The intersection of two dimensions that must be equal.

    Raises:  Violation(constraint) if they certainly differ
    """
    a, b = Dim.of(a), Dim.of(b)
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low > high:
        raise Violation(constraint, f"got {a} and {b}")
    if low == high:
        return Dim.of(int(low))
    return _zero_with(Dim(low, high, a.symbol or b.symbol), a, b)


def _zero_with(size: Dim, a: Dim, b: Dim) -> Dim:
    """The size with the symbols of a and b, where it is 0 if one of them is."""
    if a.symbol is b.symbol and not a.zero_with and not b.zero_with:
        return size
    symbols = dict.fromkeys((a.symbol, b.symbol, *a.zero_with, *b.zero_with))
    kept = [symbol for symbol in symbols if symbol is not None and symbol != size.symbol]
    return Dim(size.low, size.high, size.symbol, tuple(kept[:MAX_ZERO_WITH])) if kept else size


def broadcast(a: DimLike, b: DimLike, constraint: str) -> Dim:
    """The size of an axis after NumPy broadcasting of sizes a and b: they are equal, or one of them is 1.

    Raises:  Violation(constraint) if they certainly differ and neither is 1
    """
    a, b = Dim.of(a), Dim.of(b)
    if a == 1:
        return b
    if b == 1:
        return a
    return _zero_with(_broadcast(a, b, constraint), a, b)


def _broadcast(a: Dim, b: Dim, constraint: str) -> Dim:
    if a.symbol is not None and a.symbol == b.symbol:
        return unify(a, b, constraint)
    if not a.can_be(1) and not b.can_be(1):
        return unify(a, b, constraint)
    if not a.can_be(1):
        return a
    if not b.can_be(1):
        return b
    return _applied("broadcast", a, b, a.union(b).bounds)


def slack(size: DimLike, window: DimLike, constraint: str) -> Dim:
    """The number of elements, 0 or greater, by which a window can be shifted along an axis: size - window.

    Raises:  Violation(constraint) if the window is certainly longer than the axis
    Source:  OpenVINO 2026.4, Convolution-1, explicit and valid padding
    """
    size, window = Dim.of(size), Dim.of(window)
    free = size - window
    if free.high < 0:
        raise Violation(constraint, f"got a window of {window} on {size} elements")
    return Dim(max(free.low, 0), free.high, free.symbol)


def minimum(a: DimLike, b: DimLike) -> Dim:
    """The smaller of two numbers."""
    a, b = Dim.of(a), Dim.of(b)
    if not a > b:
        return a
    return _applied("min", a, b, (min(a.low, b.low), min(a.high, b.high))) if b > a else b


def maximum(a: DimLike, b: DimLike) -> Dim:
    """The greater of two numbers."""
    a, b = Dim.of(a), Dim.of(b)
    if not a < b:
        return a
    return _applied("max", a, b, (max(a.low, b.low), max(a.high, b.high))) if b < a else b
