"""The graph under construction during a conversion."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from irops.dialects.onnx.opsets import ONNX
from irops.ir.model import Edge, Graph, Layer, Port, UniqueNames
from irops.ir.storage import JoinedWeights, Weights
from irops.ir.weights import Region
from irops.values.element import Array, element_type_of
from irops.values.packing import pack


class Wire(NamedTuple):
    """An output of a layer."""

    layer: Layer
    output: int = 0

    @property
    def port(self) -> Port:
        return self.layer.outputs[self.output]


class Target:
    """Layers of the target dialect. opset: that of ONNX layers; used_names: names that new layers avoid."""

    def __init__(self, dialect: str, opset: int, weights: Weights | None, used_names: Iterable[str]) -> None:
        self.dialect, self.opset = dialect, opset
        self.graph, self.weights = Graph(), JoinedWeights(weights or Weights.of_bytes(b""))
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
