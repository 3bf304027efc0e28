"""What equal layers share in one run of inference: a layer with the same invocation and the same Facts of
its inputs has the same Facts of its outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from irops.analysis.interning import Interning
from irops.analysis.structure import LayerNode
from irops.invocation import Invocation
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.values.fact import Fact, Value
from irops.values.shape import Shape

Inputs = Sequence[Fact | None]
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
