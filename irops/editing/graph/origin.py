"""What a graph was made from, a model or a body in one: its layers as nodes, and nodes as layers again.

What no change concerns is used over from the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from irops.analysis.declaring import declared_dims, port_of
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis, graph_at
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import DiagnosticError, Location, errors_of
from irops.editing.graph.faults import refuse
from irops.editing.graph.node import Node, Owner, Value
from irops.editing.graph.store import NodeStore
from irops.files.limits import Limits
from irops.ir.joined_weights import JoinedWeights
from irops.ir.model import Body, Edge, Layer, LayerKind, Model, Port
from irops.ir.model import Graph as Layers
from irops.ir.storage import Weights
from irops.ops.invocation import Invocation
from irops.registry import Registry
from irops.spec.domains import format_value
from irops.spec.types import OPENVINO
from irops.values.element import DYNAMIC
from irops.values.fact import Fact


class Origin:
    """The model that a graph was made from, if any; weights: its weights, and those of new constants.

    path: the layers and bodies down to the graph within the model
    """

    def __init__(self, model: Model, path: tuple[str, ...], layers: Layers | None) -> None:
        self.base, self.path, self.layers = model, path, layers
        self.weights = JoinedWeights(model.weights or Weights.of_bytes(b""))
        self.graph: GraphNode | None = None
        self.inferred: Inferred | None = None

    @classmethod
    def empty(cls, name: str) -> Origin:
        return cls(Model(name), (), None)

    @classmethod
    def of(cls, model: Model, path: tuple[str, ...], registry: Registry, limits: Limits) -> Origin:
        """The origin of a graph of a model. Raises: DiagnosticError where its edges are wrong"""
        if model.dialect != OPENVINO:
            message = f"the model is of dialect {model.dialect}; a Graph changes models of openvino"
            raise refuse("unsupported-graph", message)
        analysis = ModelAnalysis(model, registry, limits)
        faults = [d for d in errors_of(analysis.structural_findings) if d.name in _FAULTS_OF_EDGES]
        if faults:
            raise DiagnosticError(faults)
        graph, inferred = graph_at(analysis, path)
        origin = cls(model, path, graph.graph)
        origin.graph, origin.inferred = graph, inferred
        return origin

    def location(self, node: Node) -> Location:
        """Where a node is in the file of the model; its name alone for a node that was added."""
        if node.layer is None:
            return Location(None, None, None, None, node.name, self.path)
        return self.base.location(node.layer, self.path)

    def model_with(self, layers: Layers, name: str) -> Model:
        """The model, with other layers in place of those of the graph."""
        outermost = layers if not self.path else _with_body(self.base.graph, self.path, layers)
        weights = self.base.weights if self.weights.is_single else self.weights.copy()
        model = replace(self.base, graph=outermost, weights=weights)
        return model if self.path else replace(model, name=name)


_FAULTS_OF_EDGES = frozenset(
    (
        "dangling-edge",
        "unknown-output-port",
        "unknown-input-port",
        "multiple-producers",
        "cycle",
        "duplicate-layer-id",
    )
)
"""Faults of a model whose nodes would not be what the file means."""


def _with_body(graph: Layers, path: tuple[str, ...], layers: Layers) -> Layers:
    """A graph with other layers in the body that a path leads to."""
    place = next(k for k, layer in enumerate(graph.layers) if layer.name == path[0])
    layer = graph.layers[place]
    body = layer.bodies[path[1]]
    inner = layers if len(path) == 2 else _with_body(body.graph, path[2:], layers)
    changed: Body = replace(body, graph=inner)
    layer = replace(layer, bodies={**layer.bodies, path[1]: changed})
    return replace(graph, layers=[*graph.layers[:place], layer, *graph.layers[place + 1 :]])


def fill(store: NodeStore, owner: Owner, graph: GraphNode, inferred: Inferred | None) -> None:
    """Add the nodes of the graph of a model."""
    nodes: dict[int, Node] = {}
    for layer in graph.graph.layers:
        facts = None if inferred is None else inferred.of(layer.id)
        node = nodes[layer.id] = _node_of(owner, layer, graph.layers[layer.id].invocation, facts)
        store.insert(node)
    for rank, layer_node in enumerate(graph.order):
        nodes[layer_node.layer.id].rank = float(rank)
    for layer in graph.graph.layers:
        node = nodes[layer.id]
        for source in graph.wiring.inputs[layer.id]:
            value = None if source is None else nodes[source[0].id].outputs[source[1]]
            store.connect(node, len(node.sources), value)
        node.first_sources = list(node.sources)
        node.first_inputs = node.input_facts


def _node_of(owner: Owner, layer: Layer, invocation: Invocation | None, facts: LayerFacts | None) -> Node:
    """The node of a layer, without inputs."""
    node = Node(owner, layer.type, layer.version, layer.name, layer.data)
    node.layer, node.invocation = layer, invocation
    node.bodies, node.output_names = layer.bodies, layer.output_names
    node.outputs = tuple(Value(node, index) for index in range(len(layer.outputs)))
    node.consumers = [{} for _ in layer.outputs]
    node.tensor_names = [port.names for port in layer.outputs]
    node.failed = facts is None or facts.failed
    outputs = [] if facts is None else facts.outputs
    node.facts = [
        outputs[index] if index < len(outputs) else Fact(DYNAMIC) for index in range(len(layer.outputs))
    ]
    node.first_facts = list(node.facts)
    return node


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
    if before is not None and declaration(before) == declaration(after):
        return port
    precision = port.precision if after.element_type is DYNAMIC else after.element_type.precision
    return replace(port, precision=precision, dims=declared_dims(after), absent=False)


def declaration(fact: Fact | None) -> tuple[object, ...]:
    """What a port declares of a Fact."""
    if fact is None:
        return ()
    return fact.element_type.name, fact.shape.dims is None, declared_dims(fact)


def redeclared_body(body: Body, inferred: Inferred) -> Body:
    """A body whose ports and Parameters declare what is inferred."""
    layers = [_redeclared_layer(layer, inferred) for layer in body.graph.layers]
    return replace(body, graph=replace(body.graph, layers=layers))


def _redeclared_layer(layer: Layer, inferred: Inferred) -> Layer:
    facts = inferred.of(layer.id)
    if facts.failed:
        return layer
    fields: dict[str, object] = {}
    if layer.kind is LayerKind.PARAMETER and facts.outputs:
        fields["data"] = {**layer.data, "shape": format_value(facts.outputs[0].shape.unnamed())}
    for name, ports, of_ports in (
        ("inputs", layer.inputs, facts.inputs),
        ("outputs", layer.outputs, facts.outputs),
    ):
        known = [*of_ports, *[None] * (len(ports) - len(of_ports))]
        fields[name] = [_as_inferred(port, fact) for port, fact in zip(ports, known)]
    if layer.bodies:
        fields["bodies"] = {
            name: redeclared_body(inner, facts.bodies[name]) if name in facts.bodies else inner
            for name, inner in layer.bodies.items()
        }
    return replace(layer, **fields)  # type: ignore[arg-type]


def _as_inferred(port: Port, fact: Fact | None) -> Port:
    if fact is None:
        return port
    precision = port.precision if fact.element_type is DYNAMIC else fact.element_type.precision
    return replace(port, precision=precision, dims=declared_dims(fact))
