"""The elements of an IR text with their offsets, also of a text that is not well-formed."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

_ATTRIBUTE = re.compile(r"""([^\s=<>"'/]++)(?:\s*+=\s*+("[^"<]*+"?|'[^'<]*+'?)?)?""")
Path = tuple[int | str, ...]
"""Layer ids and names of bodies from the model down to a graph: (5, "body")."""


@dataclass(frozen=True, slots=True)
class AttributeSpan:
    """An attribute in a start tag. start, end: of the name; value_start, value_end: of the value without
    quotes, both -1 where there is none.
    """

    name: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int


@dataclass(slots=True, eq=False)
class OutlineNode:
    """An element. start: of its start tag; head_end: after its start tag; end: after its end tag, or where
    the text has none, before what follows.
    """

    tag: str
    start: int
    head_end: int
    parent: "OutlineNode | None"
    end: int = -1
    children: "list[OutlineNode]" = field(default_factory=list)

    def named(self, tag: str) -> "Iterator[OutlineNode]":
        """The children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def at(self, offset: int) -> "OutlineNode":
        """The innermost element around an offset, this one if no child is around it."""
        node = self
        while True:
            place = bisect_right(node.children, offset, key=lambda child: child.start) - 1
            if place < 0 or node.children[place].end <= offset:
                return node
            node = node.children[place]

    def above(self, *tags: str) -> "OutlineNode | None":
        """The innermost element with one of some tags, this one or one around it."""
        node: OutlineNode | None = self
        while node is not None and node.tag not in tags:
            node = node.parent
        return node


@dataclass(slots=True, eq=False)
class LayerSpan:
    """A layer of the text. id: None where it is absent or malformed."""

    node: OutlineNode
    graph: "GraphSpan"
    id: int | None
    name: str
    type: str
    version: str

    def ports(self, text: str, side: str) -> list[tuple[int | None, OutlineNode]]:
        """The ids and elements of its inputs ("input") or outputs ("output"). text: that of the outline"""
        sides = self.node.named(side)
        return [(number(values(text, port).get("id")), port) for s in sides for port in s.named("port")]


@dataclass(frozen=True, slots=True)
class EdgeSpan:
    """An edge of the text; None for what is absent or malformed."""

    node: OutlineNode
    graph: "GraphSpan" = field(repr=False)
    from_layer: int | None
    from_port: int | None
    to_layer: int | None
    to_port: int | None


@dataclass(slots=True, eq=False)
class GraphSpan:
    """A graph: the model's, or a body. layers: by id, of equal ids the first."""

    path: Path
    owner: LayerSpan | None
    layers: dict[int, LayerSpan] = field(default_factory=dict)
    edges: list[EdgeSpan] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Outline:
    """The elements of a text. layers: in the order of the text, by the start of their elements."""

    text: str
    root: OutlineNode
    layers: dict[int, LayerSpan] = field(default_factory=dict)
    edges: dict[int, EdgeSpan] = field(default_factory=dict)

    def layer_of(self, node: OutlineNode) -> LayerSpan | None:
        """The layer that an element belongs to."""
        owner = node.above("layer")
        return None if owner is None else self.layers.get(owner.start)


def attributes(text: str, node: OutlineNode) -> list[AttributeSpan]:
    """The attributes of an element, in the order of the text."""
    start = node.start + 1 + len(node.tag)
    spans: list[AttributeSpan] = []
    for match in _ATTRIBUTE.finditer(text, start, node.head_end):
        quoted = match[2] or ""
        closed = len(quoted) > 1 and quoted[-1] == quoted[0]
        value = quoted[1:-1] if closed else quoted[1:]
        value_start = match.start(2) + 1 if quoted else -1
        value_end = value_start + len(value) if quoted else -1
        spans.append(
            AttributeSpan(match[1], unescape(value), match.start(1), match.end(1), value_start, value_end)
        )
    return spans


def values(text: str, node: OutlineNode) -> dict[str, str]:
    """The attributes of an element by name, of equal names the first."""
    by_name: dict[str, str] = {}
    for name, quoted in _ATTRIBUTE.findall(text, node.start + 1 + len(node.tag), node.head_end):
        value = quoted.strip(quoted[:1]) if quoted else ""
        by_name.setdefault(name, unescape(value) if "&" in value else value)
    return by_name


def names_in(text: str, node: OutlineNode, offset: int) -> set[str]:
    """The names of the attributes of an element, but for the one that ends at an offset or is around it."""
    return {span.name for span in attributes(text, node) if not span.start <= offset <= span.end}


def number(text: str | None) -> int | None:
    """The number that a text is; None for any other text."""
    if text is None or len(text) > 19 or not (text.isascii() and text.isdigit()):
        return None
    return int(text)


MAX_TEXT = 64 << 20
"""Texts with more characters have no elements."""
MAX_NODES = 2_000_000
MAX_DEPTH = 400
BODIES = ("body", "then_body", "else_body")
MAPS = ("port_map", "then_port_map", "else_port_map", "back_edges")
PARENTS: dict[str, tuple[str, ...]] = {
    "layers": ("net", *BODIES),
    "edges": ("net", *BODIES),
    "layer": ("layers",),
    "edge": ("edges", "back_edges"),
    "data": ("layer",),
    "input": ("layer", *MAPS),
    "output": ("layer", *MAPS),
    "port": ("input", "output"),
    **dict.fromkeys((*BODIES, *MAPS), ("layer",)),
}
"""Where elements may be: one that starts elsewhere ends those that are still open, as in a text that is being
typed.
"""
_TAG = re.compile(
    r"<(?:(?P<other>!--.*?(?:-->|\Z)|!\[CDATA\[.*?(?:\]\]>|\Z)|\?.*?(?:\?>|\Z))"
    rf"|(?P<close>/?)(?P<tag>{'|'.join(('net', *PARENTS))})(?=[\s/>\"'<]|\Z)"
    r"""(?P<rest>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)(?P<end>>?))""",
    re.DOTALL,
)


def outline_of(text: str) -> Outline:
    """The outline of a text; without elements for one that is too large."""
    outline = Outline(text, _nodes_of(text))
    # find the layers and edges of all graphs
    ahead: list[tuple[OutlineNode, GraphSpan]] = [(outline.root, GraphSpan((), None))]
    for node in outline.root.named("net"):
        ahead.append((node, ahead[0][1]))
    while ahead:
        owner, graph = ahead.pop()
        for section in owner.children:
            for element in section.children:
                if element.tag == "layer" and section.tag == "layers":
                    layer = _layer(outline, element, graph)
                    for body in element.children:
                        if body.tag in BODIES:
                            path: Path = (*graph.path, -1 if layer.id is None else layer.id, body.tag)
                            ahead.append((body, GraphSpan(path, layer)))
                elif element.tag == "edge" and section.tag == "edges":
                    _edge(outline, element, graph)
    outline.layers = dict(sorted(outline.layers.items()))
    return outline


def _nodes_of(text: str) -> OutlineNode:
    """The elements of a text, in a node that stands for the text; none of one that is too large."""
    root = OutlineNode("", 0, 0, None, len(text))
    if len(text) > MAX_TEXT:
        return root
    stack, count = [root], 0
    for match in _TAG.finditer(text):
        tag = match["tag"]
        if tag is None:
            continue
        if match["close"]:
            _close(stack, tag, match.start(), match.end())
            continue
        count += 1
        if count > MAX_NODES:
            break
        _end_at(stack, PARENTS.get(tag, ()), match.start())
        node = OutlineNode(tag, match.start(), match.end(), stack[-1], match.end())
        stack[-1].children.append(node)
        if not (match["end"] and match["rest"].endswith("/")) and len(stack) < MAX_DEPTH:
            stack.append(node)
    for node in stack[1:]:
        node.end = len(text)
    return root


def _close(stack: list[OutlineNode], tag: str, start: int, end: int) -> None:
    """End the innermost open element with a tag, and those in it; without one, nothing."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag == tag), 0)
    if place == 0:
        return
    for node in stack[place + 1 :]:
        node.end = start
    stack[place].end = end
    del stack[place:]


def _end_at(stack: list[OutlineNode], parents: tuple[str, ...], start: int) -> None:
    """End the open elements in which one of some parents cannot be, if one around them is its place."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag in parents), 0)
    if place:
        for node in stack[place + 1 :]:
            node.end = start
        del stack[place + 1 :]


def _layer(outline: Outline, node: OutlineNode, graph: GraphSpan) -> LayerSpan:
    texts = values(outline.text, node)
    name, named_type, version = (texts.get(key, "") for key in ("name", "type", "version"))
    layer = LayerSpan(node, graph, number(texts.get("id")), name, named_type, version)
    outline.layers[node.start] = layer
    if layer.id is not None:
        graph.layers.setdefault(layer.id, layer)
    return layer


def _edge(outline: Outline, node: OutlineNode, graph: GraphSpan) -> None:
    texts = values(outline.text, node)
    ends = (number(texts.get(name)) for name in ("from-layer", "from-port", "to-layer", "to-port"))
    edge = EdgeSpan(node, graph, *ends)
    outline.edges[node.start] = edge
    graph.edges.append(edge)
