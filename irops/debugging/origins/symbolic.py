"""A model inferred twice: as declared, and with a symbol for every size of its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key
from irops.analysis.structure import GraphNode, LayerNode, Path
from irops.debugging.origins.expression import GENERATED, Expression
from irops.debugging.origins.sources import symbolic_inputs
from irops.ir.collection import no_collection
from irops.values.dim import Dim
from irops.values.shape import Shape

USUAL_SIZE = 48
"""The number for a dynamic size: divisible by many numbers, and not smaller than most windows."""
LayerKey = tuple[Path, int]
"""The path of a graph, and the id of a layer in it."""


@dataclass(frozen=True, slots=True)
class Birth:
    """Where inference gave a size a name of its own, since it has no expression: axis of an output."""

    name: str
    layer: LayerKey
    output: int
    axis: int


class SymbolicModel:
    """What is inferred of a model, with expressions for sizes. Immutable once built.

    inputs: the facts of inputs by position, with a symbol for every size; sources: these sizes by symbol;
    inferred: the facts that follow from inputs; declared: the facts for the shapes that the file or the
    caller gives; births: sizes without an expression, by the name (n7) that expressions give them.
    """

    def __init__(
        self, analysis: ModelAnalysis, inputs: Mapping[Key, Any] | None = None, *, generalised: bool = True
    ) -> None:
        """inputs: other shapes for the inputs, see irops.infer; generalised: static sizes get symbols, too"""
        self.analysis = analysis
        overrides = analysis.signature.facts(inputs or {})
        self.inputs, self.sources = symbolic_inputs(analysis, overrides, generalised=generalised)
        with no_collection():
            self.declared = analysis.infer(inputs)
            self.inferred = analysis.infer(self.inputs)
        self._graphs = dict(_graphs(self.inferred))
        self._declared_graphs = dict(_graphs(self.declared))
        self.formulas: dict[str, Expression | None] = {}
        """Formulas that fit births, by name, as far as they were looked for; see why.py."""
        self.births: dict[str, Birth] = {}
        for path, layer_facts in _layers(self.inferred):
            self._add_births((path, layer_facts.layer.id), layer_facts)

    def _add_births(self, key: LayerKey, layer_facts: LayerFacts) -> None:
        for output, fact in enumerate(layer_facts.outputs):
            for axis, size in enumerate(fact.shape.dims or ()):
                for number in GENERATED.findall("" if size.symbol is None else str(size.symbol)):
                    self.births.setdefault(f"n{number}", Birth(f"n{number}", key, output, axis))

    def graph(self, path: Path) -> GraphNode:
        return self.analysis.by_path[path]

    def node(self, key: LayerKey) -> LayerNode:
        return self.graph(key[0]).layers[key[1]]

    def facts(self, key: LayerKey) -> LayerFacts:
        """What is inferred of a layer with symbols; nothing where its body was not inferred."""
        return self._facts(self._graphs, key)

    def declared_facts(self, key: LayerKey) -> LayerFacts:
        """What is inferred of a layer for the declared shapes; nothing where its body was not inferred."""
        return self._facts(self._declared_graphs, key)

    def concrete_facts(self, key: LayerKey) -> LayerFacts:
        """What is inferred of a layer where every input size is one number; see numbers."""
        return self._facts(self._concrete_graphs, key)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """A number for every source: the declared size, or one that suits most models."""
        return {
            name: int(min(max(USUAL_SIZE, source.declared.low, 1), max(source.declared.high, 1)))
            for name, source in self.sources.items()
        }

    @cached_property
    def _concrete_graphs(self) -> Mapping[Path, Inferred]:
        return dict(_graphs(self.inferred_at(self.numbers)))

    def inferred_at(self, numbers: Mapping[str, int]) -> Inferred:
        """What is inferred for these sizes of the sources."""
        facts = {
            position: fact.with_shape(Shape(_number(size, numbers) for size in fact.shape.dims))
            for position, fact in self.inputs.items()
            if fact.shape.dims is not None
        }
        with no_collection():
            return self.analysis.infer(facts)

    def _facts(self, graphs: Mapping[Path, Inferred], key: LayerKey) -> LayerFacts:
        inferred = graphs.get(key[0])
        if inferred is None or key[1] not in inferred.layers:
            return LayerFacts(self.node(key).layer, failed=True)
        return inferred.layers[key[1]]


def _number(size: Dim, numbers: Mapping[str, int]) -> Dim:
    """A size of an input as one number. Its symbol is the name of a source."""
    return size if size.symbol is None else Dim.of(numbers[str(size.symbol)])


def _graphs(inferred: Inferred) -> Iterator[tuple[Path, Inferred]]:
    yield inferred.path, inferred
    for facts in inferred.layers.values():
        for body in facts.bodies.values():
            yield from _graphs(body)


def _layers(inferred: Inferred) -> Iterator[tuple[Path, LayerFacts]]:
    """The layers of a graph in order; those of its bodies before the layer that has them."""
    for facts in inferred.layers.values():
        for body in facts.bodies.values():
            yield from _layers(body)
        yield inferred.path, facts
