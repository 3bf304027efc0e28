"""A graph as a model: what no change concerns is used over from the model that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from irops.analysis.declaring import declared_dims, port_of
from irops.editing.graph.node import Node, Value
from irops.ir.model import Edge, Layer, Port
from irops.ir.model import Graph as Layers
from irops.values.element import DYNAMIC
from irops.values.fact import Fact


def layers_of(nodes: Sequence[Node], before: Layers | None) -> Layers:
    """The layers and edges of nodes. before: those that the nodes were made from"""
    written = _Written(nodes, before)
    layers = [written.layer(node) for node in nodes]
    return Layers(layers, written.edges(), comments=before.comments if before else ())


class _Written:
    """The layers of nodes under their ids, and their edges."""

    def __init__(self, nodes: Sequence[Node], before: Layers | None) -> None:
        self._nodes, self._before = nodes, before
        self._ids: dict[Node, int] = {}
        used = {node.layer.id for node in nodes if node.layer is not None}
        following = max(used, default=-1) + 1
        for node in nodes:
            if node.layer is None:
                self._ids[node], following = following, following + 1
            else:
                self._ids[node] = node.layer.id
        self._layers: dict[Node, Layer] = {}

    def layer(self, node: Node) -> Layer:
        made = _new_layer(node, self._ids[node]) if node.layer is None else _changed_layer(node, node.layer)
        self._layers[node] = made
        return made

    def edges(self) -> list[Edge]:
        """The edges in the order of the model that the graph was made from; those that are new at the end."""
        wanted = {
            (self._ids[node], self._layers[node].inputs[index].id): self._edge(node, index, source)
            for node in self._nodes
            for index, source in enumerate(node.sources)
            if source is not None
        }
        edges: list[Edge] = []
        for edge in self._before.edges if self._before else ():
            new = wanted.pop((edge.to_layer, edge.to_port), None)
            if new is not None:
                edges.append(edge if new == replace(edge, extra={}) else replace(new, extra=edge.extra))
        return edges + list(wanted.values())

    def _edge(self, node: Node, index: int, source: Value) -> Edge:
        output = self._layers[source.node].outputs[source.index]
        return Edge(self._ids[source.node], output.id, self._ids[node], self._layers[node].inputs[index].id)


def _new_layer(node: Node, id: int) -> Layer:
    count = len(node.sources)
    layer = Layer(id, node.name, node.type, node.version, dict(node.data), bodies=dict(node.bodies))
    layer.output_names = node.output_names
    layer.inputs = [_port(index, fact) for index, fact in enumerate(node.input_facts)]
    layer.outputs = [
        _port(count + index, node.facts[index], names) for index, names in enumerate(node.tensor_names)
    ]
    return layer


def _port(label: int, fact: Fact | None, names: tuple[str, ...] = ()) -> Port:
    if fact is None:
        return Port(label, absent=True)
    return port_of(label, fact, names)


def _changed_layer(node: Node, layer: Layer) -> Layer:
    """The layer of a node that the model had; the same one where nothing is different."""
    fields: dict[str, object] = {}
    for name in ("name", "type", "version", "output_names"):
        if getattr(node, name) != getattr(layer, name):
            fields[name] = getattr(node, name)
    if node.data != layer.data:
        fields["data"] = dict(node.data)
    if node.bodies != layer.bodies:
        fields["bodies"] = dict(node.bodies)
    inputs, outputs = _input_ports(node, layer), _output_ports(node, layer)
    if inputs is not layer.inputs:
        fields["inputs"] = inputs
    if outputs is not layer.outputs:
        fields["outputs"] = outputs
    return replace(layer, **fields) if fields else layer  # type: ignore[arg-type]


def _input_ports(node: Node, layer: Layer) -> list[Port]:
    """The input ports, declared anew where what they declare follows from other facts than before."""
    facts = node.input_facts
    ports = [_redeclared(port, old, new) for port, old, new in zip(layer.inputs, node.first_inputs, facts)]
    if len(facts) > len(ports):
        label = 1 + max((port.id for port in (*layer.inputs, *layer.outputs)), default=-1)
        ports += [_port(label + index, fact) for index, fact in enumerate(facts[len(ports) :])]
    return layer.inputs if _all_same(ports, layer.inputs) else ports


def _output_ports(node: Node, layer: Layer) -> list[Port]:
    ports = []
    for index, names in enumerate(node.tensor_names):
        if index < len(layer.outputs):
            port = _redeclared(layer.outputs[index], node.first_facts[index], node.facts[index])
            if port is not None and names != port.names:
                port = replace(port, names=names)
        else:
            label = 1 + max((port.id for port in (*layer.inputs, *layer.outputs)), default=-1)
            port = _port(label + index, node.facts[index], names)
        ports.append(port)
    return layer.outputs if _all_same(ports, layer.outputs) else ports


def _all_same(ports: list[Port], before: list[Port]) -> bool:
    return len(ports) == len(before) and all(a is b for a, b in zip(ports, before))


def _redeclared(port: Port, before: Fact | None, after: Fact | None) -> Port:
    """A port; with the type and sizes of a Fact, where these are not those that it had at first."""
    if after is None:
        return port if before is None else replace(port, absent=True)
    if before is not None and _declaration(before) == _declaration(after):
        return port
    precision = port.precision if after.element_type is DYNAMIC else after.element_type.precision
    return replace(port, precision=precision, dims=declared_dims(after), absent=False)


def _declaration(fact: Fact) -> tuple[object, ...]:
    return fact.element_type.name, fact.shape.dims is None, declared_dims(fact)
