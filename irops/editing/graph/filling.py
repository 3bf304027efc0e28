"""The nodes of a graph that is made from a model."""

from __future__ import annotations

from irops.analysis.state import declared_variables
from irops.analysis.structure import LayerNode
from irops.editing.graph.base import Base
from irops.editing.graph.node import Node, Value
from irops.ir.model import Layer
from irops.values.element import DYNAMIC
from irops.values.fact import Fact


def fill(graph: Base) -> None:
    """Add the nodes of the model that a graph is made from."""
    origin = graph.origin
    if origin.graph is None:
        return
    graph.facts.variables.update(declared_variables(origin.base))
    nodes: dict[int, Node] = {}
    for layer in origin.graph.graph.layers:
        nodes[layer.id] = _node(graph, layer, origin.graph.layers[layer.id])
    for rank, layer_node in enumerate(origin.graph.order):
        nodes[layer_node.layer.id].rank = float(rank)
    for layer in origin.graph.graph.layers:
        node = nodes[layer.id]
        for source in origin.graph.wiring.inputs[layer.id]:
            value = None if source is None else nodes[source[0].id].outputs[source[1]]
            graph.connect(node, len(node.sources), value)
        node.first_sources = list(node.sources)
        node.first_inputs = node.input_facts


def _node(graph: Base, layer: Layer, known: LayerNode) -> Node:
    origin = graph.origin
    node = Node(graph, layer.type, layer.version, layer.name, layer.data)
    node.layer, node.invocation = layer, known.invocation
    node.bodies, node.output_names = layer.bodies, layer.output_names
    node.outputs = tuple(Value(node, index) for index in range(len(layer.outputs)))
    node.consumers = [{} for _ in layer.outputs]
    node.tensor_names = [port.names for port in layer.outputs]
    facts = None if origin.inferred is None else origin.inferred.of(layer.id)
    node.failed = facts is None or facts.failed
    outputs = [] if facts is None else facts.outputs
    node.facts = [
        outputs[index] if index < len(outputs) else Fact(DYNAMIC) for index in range(len(layer.outputs))
    ]
    node.first_facts = list(node.facts)
    graph.insert(node)
    return node
