"""Symbols of unknown numbers: polynomials in named variables with integer coefficients.

A variable may be the result of an operation that is not a polynomial; its name is then the expression:
((batch - 1)//(2)), min(length, 64), broadcast(n, m).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import gcd, inf

from irops.values.interval import Bound, Interval, product, quotient

MAX_TERMS, MAX_DEGREE, MAX_NAME_LENGTH = 12, 8, 240
"""Larger polynomials are dropped: the number then has no symbol, which is less precise, but never wrong."""


@dataclass(frozen=True, order=True, slots=True)
class Atom:
    """A named variable, and the bounds of its value.

    function: min, max or broadcast, if the variable is that of arguments; otherwise empty.
    """

    name: str
    bounds: Interval = field(compare=False)
    function: str = field(default="", compare=False)
    arguments: tuple[Symbol, ...] = field(default=(), compare=False)


Monomial = tuple[Atom, ...]
Terms = tuple[tuple[Monomial, int], ...]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A polynomial; equal symbols are equal numbers. terms: sorted, with nonzero coefficients."""

    terms: Terms

    @staticmethod
    def named(name: str, bounds: Interval = (0, inf)) -> Symbol:
        return Symbol((((Atom(name, bounds),), 1),))

    @staticmethod
    def constant(number: int) -> Symbol:
        return Symbol((((), number),) if number else ())

    @property
    def number(self) -> int | None:
        """The value of a symbol without variables; None if it has variables."""
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
        """The quotient, rounded down; the divisor is assumed not to be 0.

        If it is not a polynomial, the result is a new variable with bounds.
        """
        if self == other:
            return Symbol.constant(1)
        if len(other.terms) != 1:
            return _quotient_name(self, other, bounds)
        ((divisor, n),) = other.terms
        whole: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for monomial, c in self.terms:
            left = Counter(monomial)
            left.subtract(divisor)
            if not monomial and not divisor and c % n:  # one form for (x - 1)//2 + 1 and (x + 1)//2
                whole[()], rest[()] = divmod(c, n)
            elif c % n or min(left.values(), default=0) < 0:
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

    def applied(self, function: str, other: Symbol, bounds: Interval) -> Symbol | None:
        """min, max or broadcast of two numbers, as a new variable with bounds.

        Arguments that are such a function themselves are merged, and repeated arguments occur once.
        """
        parts = {str(part): part for symbol in (self, other) for part in symbol._arguments_of(function)}
        if len(parts) == 1:
            return next(iter(parts.values()))
        names = sorted(parts, key=lambda name: (parts[name].number is not None, name))
        name = f"{function}({', '.join(names)})"
        if len(name) > MAX_NAME_LENGTH:
            return None
        return Symbol((((Atom(name, bounds, function, tuple(parts[n] for n in names)),), 1),))

    def _arguments_of(self, function: str) -> tuple[Symbol, ...]:
        """The arguments of the function if this is one; otherwise itself."""
        match self.terms:
            case (((Atom(function=applied, arguments=arguments),), 1),) if applied == function:
                return arguments
        return (self,)

    def modulo(self, other: Symbol, bounds: Interval) -> Symbol | None:
        """The remainder of the quotient rounded down. bounds: of the quotient"""
        ratio = self.over(other, bounds)
        multiple = None if ratio is None else ratio.times(other)
        return None if multiple is None else self.minus(multiple)

    @property
    def bounds(self) -> Interval:
        """The smallest and the greatest possible value, by interval arithmetic on the variables."""
        low: Bound = 0
        high: Bound = 0
        for monomial, c in self.terms:
            ends: Interval = (c, c)
            for atom in monomial:
                ends = product(ends, atom.bounds)
            low, high = low + ends[0], high + ends[1]
        return low, high

    def factors(self) -> tuple[int, list[Symbol]]:
        """A number and symbols whose product is this symbol: variables common to all terms, and the rest."""
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
    return Symbol(kept) if len(kept) <= MAX_TERMS and all(len(m) <= MAX_DEGREE for m, _ in kept) else None


def _quotient_name(a: Symbol, b: Symbol, bounds: Interval) -> Symbol | None:
    name = f"(({a})//({b}))"
    return Symbol.named(name, bounds) if len(name) <= MAX_NAME_LENGTH else None
