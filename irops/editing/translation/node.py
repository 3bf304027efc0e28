"""A layer during conversion, its counterparts in the other dialect, and the graph under construction."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irops.analysis.inferred import LayerFacts
from irops.analysis.invocation import Invocation
from irops.dialects.onnx.opsets import ONNX
from irops.files.storage import JoinedWeights, Weights
from irops.ir.model import Edge, Layer, LayerGraph, Port, UniqueNames
from irops.ir.weights import Region
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.packing import pack

DIALECT_NAMES = {"onnx": "ONNX", "openvino": "OpenVINO"}
"""The names of dialects in messages."""


class NotTranslatableError(Exception):
    """A layer is not representable. rule: the name of the diagnostic rule; the text is the reason."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


def impossible(reason: str) -> NotTranslatableError:
    """The target dialect cannot express the layer."""
    return NotTranslatableError("untranslatable-op", reason)


def unknown(reason: str) -> NotTranslatableError:
    """The conversion needs a value that is unknown."""
    return NotTranslatableError("unknown-value-for-translation", reason)


class Wire(NamedTuple):
    """An output of a layer."""

    layer: Layer
    output: int = 0

    @property
    def port(self) -> Port:
        return self.layer.outputs[self.output]


class TargetGraph:
    """Layers of the target dialect. opset: that of ONNX layers; used_names: names that new layers avoid."""

    def __init__(self, dialect: str, opset: int, weights: Weights | None, used_names: Iterable[str]) -> None:
        self.dialect, self.opset = dialect, opset
        self.graph, self.weights = LayerGraph(), JoinedWeights(weights or Weights.of_bytes(b""))
        self._used_names = UniqueNames(used_names)

    def add(
        self,
        name: str,
        op: str,
        inputs: Sequence[Wire | None] = (),
        data: Mapping[str, str] | None = None,
        outputs: int = 1,
    ) -> Layer:
        """Add a layer. op: an OpenVINO op id (Slice-8) or an ONNX type; an input that is None is omitted."""
        present = list(inputs)
        while present and present[-1] is None:
            present.pop()
        kind, _, number = (op, "", "") if self.dialect == ONNX else op.rpartition("-")
        version = f"{ONNX}:{self.opset}" if self.dialect == ONNX else f"opset{number}"
        layer = Layer(len(self.graph.layers), name, kind, version, dict(data or {}))
        layer.inputs = [Port(output, absent=wire is None) for output, wire in enumerate(present)]
        layer.outputs = [Port(len(present) + output) for output in range(outputs)]
        self.graph.layers.append(layer)
        for output, wire in enumerate(present):
            if wire is not None:
                self.graph.edges.append(Edge(wire.layer.id, wire.port.id, layer.id, output))
        return layer

    def constant(self, name: str, array: Array) -> Wire:
        """Add a constant layer."""
        kind = element_type_of(array)
        raw = pack(array, kind)
        data = Region(kind, array.shape, self.weights.append(Weights.of_bytes(raw)), len(raw)).data
        return Wire(self.add(name, "Const" if self.dialect == ONNX else "Const-1", data=data))

    def drop(self, candidates: Collection[Layer]) -> None:
        """Remove those layers that have no consumers; the others keep their ids."""
        ids = {layer.id for layer in candidates} - {edge.from_layer for edge in self.graph.edges}
        self.graph.layers = [layer for layer in self.graph.layers if layer.id not in ids]

    def unique(self, name: str) -> str:
        """An unused name that resembles the given one."""
        return self._used_names.unique(name)


class TranslatedLayer:
    """A layer with its inputs in the target. added: the wires of the layers that were added for it."""

    def __init__(
        self,
        layer_facts: LayerFacts,
        invocation: Invocation,
        wires: Sequence[Wire | None],
        target: TargetGraph,
    ) -> None:
        op = invocation.op
        self.layer, self.op, self.target = layer_facts.layer, op, target
        self.attributes: Mapping[str, Any] = invocation.normal_attributes(layer_facts.inputs)
        self._places = {port.name: place for place, port in enumerate(op.definition.inputs)}
        self._wires, self._facts = wires, layer_facts.inputs
        self.added: list[Wire] = []

    def wire(self, name: str) -> Wire | None:
        """The input with a name; None if it is omitted."""
        place = self._places[name]
        return self._wires[place] if place < len(self._wires) else None

    def required(self, name: str) -> Wire:
        """The input with a name that cannot be omitted."""
        wire = self.wire(name)
        assert wire is not None
        return wire

    def variadic_wires(self, name: str) -> list[Wire | None]:
        """The inputs of a variadic port."""
        return list(self._wires[self._places[name] :])

    def fact(self, name: str) -> Fact:
        place = self._places[name]
        return (self._facts[place] if place < len(self._facts) else None) or Fact()

    def rank(self, name: str, purpose: str) -> int:
        """The rank of an input.

        Raises:  RefusedError if it is unknown; purpose: what it is needed for
        """
        rank = self.fact(name).shape.rank
        if rank is None:
            raise unknown(f"the rank of {name} is unknown, but {purpose}")
        return rank

    def numbers(self, name: str, purpose: str) -> list[int]:
        """The elements of an integer input.

        Raises:  RefusedError if they are not constant
        """
        value = self.fact(name).value
        if value is None:
            raise unknown(f"{name} is not constant, but {purpose}")
        return [int(number) for number in as_i64(value).ravel()]

    def add(self, op: str, *inputs: Wire | None, part: str = "", **data: str) -> Wire:
        """Add a layer of the counterpart; part: the suffix of its name, unless it is the last layer."""
        return self.keep(Wire(self.target.add(self._name(part), op, inputs, data)))

    def constant(self, part: str, value: Array | Sequence[int]) -> Wire:
        """Add a constant of the counterpart; sequences of numbers are i64."""
        array = value if isinstance(value, np.ndarray) else np.array(value, np.int64)
        return self.keep(self.target.constant(self._name(part), array))

    def keep(self, wire: Wire) -> Wire:
        self.added.append(wire)
        return wire

    def _name(self, part: str) -> str:
        return self.target.unique(f"{self.layer.name}/{part}") if part else self.layer.name
