"""One of the two models that are compared: its graph, what is inferred, and what follows from constants."""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode, LayerNode
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.extraction import extract
from irops.ir.model import Layer, LayerKind
from irops.ir.weights import constant
from irops.runtime.session import run
from irops.values.element import Array
from irops.values.fact import Fact

FEW = 8
"""Constants of so few elements are axes and factors, which many layers have in common."""
Value: TypeAlias = tuple[int, int]
"""The id of a layer, and the index of one of its outputs."""

SIZES = ("i32", "i64")
"""Types of the constants that hold sizes and axes, which say nothing of how elements are stored."""
RANDOM = frozenset(("RandomUniform", "Multinomial"))
"""Ops whose outputs do not follow from their inputs."""


class Side:
    """One graph of a model. weights: the layers that follow from constants alone"""

    def __init__(self, analysis: ModelAnalysis, graph: GraphNode, inferred: Inferred | None) -> None:
        self.analysis, self.graph, self.inferred = analysis, graph, inferred
        self.weights: set[int] = set()
        for node in graph.order:
            if self._is_constant(node):
                self.weights.add(node.layer.id)

    def _is_constant(self, node: LayerNode) -> bool:
        if node.layer.is_constant:
            return True
        sources = self.graph.wiring.inputs[node.layer.id]
        return (
            node.layer.kind is LayerKind.OPERATION
            and node.op is not None
            and not node.op.definition.stateful
            and not node.layer.bodies
            and node.layer.type not in RANDOM
            and bool(sources)
            and all(source is not None and source[0].id in self.weights for source in sources)
        )

    @cached_property
    def layers(self) -> dict[int, Layer]:
        """The layers that compute from inputs or state, by id, in the order of the file."""
        return {
            layer.id: layer for layer in self.graph.wiring.layers.values() if layer.id not in self.weights
        }

    def sources(self, number: int) -> list[Value | None]:
        """What the inputs of a layer use."""
        return [None if s is None else (s[0].id, s[1]) for s in self.graph.wiring.inputs[number]]

    def users(self, number: int) -> list[tuple[int, int, int]]:
        """The layers that use the outputs of a layer: output, layer and input."""
        return [
            (output, layer.id, index)
            for output in range(len(self.graph.layers[number].layer.outputs))
            for layer, index in self.graph.wiring.consumers.get((number, output), ())
        ]

    def digest(self, layer: Layer) -> bytes | None:
        """A digest of the op of a layer and of the constants that it uses; None where it uses none."""
        from hashlib import blake2b  # slow to import

        constants = [
            self.graph.layers[source[0]].layer
            for source in self.sources(layer.id)
            if source is not None and self.graph.layers[source[0]].layer.is_constant
        ]
        total = blake2b(layer.type.lower().encode())
        size = 0
        for one in constants:
            try:
                array = constant(self.analysis.model, one)
            except DiagnosticError:  # the weights are missing, which is reported where they are compared
                return None
            size += array.size
            total.update(repr((array.dtype, array.shape)).encode())
            total.update(array.tobytes() if array.dtype != object else repr(array.tolist()).encode())
        return total.digest() if size > FEW else None

    def fact(self, value: Value) -> Fact:
        outputs = [] if self.inferred is None else self.inferred.of(value[0]).outputs
        return outputs[value[1]] if value[1] < len(outputs) else Fact()

    def name(self, value: Value | None) -> str:
        """How a report calls a value."""
        if value is None:
            return "nothing"
        layer = self.graph.layers[value[0]].layer
        return layer.name if len(layer.outputs) == 1 else f"{layer.name}:{value[1]}"

    def stored(self, value: Value) -> str:
        """How a weight is stored: the element types of the constants behind it, f32 or u4 * f16."""
        seen: set[int] = set()
        kinds: list[str] = []
        ahead = [value[0]]
        while ahead:
            number = ahead.pop()
            if number in seen:
                continue
            seen.add(number)
            layer = self.graph.layers[number].layer
            if layer.is_constant:
                kinds.append(layer.data.get("element_type", "?"))
            ahead += [s[0] for s in reversed(self.sources(number)) if s is not None]
        numbers = [kind for kind in kinds if kind not in SIZES] or kinds
        return " * ".join(dict.fromkeys(numbers))

    def array(self, value: Value) -> Array:
        """The elements of a weight. Raises: DiagnosticError where they cannot be computed"""
        layer = self.graph.layers[value[0]].layer
        if layer.is_constant:
            return constant(self.analysis.model, layer)
        part = extract(self.analysis, inputs=(), outputs=[value], path=self.graph.path)
        return next(iter(run(part, {}, limits=self.analysis.limits).values()))
