"""Products of dimensions: solving for a missing factor where two products must be equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import gcd, inf

from irops.values.dim import ANY, Bound, Dim, DimLike, Symbol


class Product:
    """A product of sizes, factored: number: the known factors; named: how often each symbol occurs; rest: the
    product of all other factors; sizes: the Dim of each symbol.
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
                self._add_factors(size, size.symbol)

    def _add_factors(self, size: Dim, symbol: Symbol) -> None:
        content, symbols = symbol.factors()
        self.number *= content
        self.named.update(symbols)
        for factor in symbols:
            if factor == symbol:
                self.sizes[factor] = size
            elif len(symbols) == 1:
                self.sizes[factor] = _scaled_down(size, content, factor)
            else:
                self.sizes[factor] = Dim(*_nonzero(*factor.bounds, size.low > 0), factor)

    def without(self, other: Product) -> Dim:
        """The product of the unknown factors, except the named ones that other has too."""
        remaining = self.rest
        for factor in (self.named - other.named).elements():
            remaining *= self.sizes[factor]
        return remaining


def _nonzero(low: Bound, high: Bound, positive: bool) -> tuple[Bound, Bound]:
    """The bounds of a factor. If the product is positive, the factor is not 0."""
    return (max(low, 1) if positive and low >= 0 else low, min(high, -1) if positive and high <= 0 else high)


def _scaled_down(size: Dim, content: int, factor: Symbol) -> Dim:
    """The Dim of the only factor of a size, which is content times the factor, within the bounds of both."""
    low, high = factor.bounds
    if content > 0:
        low = max(low, -(-size.low // content)) if size.low != -inf else low
        high = min(high, size.high // content) if size.high != inf else high
    return Dim(low, high, factor) if low <= high else Dim(*factor.bounds, factor)


def missing_factor(whole: Iterable[DimLike], parts: Iterable[DimLike]) -> Dim | None:
    """Solve product(parts) * x == product(whole) for x; None if there certainly is no solution.

    Sizes that cancel out because their symbols are equal are assumed not to be 0; otherwise x could be
    anything.
    """
    numerator, denominator = Product(whole), Product(parts)
    above, below = numerator.without(denominator), denominator.without(numerator)
    n, d = numerator.number, denominator.number
    if d == 0:
        return ANY if n == 0 or above.low <= 0 else None
    if n == 0:
        return ANY if below.low <= 0 else Dim.of(0)
    n, d = n // gcd(n, d), d // gcd(n, d)
    if below == 1:  # d divides above, since d and n have no common factor
        multiple = _between(above, Dim.of(d))
        return None if multiple is None else multiple * n
    return _between(above * n, below * d)


def _between(number: Dim, divisor: Dim) -> Dim | None:
    """number / divisor, which must be an integer; None if it certainly is not."""
    if divisor == 1:
        return number
    low: Bound = min(number.low, 1) if divisor.high == inf else -(-number.low // divisor.high)
    high: Bound = number.high
    if divisor.low > 0 and high != inf:
        high //= divisor.low
    elif divisor.low <= 0 and number.low <= 0:
        high = inf  # 0 / 0 is any number
    if low > high:
        return None
    ratio = number // divisor
    if ratio.known and low <= ratio.low <= high:
        return ratio
    return Dim.of(int(low)) if low == high else Dim(low, high, ratio.symbol)
