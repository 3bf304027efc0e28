"""The graph that a part is taken from, and how its values are named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis, graph_at
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import did_you_mean
from irops.ir.model import Layer, LayerKind
from irops.values.fact import Fact

Value = tuple[int, int]
"""The id of a layer, and the index of one of its outputs."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value that was named. layer: which gives it; result: the Result by which it was named, if it was"""

    layer: Layer
    index: int
    result: Layer | None = None

    @property
    def value(self) -> Value:
        return self.layer.id, self.index


class Scope:
    """A graph of a model with what is inferred for it."""

    def __init__(self, analysis: ModelAnalysis, graph: GraphNode, inferred: Inferred | None) -> None:
        self.analysis, self.graph, self.inferred = analysis, graph, inferred
        self._tensors = {
            name: (layer, index)
            for layer in reversed(graph.graph.layers)
            for index, port in enumerate(layer.outputs)
            for name in port.names
        }

    @classmethod
    def of(cls, analysis: ModelAnalysis, path: tuple[str, ...]) -> Scope:
        """The graph that a path leads to. Raises: KeyError, with a suggestion; ValueError for an odd path"""
        return cls(analysis, *graph_at(analysis, path))

    def fact(self, value: Value) -> Fact:
        """What is inferred of a value."""
        outputs = [] if self.inferred is None else self.inferred.of(value[0]).outputs
        return outputs[value[1]] if value[1] < len(outputs) else Fact()

    def label(self, value: Value) -> str:
        """The name of a value: that of its layer, with the index where the layer has several outputs."""
        layer = self.graph.layers[value[0]].layer
        return layer.name if len(layer.outputs) == 1 else f"{layer.name}:{value[1]}"

    def find(self, name: Any) -> Wanted:
        """The value of a name; see extraction.Name. Raises: DiagnosticError, with a suggestion"""
        if isinstance(name, tuple):
            return self._output(self._layer(name[0]), name[1])
        if isinstance(name, str) and name in self._tensors:
            return Wanted(*self._tensors[name])
        layer = self._layer_or_none(name)
        if layer is None and isinstance(name, str) and name.rpartition(":")[2].isdigit():
            stem, _, index = name.rpartition(":")
            return self._output(self._layer(stem), int(index))
        if layer is None:
            layer = self._layer(name)
        if layer.kind is LayerKind.RESULT:
            source = self.graph.wiring.first(layer.id)
            if source is not None:
                return Wanted(*source, layer)
        if len(layer.outputs) != 1:
            many = f'name one of them, "{layer.name}:0"' if layer.outputs else "it gives no value"
            raise self._refusal(f"{layer} has {len(layer.outputs)} outputs; {many}")
        return Wanted(layer, 0)

    def _output(self, layer: Layer, index: int) -> Wanted:
        if not 0 <= index < len(layer.outputs):
            raise self._refusal(f"{layer} has no output {index}; it has {len(layer.outputs)}")
        return Wanted(layer, index)

    def _layer_or_none(self, name: str | int) -> Layer | None:
        try:
            return self.graph.find(name).layer
        except KeyError:
            return None

    def _layer(self, name: str | int) -> Layer:
        found = self._layer_or_none(name)
        if found is None:
            known = [*self._tensors, *(layer.name for layer in self.graph.graph.layers)]
            raise self._refusal(f"there is no layer or tensor {name!r}{did_you_mean(name, known)}")
        return found

    def _refusal(self, message: str) -> DiagnosticError:
        return self.refusal("unknown-value", message)

    def refusal(self, name: str, message: str, layer: Layer | None = None) -> DiagnosticError:
        """The error of a rule at a layer, or at the model."""
        place = self.analysis.location(layer, self.graph.path)
        return DiagnosticError([Diagnostic(rule(name), message, place)])
