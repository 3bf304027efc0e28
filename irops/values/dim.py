"""Dimensions, static or dynamic: an interval of integers, with a symbol where the number has a name.

A symbol is a polynomial in named variables with integer coefficients. A variable may be the result of an
operation that is not a polynomial; its name is then the expression: ((batch - 1)//(2)), min(length, 64),
broadcast(n, m).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import gcd, inf
from typing import TypeAlias

from irops.values.violation import Violation

Bound: TypeAlias = int | float  # an integer, or plus or minus infinity
Interval: TypeAlias = tuple[Bound, Bound]
MAX_DIM = 2**63 - 1
"""The greatest size. As an end of an interval it is no bound, nor is a greater one; OpenVINO reads it so."""
HUGE = 2**1000
"""Larger products are not computed: they would double in length with every factor, and Python cannot multiply
integers from 2**1024 on by infinity.
"""


def product(a: Interval, b: Interval) -> Interval:
    """The interval of all products; beyond HUGE it is only known that they are at least HUGE."""
    corners = [0 if x == 0 or y == 0 else x * y for x in a for y in b]
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
    arguments: "tuple[Symbol, ...]" = field(default=(), compare=False)


Monomial = tuple[Atom, ...]
Terms = tuple[tuple[Monomial, int], ...]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A polynomial; equal symbols are equal numbers. terms: sorted, with nonzero coefficients."""

    terms: Terms

    @staticmethod
    def named(name: str, bounds: Interval = (0, inf)) -> "Symbol":
        return Symbol((((Atom(name, bounds),), 1),))

    @staticmethod
    def constant(number: int) -> "Symbol":
        return Symbol((((), number),) if number else ())

    @property
    def number(self) -> int | None:
        """The value of a symbol without variables; None if it has variables."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def __str__(self) -> str:
        # the constant is the first of the sorted terms, and people write it last
        return " + ".join(_spelled(*term) for term in reversed(self.terms)).replace("+ -", "- ") or "0"

    def plus(self, other: "Symbol") -> "Symbol | None":
        total = dict(self.terms)
        for monomial, coefficient in other.terms:
            total[monomial] = total.get(monomial, 0) + coefficient
        return _simplified(total)

    def minus(self, other: "Symbol") -> "Symbol | None":
        return self.plus(Symbol(tuple((m, -c) for m, c in other.terms)))

    def times(self, other: "Symbol") -> "Symbol | None":
        total: dict[Monomial, int] = {}
        for a, x in self.terms:
            for b, y in other.terms:
                monomial = tuple(sorted(a + b))
                total[monomial] = total.get(monomial, 0) + x * y
        return _simplified(total)

    def over(self, other: "Symbol", bounds: Interval) -> "Symbol | None":
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
            return _simplified(whole | {(): whole.get((), 0) + broken.number // n})
        name = _quotient_name(broken, other, quotient(broken.bounds, other.bounds) if whole else bounds)
        return None if name is None else name.plus(Symbol(tuple(whole.items())))

    def applied(self, function: str, other: "Symbol", bounds: Interval) -> "Symbol | None":
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

    def _arguments_of(self, function: str) -> "tuple[Symbol, ...]":
        """The arguments of the function if this is one; otherwise itself."""
        match self.terms:
            case (((Atom(function=applied, arguments=arguments),), 1),) if applied == function:
                return arguments
        return (self,)

    def modulo(self, other: "Symbol", bounds: Interval) -> "Symbol | None":
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

    def factors(self) -> "tuple[int, list[Symbol]]":
        """A number and symbols whose product is this symbol: variables common to all terms, and the rest."""
        content = reduce(gcd, (c for _, c in self.terms), 0)
        if not content:
            return 0, []
        shared = reduce(lambda a, b: a & b, (Counter(m) for m, _ in self.terms))
        terms = ((Counter(m) - shared, c // content) for m, c in self.terms)
        rest = Symbol(tuple(sorted((tuple(sorted(m.elements())), c) for m, c in terms)))
        names = [Symbol((((atom,), 1),)) for atom in shared.elements()]
        return content, names if rest.number == 1 else [*names, rest]


def _spelled(monomial: Monomial, coefficient: int) -> str:
    names = "*".join(atom.name for atom in monomial)
    if not names:
        return str(coefficient)
    return {1: "", -1: "-"}.get(coefficient, f"{coefficient}*") + names


def _simplified(terms: Mapping[Monomial, int]) -> Symbol | None:
    kept = tuple(sorted((m, c) for m, c in terms.items() if c))
    return Symbol(kept) if len(kept) <= MAX_TERMS and all(len(m) <= MAX_DEGREE for m, _ in kept) else None


def _quotient_name(a: Symbol, b: Symbol, bounds: Interval) -> Symbol | None:
    name = f"(({a})//({b}))"
    return Symbol.named(name, bounds) if len(name) <= MAX_NAME_LENGTH else None


__all__ = ["ANY", "UNKNOWN", "Bound", "Dim", "DimLike", "broadcast", "maximum", "minimum", "slack", "unify"]

DimLike: TypeAlias = "Dim | int"
GENERATED_PREFIX = "#"
"""The prefix of names that inference generates; names given by callers cannot start with it."""
MAX_ZERO_WITH = 4
"""More symbols are dropped, which is less precise, but never wrong."""


class Dim:
    """An integer that is known to be in low..high, with an optional symbol. Ends beyond 63 bits are infinite.

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
        if low != high:
            high, low = inf if high >= MAX_DIM else high, -inf if low <= -MAX_DIM else low
        self.low, self.high, self.symbol, self.zero_with = low, high, symbol, zero_with

    @staticmethod
    def of(value: DimLike) -> "Dim":
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

    def __add__(self, other: DimLike) -> "Dim":
        other = Dim.of(other)
        if other.low == other.high == 0:
            return self
        if self.low == self.high == 0:
            return other
        return _joined((self.low + other.low, self.high + other.high), self, other, Symbol.plus)

    __radd__ = __add__

    def __neg__(self) -> "Dim":
        return Dim.of(0) - self

    def __sub__(self, other: DimLike) -> "Dim":
        other = Dim.of(other)
        if other.low == other.high == 0:
            return self
        return _joined((self.low - other.high, self.high - other.low), self, other, Symbol.minus)

    def __rsub__(self, other: DimLike) -> "Dim":
        return Dim.of(other) - self

    def __mul__(self, other: DimLike) -> "Dim":
        other = Dim.of(other)
        if other.low == other.high == 1:
            return self
        if self.low == self.high == 1:
            return other
        return _joined(product(self.bounds, other.bounds), self, other, Symbol.times)

    __rmul__ = __mul__

    def __floordiv__(self, other: DimLike) -> "Dim":
        """The quotient, rounded down. The divisor is assumed not to be 0."""
        other = Dim.of(other)
        if other == 1:
            return self
        bounds = quotient(self.bounds, other.bounds)
        return _joined(bounds, self, other, lambda a, b: a.over(b, bounds))

    def __rfloordiv__(self, other: DimLike) -> "Dim":
        return Dim.of(other) // self

    def __mod__(self, other: DimLike) -> "Dim":
        """The remainder with the sign of the divisor, as in Python. The divisor is assumed not to be 0."""
        other = Dim.of(other)
        bounds = remainder(self.bounds, other.bounds)
        return _joined(bounds, self, other, lambda a, b: a.modulo(b, quotient(self.bounds, other.bounds)))

    def __rmod__(self, other: DimLike) -> "Dim":
        return Dim.of(other) % self

    def ceil_div(self, other: DimLike) -> "Dim":
        """The quotient, rounded up."""
        other = Dim.of(other)
        return (self + (other - 1)) // other if other.known and other > 0 else -(-self // other)

    def at_least(self, low: int) -> "Dim":
        """max(self, low)."""
        return maximum(self, low)

    def at_most(self, high: int) -> "Dim":
        """min(self, high)."""
        return minimum(self, high)

    def union(self, other: DimLike) -> "Dim":
        """The smallest Dim that contains both."""
        other = Dim.of(other)
        symbol = self.symbol if self.symbol == other.symbol else None
        return Dim(min(self.low, other.low), max(self.high, other.high), symbol)

    def named(self, name: str | Symbol | None) -> "Dim":
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


_SMALL = tuple(Dim(n, n) for n in range(4097))  # made once: most sizes of models are among them
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
                low, high = factor.bounds
                if content > 0:
                    low = max(low, -(-size.low // content)) if size.low != -inf else low
                    high = min(high, size.high // content) if size.high != inf else high
                self.sizes[factor] = Dim(low, high, factor) if low <= high else Dim(*factor.bounds, factor)
            else:
                self.sizes[factor] = Dim(*_nonzero(*factor.bounds, size.low > 0), factor)

    def without(self, other: "Product") -> Dim:
        """The product of the unknown factors, except the named ones that other has too."""
        remaining = self.rest
        for factor in (self.named - other.named).elements():
            remaining *= self.sizes[factor]
        return remaining


def _nonzero(low: Bound, high: Bound, positive: bool) -> tuple[Bound, Bound]:
    """The bounds of a factor. If the product is positive, the factor is not 0."""
    return (max(low, 1) if positive and low >= 0 else low, min(high, -1) if positive and high <= 0 else high)


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
