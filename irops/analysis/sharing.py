"""What equal layers share in one run of inference: a layer with the same invocation and the same Facts of
its inputs has the same Facts of its outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from irops.analysis.structure import LayerNode
from irops.invocation import Invocation
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.values.dim import Dim, Symbol
from irops.values.fact import Fact, Value
from irops.values.shape import Shape

Inputs: TypeAlias = Sequence[Fact | None]
Outputs = list[Fact]
Key = tuple[object, ...]
"""An invocation, a number of outputs, and Facts, of which each stands for itself alone."""


class WatchedFact(Fact):
    """A Fact that notes whether its value is asked for, or whether there is one."""

    __slots__ = ("is_read", "original")

    def __init__(self, original: Fact) -> None:
        self.element_type, self.shape, self.depth = original.element_type, original.shape, original.depth
        self.original, self.is_read = original, False

    @property
    def known(self) -> Value:
        self.is_read = True
        return self.original.known

    @property
    def may_have_value(self) -> bool:
        self.is_read = True
        return self.original.may_have_value

    def force(self) -> None:
        self.is_read = True
        self.original.force()

    def with_shape(self, shape: Shape) -> Fact:
        self.is_read = True
        return self.original.with_shape(shape)


class Sharing:
    """The results of one run of inference. results: of layers of which all is the same, values included;
    constants: Facts without a value, for invocations that differ from one only in the place of their bytes;
    forms: makes equal Facts one object.

    Results without values are shared by more layers, of which only the types and shapes of the inputs are
    the same, and those values that inference reads: a MatMul does not read its weights.
    """

    def __init__(self) -> None:
        self.results: dict[Key, Outputs] = {}
        self.constants: dict[Invocation | None, Fact] = {}
        self.forms = Interning()
        self._by_form: dict[Key, list[tuple[tuple[int, ...], dict[Key, Outputs]]]] = {}
        self._is_pure: dict[str, bool] = {}

    def allows(self, op: Op) -> bool:
        """Whether layers of an op may share results: functions from elsewhere may have effects."""
        pure = self._is_pure.get(op.id)
        if pure is None:
            definition = op.definition
            pure = not (definition.stateful or definition.bodies or is_extension(op.module))
            self._is_pure[op.id] = pure
        return pure

    def outputs(
        self,
        node: LayerNode,
        inputs: Inputs,
        infer: Callable[[LayerNode, Inputs], Sequence[Fact]],
        warnings: Sequence[object],
    ) -> Outputs:
        """The outputs of a layer, without values that follow from those of inputs.

        infer: gives the outputs for inputs; warnings: that it gives, with which nothing is shared
        """
        invocation, form = node.invocation, self.forms.form
        assert invocation is not None
        general = invocation.like or invocation
        key = (general, len(node.layer.outputs), *[None if fact is None else form(fact) for fact in inputs])
        by_reads = self._by_form.get(key, ())
        for reads, by_values in by_reads:
            outputs = by_values.get(tuple([inputs[index] for index in reads]))
            if outputs is not None:
                return outputs
        watched = [None if fact is None else WatchedFact(fact) for fact in inputs]
        outputs = [self._own(fact) for fact in infer(node, watched)]
        if not warnings:
            reads = tuple([index for index, fact in enumerate(watched) if fact is not None and fact.is_read])
            self._keep(key, reads, inputs, outputs)
        return outputs

    def _own(self, fact: Fact) -> Fact:
        """The Fact that a function gives; of an input that it gives back, all counts as read."""
        if isinstance(fact, WatchedFact):
            fact.is_read = True
            fact = fact.original
        return self.forms.fact(fact)

    def _keep(self, key: Key, reads: tuple[int, ...], inputs: Inputs, outputs: Outputs) -> None:
        by_reads = self._by_form.setdefault(key, [])
        values = tuple([inputs[index] for index in reads])
        for others, by_values in by_reads:
            if others == reads:
                by_values[values] = outputs
                return
        by_reads.append((reads, {values: outputs}))


# Equal Shapes, and equal Facts without a value, as one object: what depends on them is found by identity.


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
