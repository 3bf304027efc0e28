"""Makes the outline of an IR text in one pass."""

from __future__ import annotations

from irops.server.outline.elements import EdgeSpan, GraphSpan, LayerSpan, Node, Outline, Path, number, values
from irops.server.outline.nodes import Vocabulary, nodes_of

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
IR = Vocabulary("net", PARENTS)


def outline_of(text: str) -> Outline:
    """The outline of a text; without elements for one that is too large."""
    outline = Outline(text, nodes_of(text, IR))
    _read_graphs(outline)
    return outline


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
