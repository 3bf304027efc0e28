"""What a model uses that not every release of OpenVINO reads, and the oldest release that reads all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irops.analysis.structure import GraphNode, LayerNode, ModelStructure
from irops.dialects.openvino import DIALECT as OPENVINO
from irops.graph.order import feeding_layers
from irops.invocation.inputs import input_spec
from irops.ir.model import Layer, LayerKind, Port
from irops.spec.releases import Releases, releases
from irops.values.element import element_type_of_precision

MIN_BYTES = 512
"""Releases before 2024.5 do not recognize shorter files."""


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a layer uses, and the oldest release that reads it.

    rule: the name of the rule that a target without it violates; what: how messages call it, without its
    layer; at: the byte offset of the element; layer: None where the whole file needs it.
    """

    rule: str
    what: str
    since: str
    graph: GraphNode
    layer: Layer | None = None
    at: int = 0
    attribute: str | None = None


def needs(structure: ModelStructure) -> Iterator[Need]:
    """What keeps the oldest of the known releases from reading a model; nothing for other formats than IR."""
    if structure.dialect is not OPENVINO:
        return
    table = releases()
    for need in _all_needs(structure, table):
        if need.since != table.oldest:
            yield need


def oldest_release(structure: ModelStructure) -> tuple[str, tuple[Need, ...]]:
    """The oldest release that reads a model, as far as is known, and what needs that release."""
    found, table = list(needs(structure)), releases()
    oldest = table.newest_of(need.since for need in found)
    return oldest, tuple(need for need in found if need.since == oldest)


def _all_needs(structure: ModelStructure, table: Releases) -> Iterator[Need]:
    source = structure.model.source
    if source is not None and len(source.data) < MIN_BYTES:
        what = f"the file has {len(source.data)} bytes"
        since = table.of_feature("below-512-bytes")
        yield Need("format-newer-than-target", what, since, structure.root)
    for graph in structure.graphs:
        living = _living(graph)
        for node in graph.layers.values():
            yield from _port_needs(graph, node.layer, table)
            if node.layer.id in living:
                yield from _layer_needs(graph, node, table)


def _living(graph: GraphNode) -> set[int]:
    """The layers that OpenVINO creates: Parameters, and what Results and Assigns depend on."""
    kinds = (LayerKind.RESULT, LayerKind.SINK, LayerKind.PARAMETER)
    return feeding_layers(
        graph.wiring, [layer for layer in graph.wiring.layers.values() if layer.intended_kind in kinds]
    )


def _port_needs(graph: GraphNode, layer: Layer, table: Releases) -> Iterator[Need]:
    """Precisions of outputs, which OpenVINO parses in every layer."""
    for name in dict.fromkeys(_element_type(port) for port in layer.outputs):
        if name is not None:
            yield Need(
                "type-newer-than-target",
                f"has an output of {name}",
                table.of_type(name),
                graph,
                layer,
                layer.at,
            )


def _layer_needs(graph: GraphNode, node: LayerNode, table: Releases) -> Iterator[Need]:
    layer = node.layer
    since = table.of_op(layer.type, layer.version)
    if since is not None:
        what = f"is {layer.type} of {layer.version}"
        yield Need("op-newer-than-target", what, since, graph, layer, layer.at, "version")
    yield from _attribute_needs(graph, node, table)
    if node.op is not None and node.op.id in table.limited:
        yield from _input_needs(graph, node, table)
    if graph.outer is None and _is_empty(graph, layer):
        since = table.of_feature("zero-dimension")
        what = "is an input or a result of the model with a dimension of 0"
        yield Need("format-newer-than-target", what, since, graph, layer, layer.at)
    if node.op is not None and node.op.id == "ReadValue-6" and not graph.wiring.inputs[layer.id]:
        since = table.of_feature("variable-without-initial-value")
        yield Need("format-newer-than-target", "has no initial value", since, graph, layer, layer.at)


def _attribute_needs(graph: GraphNode, node: LayerNode, table: Releases) -> Iterator[Need]:
    layer = node.layer
    for name, attribute in node.op.definition.attributes.items() if node.op is not None else ():
        if attribute.type == "element_type" and name in layer.data:
            value = layer.data[name].lower()
            since = table.of_type(value, constant=layer.is_constant)
            what = f'has {name}="{value}"'
            yield Need("type-newer-than-target", what, since, graph, layer, layer.data_at, name)
            if layer.is_constant:
                what = f"has elements of {value} with the first of two in the lower half of a byte"
                yield Need(
                    "format-newer-than-target", what, table.of_order(value), graph, layer, layer.data_at, name
                )
        elif attribute.type == "enum" and name in layer.data and node.op is not None:
            since = table.of_value(node.op.id, name, layer.data[name])
            what = f'({node.op.id}) has {name}="{layer.data[name]}"'
            yield Need("value-newer-than-target", what, since, graph, layer, layer.data_at, name)


def _input_needs(graph: GraphNode, node: LayerNode, table: Releases) -> Iterator[Need]:
    op, layer = node.op, node.layer
    assert op is not None
    for index, source in enumerate(graph.wiring.inputs[layer.id]):
        name = None if source is None else _element_type(source[0].outputs[source[1]])
        if name is not None and index < max(len(op.definition.inputs), op.is_variadic * (index + 1)):
            port = input_spec(op, index)
            since = table.of_input(op.id, (port.type, port.name), name)
            what = f"({op.id}) has {name} for its input {port.name}"
            yield Need("input-type-newer-than-target", what, since, graph, layer, layer.at)


def _is_empty(graph: GraphNode, layer: Layer) -> bool:
    if layer.kind is LayerKind.PARAMETER:
        ports = layer.outputs
    elif layer.kind is LayerKind.RESULT:
        ports = [s[0].outputs[s[1]] for s in graph.wiring.inputs[layer.id] if s is not None]
    else:
        return False
    return any(0 in port.dims and min(port.dims) == 0 for port in ports)


def _element_type(port: Port) -> str | None:
    """The name of the element type that a port declares; None where there is no such type."""
    try:
        return element_type_of_precision(port.precision or "").name
    except ValueError:
        return None
