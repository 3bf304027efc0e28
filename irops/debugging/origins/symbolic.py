"""A model inferred twice: as declared, and with a symbol for every size of its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key
from irops.analysis.structure import GraphNode, LayerNode, Path
from irops.debugging.origins.expression import GENERATED, Expression
from irops.debugging.origins.sources import symbolic_inputs
from irops.diagnostics.printable import abridged
from irops.ir.collection import no_collection
from irops.values.dim import Dim
from irops.values.fact import Fact, holds_dims
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
        """Formulas that fit births, by name, as far as they were looked for; see unexpressed.py."""
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


# One fact of one output of a layer: what irops.why is asked about, and what it depends on in turn.

MAX_TEXT = 200
"""The greatest number of characters of a value that is shown."""


class Aspect(Enum):
    """The kinds of facts."""

    SIZE = "size"
    SHAPE = "shape"
    TYPE = "type"
    ELEMENT = "element"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Facet:
    """A fact of an output. index: the axis of a size, or the number of an element."""

    path: Path
    layer: int
    output: int
    aspect: Aspect
    index: int = 0

    @property
    def key(self) -> LayerKey:
        return self.path, self.layer

    @property
    def subject(self) -> str:
        """The fact as a noun: axis 1, the shape, element 2."""
        match self.aspect:
            case Aspect.SIZE:
                return f"axis {self.index}"
            case Aspect.ELEMENT:
                return f"element {self.index}"
        return f"the {'element type' if self.aspect is Aspect.TYPE else self.aspect.value}"

    def size(self, fact: Fact) -> Dim | None:
        """The size or the element; None where there is none, or nothing is known of it."""
        if self.aspect is Aspect.SIZE:
            dims = fact.shape.dims
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        if self.aspect is Aspect.ELEMENT and fact.known is not None:
            dims = fact.dims if holds_dims(fact.known) or fact.element_type.integral else None
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        return None

    def sizes(self, fact: Fact) -> Sequence[Dim] | None:
        """The sizes and elements that the facet consists of; None where it is none of these."""
        match self.aspect:
            case Aspect.SIZE | Aspect.ELEMENT:
                one = self.size(fact)
                return None if one is None else (one,)
            case Aspect.SHAPE:
                return fact.shape.dims
            case Aspect.VALUE if fact.known is not None and fact.element_type.integral:
                return fact.dims
        return None

    def expressions(self, fact: Fact) -> tuple[Expression | None, ...] | None:
        """The expression of every size or element; None where the facet has none."""
        sizes = self.sizes(fact)
        return None if sizes is None else tuple(map(Expression.of, sizes))

    def content(self, fact: Fact) -> object:
        """What is compared to find out whether the facet is the same for other facts of the inputs."""
        if self.aspect is Aspect.TYPE:
            return fact.element_type
        sizes = self.sizes(fact)
        if sizes is not None:
            return tuple((size.bounds, size.symbol) for size in sizes)
        if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) and fact.known is not None:
            return fact.known.tobytes()
        return None

    def text(self, fact: Fact) -> str:
        """The facet as text: 2*N + 1, f32, [N,3], ?"""
        if self.aspect is Aspect.TYPE:
            return str(fact.element_type)
        sizes = self.sizes(fact)
        if sizes is None:
            return _value_text(fact) if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) else "unknown"
        texts = [str(Expression.of(size) or size) for size in sizes]
        if len(texts) == 1 and self.aspect is not Aspect.SHAPE:
            return abridged(texts[0], MAX_TEXT)
        return abridged(f"[{','.join(texts)}]", MAX_TEXT)


def _value_text(fact: Fact) -> str:
    value = fact.known
    if value is None or value.size > MAX_TEXT:
        return "unknown" if value is None else f"{value.size} elements"
    return abridged(" ".join(str(value.tolist()).split()), MAX_TEXT)
