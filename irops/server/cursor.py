"""What a position of an IR text is about: an element, its attribute or value, or the tag being typed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from irops.server.outline import (
    AttributeSpan,
    EdgeSpan,
    GraphSpan,
    LayerSpan,
    Outline,
    OutlineNode,
    attributes,
    number,
)

# The start tag that is being typed, from the text before the cursor alone.

REACH = 1 << 14
"""How many characters before the cursor are read."""
_TAG_NAME = re.compile(r"<([A-Za-z_][\w:.-]*)?")
_WHOLE = re.compile(r"""\s+([^\s=<>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'))?""")
_VALUE = re.compile(r"""\s+([^\s=<>"'/]+)\s*=\s*(["'])([^"'<]*)\Z""")
_NAME = re.compile(r"""\s+([^\s=<>"'/]*)\Z""")


@dataclass(frozen=True, slots=True)
class TagStart:
    """A start tag up to the cursor. start, offset: of the tag and of the cursor; what: "tag", "attribute" or
    "value", of which word is what is typed so far; attribute: the one whose value is typed; written: the
    attributes before the cursor.
    """

    tag: str
    start: int
    offset: int
    what: str
    word: str
    attribute: str
    written: dict[str, str]


def tag_start(text: str, offset: int) -> TagStart | None:
    """The start tag around an offset, or None if there is none."""
    start = text.rfind("<", max(0, offset - REACH), offset)
    match = None if start < 0 else _TAG_NAME.match(text, start, offset)
    if match is None:
        return None
    tag = match[1] or ""
    position = match.end()
    if position == offset:
        return TagStart(tag, start, offset, "tag", tag, "", {})
    written: dict[str, str] = {}
    while position < offset:
        value = _VALUE.match(text, position, offset)
        if value is not None:
            return TagStart(tag, start, offset, "value", value[3], value[1], written)
        name = _NAME.match(text, position, offset)
        if name is not None:
            return TagStart(tag, start, offset, "attribute", name[1], "", written)
        whole = _WHOLE.match(text, position, offset)
        if whole is None:
            return None
        if whole[2]:
            written.setdefault(whole[1], whole[2][1:-1])
        position = whole.end()
    return None


@dataclass(frozen=True, slots=True)
class Cursor:
    """The innermost element at an offset; attribute: the one at the offset, in the start tag."""

    outline: Outline
    node: OutlineNode
    layer: LayerSpan | None
    edge: EdgeSpan | None
    attribute: AttributeSpan | None
    in_head: bool


def cursor_at(outline: Outline, offset: int) -> Cursor:
    """What an offset is about."""
    node = outline.root.at(offset)
    in_head = node.start <= offset < max(node.head_end, node.start + 1)
    spans = attributes(outline.text, node) if in_head and node.tag else []
    here = (span for span in spans if span.start <= offset <= max(span.end, span.value_end))
    edge = outline.edges.get(node.start) if node.tag == "edge" else None
    return Cursor(outline, node, outline.layer_of(node), edge, next(here, None), in_head)


def port_at(cursor: Cursor) -> tuple[LayerSpan, str, int] | None:
    """The layer, the side and the id of the port at a cursor; None where there is none."""
    owner = cursor.node.above("port")
    if owner is None or cursor.layer is None or owner.parent is None:
        return None
    side = owner.parent.tag
    for label, node in cursor.layer.ports(cursor.outline.text, side):
        if node is owner and label is not None:
            return cursor.layer, side, label
    return None


def port_node(outline: Outline, graph: GraphSpan, layer: int | None, port: int | None) -> OutlineNode | None:
    """The element of a port; that of its layer where the port does not exist; None without a layer."""
    owner = graph.layers.get(layer) if layer is not None else None
    if owner is None:
        return None
    sides = (pair for side in ("input", "output") for pair in owner.ports(outline.text, side))
    return next((node for label, node in sides if label == port), owner.node)


def body_layer(cursor: Cursor) -> LayerSpan | None:
    """The layer of a body that an entry of a port map or a back edge names at the cursor."""
    span, layer = cursor.attribute, cursor.layer
    if span is None or layer is None or span.name not in ("internal_layer_id", "from-layer", "to-layer"):
        return None
    maps = cursor.node.above("port_map", "then_port_map", "else_port_map", "back_edges")
    if maps is None:
        return None
    body = {"then_port_map": "then_body", "else_port_map": "else_body"}.get(maps.tag, "body")
    wanted = number(span.value)
    inner = next(layer.node.named(body), None)
    layers = cursor.outline.layers.values()
    return next(
        (
            one
            for one in layers
            if one.id == wanted
            and one.graph.owner is layer
            and inner is not None
            and inner.start <= one.node.start < inner.end
        ),
        None,
    )
