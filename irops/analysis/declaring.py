"""Declares the ports that a program left undeclared, as inference knows them, so that a file can be read."""

from __future__ import annotations

from dataclasses import replace

from irops.analysis.inferred import Inferred
from irops.ir.model import Body, Graph, Layer, LayerKind, Model, Port, walk
from irops.values.fact import Fact

DYNAMIC_SIZE = -1


def has_undeclared_ports(model: Model) -> bool:
    """Whether an output port lacks the precision that OpenVINO's reader requires."""
    return any(_undeclared(port) for _, layer in walk(model.graph) for port in layer.outputs)


def with_declared_ports(model: Model, inferred: Inferred) -> Model:
    """The model with the inferred precisions and sizes in all ports that have neither.

    Ports that declare a precision or sizes, or that come from a file, stay as they are.
    """
    return model.with_graph(_graph(model.graph, inferred))


def _graph(graph: Graph, inferred: Inferred) -> Graph:
    return replace(graph, layers=[_layer(layer, inferred) for layer in graph.layers])


def _layer(layer: Layer, inferred: Inferred) -> Layer:
    facts = inferred.layers.get(layer.id)
    if facts is None:
        return layer
    is_result = layer.kind is LayerKind.RESULT
    return replace(
        layer,
        inputs=[_port(port, fact) for port, fact in _pairs(layer.inputs, facts.inputs)],
        outputs=[
            _port(port, fact) for port, fact in _pairs(layer.outputs, [] if is_result else facts.outputs)
        ],
        bodies={name: _body(body, facts.bodies.get(name)) for name, body in layer.bodies.items()},
    )


def _body(body: Body, inferred: Inferred | None) -> Body:
    return body if inferred is None else replace(body, graph=_graph(body.graph, inferred))


def _pairs(ports: list[Port], facts: list[Fact | None] | list[Fact]) -> list[tuple[Port, Fact | None]]:
    return [(port, facts[k] if k < len(facts) else None) for k, port in enumerate(ports)]


def _port(port: Port, fact: Fact | None) -> Port:
    if fact is None or not _undeclared(port):
        return port
    dims = tuple(int(dim.low) if dim.known else DYNAMIC_SIZE for dim in fact.shape.dims or ())
    return replace(port, precision=fact.element_type.precision, dims=dims)


def _undeclared(port: Port) -> bool:
    return port.at < 0 and port.precision is None and not port.dims
