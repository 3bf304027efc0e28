"""Names of numbers that are not known, and what arithmetic makes of them: whole polynomials in names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import gcd, inf

from irops.values.interval import Bound, Interval, product, quotient

MOST_TERMS, HIGHEST_DEGREE, LONGEST_NAME = 6, 8, 120
"""Beyond these a polynomial is given up: what it says is then no longer known, which is never wrong."""


@dataclass(frozen=True, order=True, slots=True)
class Atom:
    """One name, and the bounds of the number that it stands for."""

    name: str
    bounds: Interval = field(compare=False)


Monomial = tuple[Atom, ...]
Terms = tuple[tuple[Monomial, int], ...]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A polynomial in names with whole coefficients; equal symbols are equal numbers. terms: sorted, none of
    them 0.
    """

    terms: Terms

    @staticmethod
    def named(name: str, bounds: Interval = (0, inf)) -> Symbol:
        return Symbol((((Atom(name, bounds),), 1),))

    @staticmethod
    def constant(number: int) -> Symbol:
        return Symbol((((), number),) if number else ())

    @property
    def number(self) -> int | None:
        """The number that a symbol without names is."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def __str__(self) -> str:
        return " + ".join(_spelled(*term) for term in reversed(self.terms)).replace("+ -", "- ") or "0"

    def plus(self, other: Symbol) -> Symbol | None:
        total = dict(self.terms)
        for monomial, coefficient in other.terms:
            total[monomial] = total.get(monomial, 0) + coefficient
        return _symbol(total)

    def minus(self, other: Symbol) -> Symbol | None:
        return self.plus(Symbol(tuple((m, -c) for m, c in other.terms)))

    def times(self, other: Symbol) -> Symbol | None:
        total: dict[Monomial, int] = {}
        for a, x in self.terms:
            for b, y in other.terms:
                monomial = tuple(sorted(a + b))
                total[monomial] = total.get(monomial, 0) + x * y
        return _symbol(total)

    def over(self, other: Symbol, bounds: Interval) -> Symbol | None:
        """The quotient, rounded down, the divisor taken not to be 0; where no polynomial is that, a name with
        bounds.
        """
        if self == other:
            return Symbol.constant(1)
        if len(other.terms) != 1:
            return _quotient_name(self, other, bounds)
        ((divisor, n),) = other.terms
        whole, rest = {}, {}
        for monomial, c in self.terms:
            left = Counter(monomial)
            left.subtract(divisor)
            if c % n or min(left.values(), default=0) < 0:
                rest[monomial] = c
            else:
                whole[tuple(sorted(left.elements()))] = c // n
        if divisor and rest:
            return _quotient_name(self, other, bounds)
        broken = Symbol(tuple(rest.items()))  # floor((n*w + r) / n) = w + floor(r / n)
        if broken.number is not None:
            return _symbol(whole | {(): whole.get((), 0) + broken.number // n})
        name = _quotient_name(broken, other, quotient(broken.bounds, other.bounds) if whole else bounds)
        return None if name is None else name.plus(Symbol(tuple(whole.items())))

    def modulo(self, other: Symbol, bounds: Interval) -> Symbol | None:
        """The remainder of the quotient rounded down, whose bounds are given."""
        ratio = self.over(other, bounds)
        multiple = None if ratio is None else ratio.times(other)
        return None if multiple is None else self.minus(multiple)

    @property
    def bounds(self) -> Interval:
        """The least and the greatest that it can be, each name taken for itself."""
        low: Bound = 0
        high: Bound = 0
        for monomial, c in self.terms:
            ends: Interval = (c, c)
            for atom in monomial:
                ends = product(ends, atom.bounds)
            low, high = low + ends[0], high + ends[1]
        return low, high

    def factors(self) -> tuple[int, list[Symbol]]:
        """A number and symbols whose product it is: names that all terms share, and what is left."""
        content = reduce(gcd, (c for _, c in self.terms), 0)
        if not content:
            return 0, []
        shared = reduce(lambda a, b: a & b, (Counter(m) for m, _ in self.terms))
        rest = Symbol(
            tuple(
                sorted((tuple(sorted((Counter(m) - shared).elements())), c // content) for m, c in self.terms)
            )
        )
        names = [Symbol((((atom,), 1),)) for atom in shared.elements()]
        return content, names if rest.number == 1 else [*names, rest]


def _spelled(monomial: Monomial, coefficient: int) -> str:
    names = "*".join(atom.name for atom in monomial)
    if not names:
        return str(coefficient)
    return {1: "", -1: "-"}.get(coefficient, f"{coefficient}*") + names


def _symbol(terms: Mapping[Monomial, int]) -> Symbol | None:
    kept = tuple(sorted((m, c) for m, c in terms.items() if c))
    return (
        Symbol(kept) if len(kept) <= MOST_TERMS and all(len(m) <= HIGHEST_DEGREE for m, _ in kept) else None
    )


def _quotient_name(a: Symbol, b: Symbol, bounds: Interval) -> Symbol | None:
    name = f"(({a})//({b}))"
    return Symbol.named(name, bounds) if len(name) <= LONGEST_NAME else None
