"""Definitions and references: along edges, and from layers to the files of their ops."""

from __future__ import annotations

from pathlib import Path

from lsprotocol.types import Location, Position, Range

from irops.server.cursor import Cursor, body_layer, port_at, port_node
from irops.server.op_lookup import OpLookup, attribute_line, places, source_of
from irops.server.outline import GraphSpan, LayerSpan, OutlineNode
from irops.server.text import Text


def definitions(cursor: Cursor, ops: OpLookup, text: Text, uri: str) -> list[Location]:
    """Where what is at a cursor comes from: the output of an edge or of an input, the files of an op."""
    node = _target(cursor)
    if node is not None:
        return [_location(uri, text, node)]
    layer, attribute = cursor.layer, cursor.attribute
    if layer is None or not cursor.in_head:
        return []
    op = ops.op(layer.type, layer.version)
    if op is None:
        return []
    if cursor.node.tag == "data" and attribute is not None:
        return [line_location(op.definition.path, attribute_line(op, attribute.name))]
    if cursor.node.tag == "layer" and (attribute is None or attribute.name in ("type", "version")):
        return [line_location(file, line) for file, line in places(op)]
    return []


def _target(cursor: Cursor) -> OutlineNode | None:
    """The element that an end of an edge, an input or an entry of a port map refers to."""
    inner = body_layer(cursor)
    if inner is not None:
        return inner.node
    if cursor.edge is not None:
        edge, name = cursor.edge, cursor.attribute.name if cursor.attribute else "from-port"
        ends = {"from": (edge.from_layer, edge.from_port), "to": (edge.to_layer, edge.to_port)}
        layer, port = ends["to" if name.startswith("to-") else "from"]
        return port_node(cursor.outline, edge.graph, layer, port if name.endswith("-port") else None)
    at = port_at(cursor)
    if at is None:
        return None
    layer_at, side, label = at
    if side == "output":
        return layer_at.node
    edge_in = source_of(layer_at, label)
    if edge_in is None:
        return None
    return port_node(cursor.outline, edge_in.graph, edge_in.from_layer, edge_in.from_port)


def references(cursor: Cursor, text: Text, uri: str, *, declaration: bool) -> list[Location]:
    """The edges of the layer or the port at a cursor, and the inputs that edges lead to.

    declaration: also the layer itself
    """
    layer, port = _subject(cursor)
    if layer is None or layer.id is None:
        return []
    nodes: dict[int, OutlineNode] = {layer.node.start: layer.node} if declaration else {}
    for edge in layer.graph.edges:
        starts = edge.from_layer == layer.id and port in (None, edge.from_port)
        ends = edge.to_layer == layer.id and port in (None, edge.to_port)
        if not (starts or ends):
            continue
        nodes[edge.node.start] = edge.node
        other = (edge.to_layer, edge.to_port) if starts else (edge.from_layer, edge.from_port)
        target = port_node(cursor.outline, layer.graph, *other)
        if target is not None:
            nodes[target.start] = target
    return [_location(uri, text, node) for _, node in sorted(nodes.items())]


def _subject(cursor: Cursor) -> tuple[LayerSpan | None, int | None]:
    """The layer at a cursor, or at the end of the edge at it, and the port if it is about one."""
    edge = cursor.edge
    if edge is None:
        at = port_at(cursor)
        return (at[0], at[2]) if at is not None else (cursor.layer, None)
    name = cursor.attribute.name if cursor.attribute else "from-layer"
    is_end = name.startswith("to-")
    port = edge.to_port if is_end else edge.from_port
    layer = _layer(edge.graph, edge.to_layer if is_end else edge.from_layer)
    return layer, port if name.endswith("-port") else None


def _layer(graph: GraphSpan, number: int | None) -> LayerSpan | None:
    return None if number is None else graph.layers.get(number)


def _location(uri: str, text: Text, node: OutlineNode) -> Location:
    return Location(uri, text.range(node.start, node.head_end))


def line_location(file: str, line: int) -> Location:
    """The start of a line, from 1, of a file."""
    start = Position(line - 1, 0)
    return Location(Path(file).resolve().as_uri(), Range(start, start))
