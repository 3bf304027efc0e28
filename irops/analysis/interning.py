"""Equal Shapes, and equal Facts without a value, as one object: what depends on them is found by identity."""

from __future__ import annotations

from irops.values.dim import Dim
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.symbol import Symbol


class Interning:
    """The Shapes and Facts of one run of inference. All that are interned stay alive as long as this does.

    Two Shapes count as equal only if they agree in everything: bounds, symbols, the bounds of the variables
    that symbols consist of, and what is 0 together with a size.
    """

    def __init__(self) -> None:
        self._shapes: dict[object, Shape] = {}
        self._interned: set[int] = set()  # ids of the Shapes above
        self._facts: dict[tuple[str, int], Fact] = {}  # by element type and id of the Shape
        self._symbols: dict[object, int] = {}
        self._seen: dict[int, tuple[int, Symbol]] = {}  # by id, which is that of a Symbol as long as it lives

    def shape(self, shape: Shape) -> Shape:
        """The Shape that stands for all that are equal to this one."""
        if id(shape) in self._interned:
            return shape
        dims = shape.dims
        key = None if dims is None else tuple([self._dim(dim) for dim in dims])
        interned = self._shapes.get(key)
        if interned is None:
            interned = self._shapes[key] = shape
            self._interned.add(id(shape))
        return interned

    def form(self, fact: Fact) -> Fact:
        """The Fact without a value of the same element type and Shape."""
        form = self._facts.get((fact.element_type.name, id(fact.shape)))
        if form is not None:
            return form
        shape = self.shape(fact.shape)
        key = (fact.element_type.name, id(shape))
        form = self._facts.get(key)
        if form is None:
            form = self._facts[key] = Fact(fact.element_type, shape)
        return form

    def fact(self, fact: Fact) -> Fact:
        """An equal Fact: the one that stands for all of its form, where it has no value."""
        form = self.form(fact)
        if not fact.may_have_value:
            return form
        return fact if fact.shape is form.shape else fact.with_shape(form.shape)

    def _dim(self, dim: Dim) -> object:
        low, high = dim.low, dim.high
        if low == high and type(low) is int and dim.symbol is None and not dim.zero_with:
            return low
        symbols = [self._symbol(symbol) for symbol in (dim.symbol, *dim.zero_with) if symbol is not None]
        return (low, type(low), high, type(high), dim.symbol is None, *symbols)

    def _symbol(self, symbol: Symbol) -> int:
        seen = self._seen.get(id(symbol))
        if seen is not None:
            return seen[0]
        key = tuple(
            (tuple((a.name, a.bounds, tuple(map(self._symbol, a.arguments))) for a in monomial), coefficient)
            for monomial, coefficient in symbol.terms
        )
        number = self._symbols.setdefault(key, len(self._symbols))
        self._seen[id(symbol)] = (number, symbol)
        return number
