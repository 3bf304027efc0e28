"""Makes the outline of an IR text in one pass. Broken tags end where the next one starts."""

from __future__ import annotations

import re

from irops.server.outline.elements import EdgeSpan, GraphSpan, LayerSpan, Node, Outline, Path, number, values

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
    _read_graphs(outline)
    return outline


def _nodes_of(text: str) -> Node:
    """The elements of a text, in a node that stands for the text; none of one that is too large."""
    root = Node("", 0, 0, None, len(text))
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
        node = Node(tag, match.start(), match.end(), stack[-1], match.end())
        stack[-1].children.append(node)
        if not (match["end"] and match["rest"].endswith("/")) and len(stack) < MAX_DEPTH:
            stack.append(node)
    for node in stack[1:]:
        node.end = len(text)
    return root


def _close(stack: list[Node], tag: str, start: int, end: int) -> None:
    """End the innermost open element with a tag, and those in it; without one, nothing."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag == tag), 0)
    if place == 0:
        return
    for node in stack[place + 1 :]:
        node.end = start
    stack[place].end = end
    del stack[place:]


def _end_at(stack: list[Node], parents: tuple[str, ...], start: int) -> None:
    """End the open elements in which one of some parents cannot be, if one around them is its place."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag in parents), 0)
    if place:
        for node in stack[place + 1 :]:
            node.end = start
        del stack[place + 1 :]


def _read_graphs(outline: Outline) -> None:
    """Find the layers and edges of all graphs."""
    ahead: list[tuple[Node, GraphSpan]] = [(outline.root, GraphSpan((), None))]
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


def _layer(outline: Outline, node: Node, graph: GraphSpan) -> LayerSpan:
    texts = values(outline.text, node)
    name, named_type, version = (texts.get(key, "") for key in ("name", "type", "version"))
    layer = LayerSpan(node, graph, number(texts.get("id")), name, named_type, version)
    outline.layers[node.start] = layer
    if layer.id is not None:
        graph.layers.setdefault(layer.id, layer)
    return layer


def _edge(outline: Outline, node: Node, graph: GraphSpan) -> None:
    texts = values(outline.text, node)
    ends = (number(texts.get(name)) for name in ("from-layer", "from-port", "to-layer", "to-port"))
    edge = EdgeSpan(node, graph, *ends)
    outline.edges[node.start] = edge
    graph.edges.append(edge)
