"""Convert a graph under construction to a model."""

from __future__ import annotations

from irops.analysis.declaring import port_of
from irops.editing.building.content import Content, Node, Wire
from irops.editing.building.names import default_names
from irops.editing.building.node import op_of
from irops.editing.building.refusal import refuse
from irops.ir.model import Edge, Layer, LayerKind, Model
from irops.ir.model import Graph as Layers
from irops.ir.weights import Weights
from irops.values.element import element_type_of
from irops.values.packing import pack


def model_of(graph: Content) -> Model:
    """The model that a graph is; its layers are in the order in which the nodes were added, inputs first.

    Raises:  DiagnosticError where it has no result, or a name comes out twice
    """
    if not graph.results:
        raise refuse("graph-without-result", f"the graph {graph.name!r} has no result; end it with predict")
    built = _Built(graph)
    return Model(
        name=graph.name,
        version=11,
        graph=Layers(built.layers, built.edges),
        weights=Weights.of_bytes(bytes(built.image)),
        dialect=graph.dialect.name,
        opsets=graph.dialect.imports(graph.opset),
    )


class _Built:
    """Layers, edges and the bytes of constants."""

    def __init__(self, graph: Content) -> None:
        self.graph, self.image = graph, bytearray()
        self.layers: list[Layer] = []
        self.edges: list[Edge] = []
        nodes = sorted(graph.nodes, key=lambda node: graph.kind_of(node) is not LayerKind.PARAMETER)
        self.numbers = {node: number for number, node in enumerate(nodes)}
        ports = [
            tuple(port.name for port in op_of(node.type, node.version).definition.outputs) for node in nodes
        ]
        self.names = dict(zip(nodes, default_names(nodes, ports)))
        for node in nodes:
            self._add(node)
        for wire, name in graph.results:
            self._end(wire, name or self.names[wire.node][1][wire.index])

    def _add(self, node: Node) -> None:
        name, tensors = self.names[node]
        count = len(node.sources)
        layer = Layer(
            self.numbers[node],
            name,
            node.type,
            node.version,
            self._constant(node) if node in self.graph.values else dict(node.data),
            own_kind=self.graph.kind_of(node),
        )
        layer.inputs = [port_of(index, wire.fact) for index, wire in enumerate(node.sources)]
        layer.outputs = [
            port_of(count + index, fact, () if tensor is None else (tensor,))
            for index, (fact, tensor) in enumerate(zip(node.facts, tensors))
        ]
        self.layers.append(layer)
        for index, wire in enumerate(node.sources):
            self._connect(wire, layer, index)

    def _end(self, wire: Wire, name: str) -> None:
        layer = Layer(
            len(self.layers),
            name,
            "Result",
            self.graph.version_of("Result"),
            inputs=[port_of(0, wire.fact)],
            output_names=(name,),
        )
        self.layers.append(layer)
        self._connect(wire, layer, 0)

    def _connect(self, wire: Wire, layer: Layer, index: int) -> None:
        self.edges.append(Edge(self.numbers[wire.node], len(wire.node.sources) + wire.index, layer.id, index))

    def _constant(self, node: Node) -> dict[str, str]:
        value = self.graph.values[node]
        kind = element_type_of(value)
        self.image.extend(bytes(-len(self.image) % 64))  # so that its elements can be looked at in place
        offset, raw = len(self.image), pack(value, kind)
        self.image.extend(raw)
        return {
            "element_type": str(kind),
            "shape": ",".join(map(str, value.shape)),
            "offset": str(offset),
            "size": str(len(raw)),
        }
