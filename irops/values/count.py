"""Counts of elements: what two products that must be equal say of each other's factors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import gcd, inf

from irops.values.dim import ANY, Dim, DimLike
from irops.values.interval import Bound
from irops.values.symbol import Symbol


class Product:
    """A product of sizes: the number that is known of it, its named factors, each as often as it occurs, and
    all the rest in one.
    """

    __slots__ = ("named", "number", "rest", "sizes")

    def __init__(self, sizes: Iterable[DimLike]) -> None:
        self.number, self.rest = 1, Dim.of(1)
        self.named: Counter[Symbol] = Counter()
        self.sizes: dict[Symbol, Dim] = {}
        for size in map(Dim.of, sizes):
            if size.known:
                self.number *= int(size)
            elif size.symbol is None:
                self.rest *= size
            else:
                self._take(size, size.symbol)

    def _take(self, size: Dim, symbol: Symbol) -> None:
        content, symbols = symbol.factors()
        self.number *= content
        self.named.update(symbols)
        for factor in symbols:
            self.sizes[factor] = (
                size if factor == symbol else Dim(*_nonzero(*factor.bounds, size.low > 0), factor)
            )

    def without(self, other: Product) -> Dim:
        """What is left of the factors that are not known, less those that the other has too."""
        left = self.rest
        for factor in (self.named - other.named).elements():
            left *= self.sizes[factor]
        return left


def _nonzero(low: Bound, high: Bound, positive: bool) -> tuple[Bound, Bound]:
    """The bounds of a factor, where its product is positive: it is not 0 then."""
    return (max(low, 1) if positive and low >= 0 else low, min(high, -1) if positive and high <= 0 else high)


def missing_factor(whole: Iterable[DimLike], parts: Iterable[DimLike]) -> Dim | None:
    """What is known of x where the product of parts and x is the product of whole; None if there surely is no
    such x.

    Sizes that cancel out because their symbols are equal are taken not to be 0: else x could be anything.
    """
    numerator, denominator = Product(whole), Product(parts)
    above, below = numerator.without(denominator), denominator.without(numerator)
    n, d = numerator.number, denominator.number
    if d == 0:
        return ANY if n == 0 or above.low <= 0 else None
    if n == 0:
        return ANY if below.low <= 0 else Dim.of(0)
    n, d = n // gcd(n, d), d // gcd(n, d)
    if below == 1:  # d divides what is left, since it shares nothing with n
        multiple = _between(above, Dim.of(d))
        return None if multiple is None else multiple * n
    return _between(above * n, below * d)


def _between(number: Dim, divisor: Dim) -> Dim | None:
    """What is known of number / divisor where that is whole; None if it surely is not."""
    if divisor == 1:
        return number
    low: Bound = min(number.low, 1) if divisor.high == inf else -(-number.low // divisor.high)
    high: Bound = number.high
    if divisor.low > 0 and high != inf:
        high //= divisor.low
    elif divisor.low <= 0 and number.low <= 0:
        high = inf  # 0 / 0 may be anything
    if low > high:
        return None
    ratio = number // divisor
    if ratio.known and low <= ratio.low <= high:
        return ratio
    return Dim.of(int(low)) if low == high else Dim(low, high, ratio.symbol)
