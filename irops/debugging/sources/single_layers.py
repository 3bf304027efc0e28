"""A model of single layers that have nothing to do with each other: their inputs are Parameters or constants.

Many layers in one model are compiled much faster than each in its own, and nothing can be fused between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from irops.debugging.sources.source import LayerCall
from irops.ir.model import Edge, Graph, Layer, Model, Port
from irops.ir.serialize import document
from irops.ir.weights import checked_region
from irops.values.element import Array, element_type_of
from irops.values.packing import pack

ALIGNMENT = 64
"""Constants start at multiples of this many bytes."""


@dataclass(slots=True)
class SingleLayers:
    """The text of a model, its weights, the arrays of its Parameters by name, and the names of the results of
    each layer.
    """

    text: str
    weights: bytes
    inputs: dict[str, Array]
    results: list[list[str]]


@dataclass(slots=True)
class _Builder:
    graph: Graph = field(default_factory=Graph)
    weights: bytearray = field(default_factory=bytearray)
    inputs: dict[str, Array] = field(default_factory=dict)
    owners: dict[int, Model] = field(default_factory=dict)
    _number: int = 0

    def add(self, call: LayerCall) -> list[str]:
        """Add a layer with its inputs and results; the names of the results."""
        ports: list[Port] = []
        edges: list[tuple[int, int]] = []
        for index, array in enumerate(call.inputs):
            if array is not None:
                kind = element_type_of(array)
                ports.append(Port(index, kind.precision, array.shape))
                edges.append((self._source(array, is_constant=index in call.constant), index))
        first = len(call.inputs)
        outputs = [Port(first + k, kind.precision, ()) for k, kind in enumerate(call.types)]
        layer = call.node.layer
        number = self._new(
            replace(layer, id=0, inputs=ports, outputs=outputs, output_names=None, rt_info=None, comments=())
        )
        for inner in _layers_of_bodies(layer):
            self.owners[id(inner)] = call.model
        self.graph.edges.extend(Edge(source, 0, number, index) for source, index in edges)
        results: list[str] = []
        for port, kind in zip(outputs, call.types):
            result = self._new(Layer(0, "", "Result", "opset1", inputs=[Port(0, kind.precision)]))
            self.graph.edges.append(Edge(number, port.id, result, 0))
            results.append(self.graph.layers[result].name)
        return results

    def data(self, layer: Layer) -> Mapping[str, str]:
        """The <data> of a layer; constants of bodies bring their bytes along."""
        owner = self.owners.get(id(layer))
        if owner is None or not layer.is_constant:
            return layer.data
        region = checked_region(owner, layer)
        raw = bytes(8)[: max(region.size, 1)] if owner.weights is None or not region.elements else None
        if raw is None:
            assert owner.weights is not None
            raw = bytes(owner.weights.read(region.offset, region.size))
        return {**layer.data, **self._placed(raw)}

    def _source(self, array: Array, *, is_constant: bool) -> int:
        kind = element_type_of(array)
        data = {"element_type": kind.name, "shape": ",".join(map(str, array.shape))}
        ports = [Port(0, kind.precision, array.shape)]
        if is_constant:
            data |= self._placed(pack(array, kind) or b"\0")
            return self._new(Layer(0, "", "Const", "opset1", data, outputs=ports))
        number = self._new(Layer(0, "", "Parameter", "opset1", data, outputs=ports))
        self.inputs[self.graph.layers[number].name] = array
        return number

    def _placed(self, raw: bytes) -> dict[str, str]:
        self.weights.extend(bytes(-len(self.weights) % ALIGNMENT))
        place = {"offset": str(len(self.weights)), "size": str(len(raw))}
        self.weights.extend(raw)
        return place

    def _new(self, layer: Layer) -> int:
        number = self._number
        self._number += 1
        self.graph.layers.append(replace(layer, id=number, name=f"layer{number}"))
        return number


def _layers_of_bodies(layer: Layer) -> list[Layer]:
    found: list[Layer] = []
    ahead = list(layer.bodies.values())
    while ahead:
        for inner in ahead.pop().graph.layers:
            found.append(inner)
            ahead.extend(inner.bodies.values())
    return found


def single_layers(calls: Sequence[LayerCall]) -> SingleLayers:
    """The model of these layers."""
    builder = _Builder()
    results = [builder.add(call) for call in calls]
    text = "".join(document(Model("layers", 11, builder.graph), builder.data))
    return SingleLayers(text, bytes(builder.weights), builder.inputs, results)
