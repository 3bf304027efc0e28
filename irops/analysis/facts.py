"""What inference found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from irops.analysis.bind import Bound
from irops.diagnostics.diagnostic import Diagnostic, errors_of
from irops.ir.model import Layer
from irops.spec.op import Op
from irops.values.fact import Fact


@dataclass(slots=True)
class LayerFacts:
    """A layer, inferred: its op (None if it has none), attributes, inputs and outputs; its bodies, as they
    were inferred last.
    """

    layer: Layer
    op: Op | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    inputs: list[Fact | None] = field(default_factory=list)
    outputs: list[Fact] = field(default_factory=list)
    bodies: dict[str, Facts] = field(default_factory=dict)
    bound: Bound | None = None
    failed: bool = False


class Facts(Mapping[tuple[int | str, int], Fact]):
    """Facts of a graph: facts[layer name or id, output index] -> Fact. Where names repeat, the first layer's.

    of(layer) gives all that was inferred of a layer, bodies among it; diagnostics, what was found wrong on
    the way.
    """

    def __init__(self) -> None:
        self.layers: dict[int, LayerFacts] = {}
        self._names: dict[str, int] = {}
        self.found: list[Diagnostic] = []

    def add(self, facts: LayerFacts) -> None:
        self.layers[facts.layer.id] = facts
        self._names.setdefault(facts.layer.name, facts.layer.id)

    def of(self, layer: int | str) -> LayerFacts:
        """All that is known of a layer, by id or name; KeyError if there is none."""
        return self.layers[self._names[layer] if isinstance(layer, str) else layer]

    def __getitem__(self, key: tuple[int | str, int]) -> Fact:
        if not isinstance(key, tuple) or len(key) != 2:
            raise KeyError(f"{key!r} is no layer and output: facts[layer name or id, output index]")
        layer, index = key
        try:
            return self.of(layer).outputs[index]
        except IndexError:
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[tuple[int | str, int]]:
        for number, facts in self.layers.items():
            for index in range(len(facts.outputs)):
                yield number, index

    def __len__(self) -> int:
        return sum(len(facts.outputs) for facts in self.layers.values())

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found wrong, in document order, bodies included."""
        from irops.diagnostics.diagnostic import in_document_order

        return in_document_order(self.all_found())

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return errors_of(self.diagnostics)

    def all_found(self) -> Iterator[Diagnostic]:
        yield from self.found
        for facts in self.layers.values():
            for body in facts.bodies.values():
                yield from body.all_found()
