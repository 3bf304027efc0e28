"""One of the two models that are compared: its graph, what is inferred, and what follows from constants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode, LayerNode
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.extraction import extract
from irops.ir.model import Layer
from irops.ir.weights import constant, constant_faults
from irops.runtime.session import run
from irops.spec.domains import format_value
from irops.values.element import Array
from irops.values.fact import Fact

FEW = 8
"""Constants of so few elements are axes and factors, which many layers have in common."""
Value: TypeAlias = tuple[int, int]
"""The id of a layer, and the index of one of its outputs."""

SIZES = ("i32", "i64")
"""Types of the constants that hold sizes and axes, which say nothing of how elements are stored."""
BYTES = 1 << 26
"""The size of the weights that are computed together."""


class Side:
    """One graph of a model. weights: the layers that follow from constants alone"""

    def __init__(self, analysis: ModelAnalysis, graph: GraphNode, inferred: Inferred | None) -> None:
        self.analysis, self.graph, self.inferred = analysis, graph, inferred
        self.weights = graph.constants

    @cached_property
    def lacks_weights(self) -> bool:
        """Whether bytes of constants are missing, so that less can be inferred."""
        return next(constant_faults(self.analysis.model), None) is not None

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
        kinds = self._kinds[value[0]]
        return " * ".join([kind for kind in kinds if kind not in SIZES] or kinds)

    @cached_property
    def _kinds(self) -> dict[int, tuple[str, ...]]:
        """The element types of the constants behind each layer that follows from constants."""
        found: dict[int, tuple[str, ...]] = {}
        for node in self.graph.order:
            number = node.layer.id
            if number in self.weights:
                kinds = [node.layer.data.get("element_type", "?")] if node.layer.is_constant else []
                for source in self.sources(number):
                    kinds += () if source is None else found[source[0]]
                found[number] = tuple(dict.fromkeys(kinds))
        return found

    def arrays(self, values: Sequence[Value]) -> Iterator[Array | DiagnosticError]:
        """The elements of some weights, in order, or why they cannot be computed.

        Those that are computed from constants are computed together, as many as have BYTES together.
        """
        computed: dict[Value, Array | DiagnosticError] = {}
        for place, value in enumerate(values):
            layer = self.graph.layers[value[0]].layer
            if layer.is_constant:
                yield self._constant(layer)
                continue
            if value not in computed:
                computed = self._computed(values[place:])
            yield computed[value]

    def _constant(self, layer: Layer) -> Array | DiagnosticError:
        try:
            return constant(self.analysis.model, layer)
        except DiagnosticError as error:
            return error

    def _computed(self, values: Sequence[Value]) -> dict[Value, Array | DiagnosticError]:
        """The first of some values that are computed from constants, computed by one run."""
        wanted: dict[Value, None] = {}
        size = 0.0
        for value in values:
            if not self.graph.layers[value[0]].layer.is_constant and value not in wanted:
                fact = self.fact(value)
                size += fact.shape.size.low * max(fact.element_type.bits, 8) / 8
                if wanted and size > BYTES:
                    break
                wanted[value] = None
        try:
            part = extract(self.analysis, inputs=(), outputs=wanted, path=self.graph.path)
            return dict(zip(wanted, run(part, {}, limits=self.analysis.limits).values(), strict=True))
        except DiagnosticError as error:
            if len(wanted) == 1:
                return dict.fromkeys(wanted, error)
            return {value: self._computed([value])[value] for value in wanted}  # to know which one fails


def changed_attributes(before: LayerNode, after: LayerNode) -> Iterator[tuple[str, tuple[str, str]]]:
    """The attributes in which two layers differ, by name, with both values as text."""
    a, b = before.layer, after.layer
    if a.is_constant:
        return
    values: list[dict[str, Any]] = [dict(a.data), dict(b.data)]
    if before.invocation is not None and after.invocation is not None:
        values = [dict(node.invocation.attributes) for node in (before, after) if node.invocation]
    for name in dict.fromkeys((*values[0], *values[1])):
        old, new = (side.get(name) for side in values)
        other_op = a.type != b.type and None in (old, new)  # which has other attributes anyway
        if old != new and (name in a.data or name in b.data) and not other_op:
            yield name, (_spelled(old), _spelled(new))


def _spelled(value: Any) -> str:
    return "none" if value is None else format_value(value)
