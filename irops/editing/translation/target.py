"""The graph that comes of a translation, as it grows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from irops.dialects.onnx.opsets import ONNX
from irops.ir.model import Edge, Graph, Layer, Port
from irops.ir.storage import Weights
from irops.ir.unique import unique
from irops.values.element import Array, element_type_of
from irops.values.packing import pack


class Wire(NamedTuple):
    """An output of a layer."""

    layer: Layer
    place: int = 0

    @property
    def port(self) -> Port:
        return self.layer.outputs[self.place]


class Target:
    """Layers of a dialect. opset: of ONNX, which all its layers are of; taken: names that no further layer
    may have.
    """

    def __init__(self, dialect: str, opset: int, weights: Weights | None, taken: Iterable[str]) -> None:
        self.dialect, self.opset = dialect, opset
        self.graph, self.weights = Graph(), Extended(weights or Weights.of_bytes(b""))
        self._taken = set(taken)

    def add(
        self,
        name: str,
        op: str,
        inputs: Sequence[Wire | None] = (),
        data: Mapping[str, str] | None = None,
        outputs: int = 1,
    ) -> Layer:
        """Another layer. op: an id of OpenVINO's (Slice-8), or a type of ONNX's; an input that is None is
        left out.
        """
        given = list(inputs)
        while given and given[-1] is None:
            given.pop()
        kind, _, number = (op, "", "") if self.dialect == ONNX else op.rpartition("-")
        version = f"{ONNX}:{self.opset}" if self.dialect == ONNX else f"opset{number}"
        layer = Layer(len(self.graph.layers), name, kind, version, dict(data or {}))
        layer.inputs = [Port(place, absent=wire is None) for place, wire in enumerate(given)]
        layer.outputs = [Port(len(given) + place) for place in range(outputs)]
        self.graph.layers.append(layer)
        for place, wire in enumerate(given):
            if wire is not None:
                self.graph.edges.append(Edge(wire.layer.id, wire.port.id, layer.id, place))
        return layer

    def constant(self, name: str, array: Array) -> Wire:
        """A layer that gives an array."""
        kind = element_type_of(array)
        raw = pack(array, kind)
        data = {
            "element_type": kind.name,
            "shape": ", ".join(map(str, array.shape)),
            "offset": str(self.weights.add(raw)),
            "size": str(len(raw)),
        }
        return Wire(self.add(name, "Const" if self.dialect == ONNX else "Const-1", data=data))

    def drop(self, unwanted: Collection[Layer]) -> None:
        """Take layers out that feed nothing; the others keep their ids."""
        ids = {layer.id for layer in unwanted} - {edge.from_layer for edge in self.graph.edges}
        self.graph.layers = [layer for layer in self.graph.layers if layer.id not in ids]

    def unique(self, name: str) -> str:
        """A name that no layer has, as near to the given one as can be."""
        return unique(name, self._taken)


class Extended(Weights):
    """The bytes of a model's weights, which stay where they are, and behind them those that are added."""

    __slots__ = ("_added", "_base")

    def __init__(self, base: Weights) -> None:
        super().__init__(None)
        self._base, self._added = base, bytearray()

    @property
    def name(self) -> str:
        return self._base.name

    @property
    def size(self) -> int:
        return self._base.size + len(self._added)

    def add(self, raw: bytes) -> int:
        """Put bytes behind the others; where they begin."""
        start = self.size
        self._added.extend(raw)
        return start

    def view(self, offset: int, size: int) -> memoryview:
        """Some of the bytes; what was added is small, and copied."""
        if offset + size <= self._base.size:
            return self._base.view(offset, size)
        start = offset - self._base.size
        if start < 0 or size < 0 or start + size > len(self._added):
            raise ValueError(f"bytes {offset} to {offset + size} of {self.size} are not there")
        return memoryview(bytes(self._added[start : start + size]))

    def read(self, offset: int, size: int) -> memoryview:
        return self._base.read(offset, size) if offset + size <= self._base.size else self.view(offset, size)

    def require_unchanged(self) -> None:
        self._base.require_unchanged()
