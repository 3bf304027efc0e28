"""Graphs as models, and as bodies of If, Loop and TensorIterator: what no change concerns is used over."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.declaring import declared_dims, port_of
from irops.diagnostics.suggestions import did_you_mean
from irops.editing.graph.base import Base
from irops.editing.graph.node import Node, Value, refuse
from irops.ir.model import BackEdge, Body, Edge, Layer, LayerGraph as Layers, LayerKind, Port, PortMapping
from irops.spec.body import CURRENT_ITERATION, EXECUTION_CONDITION, Cut
from irops.values.element import BOOLEAN, DYNAMIC
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
    label = 1 + max((port.id for port in (*layer.inputs, *layer.outputs)), default=-1)
    facts = node.input_facts
    inputs = [_redeclared(port, old, new) for port, old, new in zip(layer.inputs, node.first_inputs, facts)]
    inputs += [_port(label + index, fact) for index, fact in enumerate(facts[len(inputs) :])]
    wanted: dict[str, Any] = {
        "name": node.name,
        "type": node.type,
        "version": node.version,
        "output_names": node.output_names,
        "data": dict(node.data),
        "bodies": dict(node.bodies),
        "inputs": inputs,
        "outputs": _output_ports(node, layer, label),
    }
    fields = {field: value for field, value in wanted.items() if value != getattr(layer, field)}
    return replace(layer, **fields) if fields else layer


def _output_ports(node: Node, layer: Layer, label: int) -> list[Port]:
    """The ports of the outputs of a node. label: of the first one that the layer does not have"""
    ports = []
    for index, names in enumerate(node.tensor_names):
        if index < len(layer.outputs):
            port = _redeclared(layer.outputs[index], node.first_facts[index], node.facts[index])
            if port is not None and names != port.names:
                port = replace(port, names=names)
        else:
            port = _port(label + index, node.facts[index], names)
        ports.append(port)
    return ports


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


# Nodes with bodies: If, Loop and TensorIterator, made of graphs.


@dataclass(frozen=True, slots=True)
class Sliced:
    """An input of a body, one part for each iteration; see Graph.sliced."""

    value: Any
    cut: Cut


@dataclass(frozen=True, slots=True)
class Carried:
    """An input of a body from its previous iteration; see Graph.carried."""

    initial: Any
    result: str


@dataclass(frozen=True, slots=True)
class Stacked:
    """An output of a body from all iterations; see Graph.stacked."""

    result: str
    cut: Cut


@dataclass(frozen=True, slots=True)
class Purposes:
    """The Parameter that receives the number of the iteration, the Result that says whether to go on.

    Where they are None, no Parameter receives it, and the loop goes on.
    """

    iteration: str | None
    condition: str | None


Inflow: TypeAlias = Any
"""A Value, array or number, the same in each iteration; Sliced; or Carried."""


def conditional_bodies(
    graph: Base, then: Base, otherwise: Base, inputs: Mapping[str, Any], name: str
) -> tuple[list[Any], dict[str, Body]]:
    """The inputs of an If behind its condition, and its bodies."""
    sides = {"then_body": _Side(graph, then, name), "else_body": _Side(graph, otherwise, name)}
    for key in inputs:
        if not any(key in side.parameters for side in sides.values()):
            known = [known for side in sides.values() for known in side.parameters]
            raise _unknown("input", key, known, name)
    counts = {label: len(side.results) for label, side in sides.items()}
    if len(set(counts.values())) > 1:
        message = f"the bodies of an If have {counts['then_body']} and {counts['else_body']} results"
        raise refuse("mismatched-bodies", f"{message}, must have the same number", name)
    for side in sides.values():
        for number, key in enumerate(inputs, 1):
            if key in side.parameters:
                side.body.inputs.append(PortMapping(number, side.parameters[key]))
        side.require_fed(inputs, name)
        for number, result in enumerate(side.results.values(), len(inputs) + 1):
            side.body.outputs.append(PortMapping(number, result))
    return list(inputs.values()), {label: replace(s.body, name=label) for label, s in sides.items()}


def loop_body(
    graph: Base,
    body: Base,
    first: int,
    inputs: Mapping[str, Inflow],
    outputs: Sequence[str | Stacked],
    name: str,
    purposes: Purposes | None = None,
) -> tuple[list[Any], Body]:
    """The inputs of a Loop or TensorIterator from the first one on that flows into its body, and the body.

    purposes: of a Loop, None for a TensorIterator
    """
    side = _Side(graph, body, name)
    operands = []
    for number, (key, inflow) in enumerate(inputs.items(), first):
        parameter = side.parameter(key, name)
        if isinstance(inflow, Sliced):
            operands.append(inflow.value)
            side.body.inputs.append(PortMapping(number, parameter, *astuple(inflow.cut)))
        elif isinstance(inflow, Carried):
            operands.append(inflow.initial)
            side.body.inputs.append(PortMapping(number, parameter))
            side.body.back_edges.append(BackEdge(side.result(inflow.result, name), parameter))
        else:
            operands.append(inflow)
            side.body.inputs.append(PortMapping(number, parameter))
    fed = dict.fromkeys(inputs)
    if purposes is not None:
        side.add_purposes(graph, purposes, name)
        if purposes.iteration is not None:
            fed[purposes.iteration] = None
    side.require_fed(fed, name)
    for number, output in enumerate(outputs, first + len(inputs)):
        if isinstance(output, Stacked):
            result = side.result(output.result, name)
            side.body.outputs.append(PortMapping(number, result, *astuple(output.cut)))
        else:
            side.body.outputs.append(PortMapping(number, side.result(output, name)))
    return operands, side.body


class _Side:
    """A graph as a body: its layers, with constants in the weights of the outer graph.

    parameters, results: the ids of layers by name
    """

    def __init__(self, outer: Base, graph: Base, name: str) -> None:
        if graph is outer:
            raise refuse("cross-graph-connection", "a graph cannot be its own body", name)
        layers = _moved(
            layers_of(graph.order, graph.origin.layers), outer.origin.weights.append(graph.origin.weights)
        )
        self.body = Body("body", layers)
        self.parameters: dict[str, int] = {}
        self.results: dict[str, int] = {}
        for node, layer in zip(graph.order, layers.layers):
            if node.kind is LayerKind.PARAMETER:
                self.parameters[node.name] = layer.id
            elif node.kind is LayerKind.RESULT:
                self.results[node.output_names[0] if node.output_names else node.name] = layer.id

    def parameter(self, key: str, name: str) -> int:
        if key not in self.parameters:
            raise _unknown("input", key, self.parameters, name)
        return self.parameters[key]

    def result(self, key: str, name: str) -> int:
        if key not in self.results:
            raise _unknown("result", key, self.results, name)
        return self.results[key]

    def add_purposes(self, outer: Base, purposes: Purposes, name: str) -> None:
        """Connect what is not a port of the loop: the number of the iteration, and the condition."""
        if purposes.iteration is not None:
            parameter = self.parameter(purposes.iteration, name)
            self.body.inputs.append(PortMapping(-1, parameter, purpose=CURRENT_ITERATION))
        wanted = purposes.condition
        result = self._always(outer) if wanted is None else self.result(wanted, name)
        self.body.outputs.append(PortMapping(-1, result, purpose=EXECUTION_CONDITION))

    def _always(self, outer: Base) -> int:
        """Add a Result of the constant true to the body; its id."""
        layers, edges = self.body.graph.layers, self.body.graph.edges
        number = 1 + max((layer.id for layer in layers), default=-1)
        data = outer.stored(np.array(True), BOOLEAN)
        constant = Layer(number, "continue", "Const", "opset1", data, outputs=[Port(0, BOOLEAN.precision)])
        result = Layer(number + 1, "continue/result", "Result", "opset1")
        result.inputs.append(Port(0, BOOLEAN.precision))
        layers += [constant, result]
        edges.append(Edge(number, 0, number + 1, 0))
        return result.id

    def require_fed(self, given: Mapping[str, Any], name: str) -> None:
        """Require that every Parameter of the body receives something. Raises: DiagnosticError"""
        lacking = [key for key in self.parameters if key not in given]
        if lacking:
            message = f"nothing flows into the input {lacking[0]!r} of a body of {name!r}"
            raise refuse("unmapped-parameter", message, name)


def _moved(graph: Layers, start: int) -> Layers:
    """A graph whose constants lie further behind in the weights."""
    return replace(graph, layers=[_moved_layer(layer, start) for layer in graph.layers])


def _moved_layer(layer: Layer, start: int) -> Layer:
    data = layer.data
    if layer.is_constant and start:
        data = {**data, "offset": str(int(data["offset"]) + start)}
    bodies = {key: replace(body, graph=_moved(body.graph, start)) for key, body in layer.bodies.items()}
    return replace(layer, data=data, bodies=bodies)


def _unknown(what: str, key: str, known: Any, name: str) -> Exception:
    has = ", ".join(map(repr, known)) or "none"
    message = f"the body has no {what} {key!r}; its {what}s are {has}{did_you_mean(key, known)}"
    return refuse("unmapped-parameter", message, name)
