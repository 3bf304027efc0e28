"""Symbols, folding ranges and inlay hints of an IR text."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from irops.server.navigation import Outputs
from irops.server.outline import BODIES, GraphSpan, LayerSpan, Outline, OutlineNode
from irops.server.text import Text

FOLDED = ("layers", "edges", "layer", *BODIES)
MAX_PATH = 32
"""Layers with a longer path of layers and bodies have no symbol: answers are nested as deeply as symbols."""
MAX_HINTS = 2000
"""How many inlay hints one request gets."""


def symbols(outline: Outline, text: Text) -> list[types.DocumentSymbol]:
    """A symbol for each layer, bodies with their layers inside."""
    by_graph: dict[int, list[LayerSpan]] = {}
    for layer in outline.layers.values():
        if len(layer.graph.path) <= MAX_PATH:
            by_graph.setdefault(id(layer.graph), []).append(layer)
    top: list[types.DocumentSymbol] = []
    children: dict[int, list[types.DocumentSymbol]] = {}
    for layers in by_graph.values():
        owner = layers[0].graph.owner
        into = top
        if owner is not None:
            body = layers[0].node.above(*BODIES) or layers[0].node
            into = []
            inner_symbol = symbol(text, body, body.tag, "", types.SymbolKind.Namespace, into)
            children.setdefault(owner.node.start, []).append(inner_symbol)
        for layer in layers:
            inner = children.setdefault(layer.node.start, [])
            name = layer.name or f"layer {layer.id if layer.id is not None else '?'}"
            into.append(symbol(text, layer.node, name, layer.type, _kind(layer), inner))
    return top


def symbol(
    text: Text,
    node: OutlineNode,
    name: str,
    detail: str,
    kind: types.SymbolKind,
    inner: list[types.DocumentSymbol],
) -> types.DocumentSymbol:
    """A symbol for an element, with those in it."""
    return types.DocumentSymbol(
        name=name[:200].strip() or "?",
        detail=detail[:200],
        kind=kind,
        range=text.range(node.start, node.end),
        selection_range=text.range(node.start, min(node.head_end, node.end)),
        children=inner,
    )


def _kind(layer: LayerSpan) -> types.SymbolKind:
    kinds = {
        "Parameter": types.SymbolKind.Field,
        "Result": types.SymbolKind.Event,
        "Const": types.SymbolKind.Constant,
    }
    return kinds.get(layer.type, types.SymbolKind.Function)


def folding_ranges(root: OutlineNode, text: Text) -> list[types.FoldingRange]:
    """The lines of layers, bodies and lists of layers and edges."""
    return [types.FoldingRange(first, last) for first, last in _folded_lines(root, text)]


def _folded_lines(root: OutlineNode, text: Text) -> Iterator[tuple[int, int]]:
    ahead = [root]
    while ahead:
        node = ahead.pop()
        ahead.extend(reversed(node.children))
        if node.tag in FOLDED:
            first, last = text.line_of(node.start), text.line_of(node.end - 1)
            if last > first:
                yield first, last


def hints(outline: Outline, text: Text, outputs: Outputs, where: types.Range) -> list[types.InlayHint]:
    """Type and shape of each output, after the start tag of its port, in a range of the text."""
    start, end = text.offset(where.start), text.offset(where.end)
    result: list[types.InlayHint] = []
    for layer in outline.layers.values():
        if layer.node.start > end or len(result) >= MAX_HINTS:
            break
        facts = _facts(layer, outputs) if layer.node.end >= start else ()
        ports = layer.ports(outline.text, "output") if facts else []
        for (_, port), fact in zip(ports, facts):
            if start <= port.head_end <= end:
                result.append(_hint(text, port.head_end, fact))
    return result


def _facts(layer: LayerSpan, outputs: Outputs) -> tuple[str, ...]:
    graph: GraphSpan = layer.graph
    return outputs.get((graph.path, -1 if layer.id is None else layer.id), ())


def _hint(text: Text, offset: int, fact: str) -> types.InlayHint:
    return types.InlayHint(
        position=text.position(offset), label=fact[:200], kind=types.InlayHintKind.Type, padding_left=True
    )
