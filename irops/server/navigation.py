"""Definitions and references, along edges and to the files of ops; names, symbols, ranges to fold, hints."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from lsprotocol import types

from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.printable import plural
from irops.dialects.registry import registry_with
from irops.server.outline import (
    BODIES,
    Cursor,
    EdgeSpan,
    LayerSpan,
    Outline,
    OutlineNode,
    Text,
    attributes,
    body_layer,
    cursor_at,
    port_at,
    port_node,
)
from irops.server.records import GraphPath, ServerOptions
from irops.spec.definition import attribute_phrase
from irops.spec.op import NoOp, Op

Outputs = Mapping[tuple[GraphPath, int], tuple[str, ...]]
"""Type and shape of each output, by the path of the graph and the id of the layer."""


class OpLookup:
    """The ops by type and version of layers."""

    def __init__(self, options: ServerOptions) -> None:
        self.registry = registry_with(options.definitions, options.modules)

    def op(self, type: str, version: str) -> Op | None:
        """The op of a type and a version; None if there is none, or its definition is faulty."""
        try:
            resolved = self.registry.resolve(type, version)
        except DiagnosticError:  # reported in its own file
            return None
        return None if isinstance(resolved, NoOp) else resolved

    def page_of(self, name: str) -> Op | None:
        """The op of an id or a type; None if there is none."""
        try:
            return self.registry.named(name)
        except (KeyError, DiagnosticError):
            return None

    def custom(self) -> tuple[str, ...]:
        """The ids of custom ops; none where a folder of definitions is faulty."""
        try:
            return tuple(self.registry.extensions())
        except DiagnosticError:
            return ()


@dataclass(frozen=True, slots=True)
class View:
    """One version of a text, and what is known of it. outputs: as they were inferred last"""

    uri: str
    text: Text
    outline: Outline
    ops: OpLookup
    outputs: Outputs

    def cursor(self, at: types.Position) -> Cursor:
        return cursor_at(self.outline, self.text.offset(at))

    def location(self, node: OutlineNode) -> types.Location:
        return types.Location(self.uri, self.text.range(node.start, node.head_end))


def attribute_line(op: Op, name: str) -> int:
    """The line, from 1, of an attribute in the file of its definition; 1 if it cannot be found."""
    try:
        lines = Path(op.definition.path).read_text("utf-8", "replace").splitlines()
    except OSError:
        return 1
    return next((k for k, line in enumerate(lines, 1) if f'<attribute name="{name}"' in line), 1)


def source_of(layer: LayerSpan, port: int) -> EdgeSpan | None:
    """The edge that ends at an input of a layer; of several the first."""
    edges = layer.graph.edges
    return next((e for e in edges if e.to_layer == layer.id and e.to_port == port), None)


def output_text(outline: Outline, outputs: Outputs, layer: LayerSpan, port: int | None) -> str:
    """Type and shape of an output as they were inferred last; empty if they are not known."""
    facts = _facts(layer, outputs)
    labels = [label for label, _ in layer.ports(outline.text, "output")]
    index = labels.index(port) if port in labels else -1
    return facts[index] if 0 <= index < len(facts) else ""


def definitions(view: View, params: types.DefinitionParams) -> list[types.Location]:
    """Where what is at a cursor comes from: the output of an edge or of an input, the files of an op."""
    cursor = view.cursor(params.position)
    node = _target(cursor)
    if node is not None:
        return [view.location(node)]
    layer, attribute = cursor.layer, cursor.attribute
    if layer is None or not cursor.in_head:
        return []
    op = view.ops.op(layer.type, layer.version)
    if op is None:
        return []
    if cursor.node.tag == "data" and attribute is not None:
        return [line_location(op.definition.path, attribute_line(op, attribute.name))]
    if cursor.node.tag == "layer" and (attribute is None or attribute.name in ("type", "version")):
        first = ("definition", "kernel")
        found = sorted(op.places().items(), key=lambda place: place[0] not in first)
        return [line_location(file, line) for _, (file, line) in found]
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


def references(view: View, params: types.ReferenceParams) -> list[types.Location]:
    """The edges of the layer or the port at a cursor, and the inputs that edges lead to; the layer itself, if
    that is asked for.
    """
    layer, port = _subject(view.cursor(params.position))
    if layer is None or layer.id is None:
        return []
    nodes: dict[int, OutlineNode] = {}
    if params.context.include_declaration:
        nodes[layer.node.start] = layer.node
    for edge in layer.graph.edges:
        starts = edge.from_layer == layer.id and port in (None, edge.from_port)
        ends = edge.to_layer == layer.id and port in (None, edge.to_port)
        if not (starts or ends):
            continue
        nodes[edge.node.start] = edge.node
        other = (edge.to_layer, edge.to_port) if starts else (edge.from_layer, edge.from_port)
        target = port_node(view.outline, layer.graph, *other)
        if target is not None:
            nodes[target.start] = target
    return [view.location(node) for _, node in sorted(nodes.items())]


def _subject(cursor: Cursor) -> tuple[LayerSpan | None, int | None]:
    """The layer at a cursor, or at the end of the edge at it, and the port if it is about one."""
    edge = cursor.edge
    if edge is None:
        at = port_at(cursor)
        return (at[0], at[2]) if at is not None else (cursor.layer, None)
    name = cursor.attribute.name if cursor.attribute else "from-layer"
    is_end = name.startswith("to-")
    port = edge.to_port if is_end else edge.from_port
    number = edge.to_layer if is_end else edge.from_layer
    layer = None if number is None else edge.graph.layers.get(number)
    return layer, port if name.endswith("-port") else None


def name_range(view: View, params: types.PrepareRenameParams | types.RenameParams) -> types.Range | None:
    """Where the name of the layer at a cursor stands; None where there is none. Edges refer to ids, so that
    it stands nowhere else.
    """
    layer = _subject(view.cursor(params.position))[0]
    spans = () if layer is None else attributes(view.outline.text, layer.node)
    found = next((span for span in spans if span.name == "name" and span.value_start >= 0), None)
    return None if found is None else view.text.range(found.value_start, found.value_end)


def renamed(view: View, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edit that gives the layer at a cursor another name."""
    where = name_range(view, params)
    if where is None:
        return None
    entities = {'"': "&quot;", "'": "&apos;", "\n": "&#10;", "\t": "&#9;"}
    return types.WorkspaceEdit({view.uri: [types.TextEdit(where, escape(params.new_name, entities))]})


def signature(view: View, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """The attributes of the op of a layer, at a cursor in the start tag of its data."""
    cursor = view.cursor(params.position)
    layer, typed = cursor.layer, cursor.attribute
    op = None if layer is None else view.ops.op(layer.type, layer.version)
    if op is None or cursor.node.tag != "data" or not cursor.in_head:
        return None
    known = list(op.definition.attributes.values())
    names = [attribute.name for attribute in known]
    parameters = [types.ParameterInformation(one.name, attribute_phrase(one)) for one in known]
    label = f"{op.id}: {', '.join(names)}"
    active = names.index(typed.name) if typed is not None and typed.name in names else None
    return types.SignatureHelp(
        [types.SignatureInformation(label, op.definition.summary, parameters)], 0, active
    )


def lenses(view: View, _: types.CodeLensParams) -> list[types.CodeLens]:
    """Above each layer with outputs, how many inputs take them."""
    users: Counter[int] = Counter()
    for edge in view.outline.edges.values():
        source = None if edge.from_layer is None else edge.graph.layers.get(edge.from_layer)
        if source is not None:
            users[source.node.start] += 1
    shown = [layer.node for layer in view.outline.layers.values() if layer.ports(view.text.source, "output")]
    return [
        types.CodeLens(
            view.text.range(node.start, node.head_end), types.Command(plural(users[node.start], "user"), "")
        )
        for node in shown[:MAX_HINTS]
    ]


def layers_named(view: View, query: str) -> list[types.WorkspaceSymbol]:
    """The layers whose name or type has a text in it."""
    return [
        types.WorkspaceSymbol(
            view.location(layer.node),
            layer.name[:200].strip() or "?",
            _kind(layer),
            container_name=layer.type[:200],
        )
        for layer in view.outline.layers.values()
        if query.lower() in f"{layer.name}\n{layer.type}".lower()
    ]


def line_location(file: str, line: int) -> types.Location:
    """The start of a line, from 1, of a file."""
    start = types.Position(line - 1, 0)
    return types.Location(Path(file).resolve().as_uri(), types.Range(start, start))


FOLDED = ("layers", "edges", "layer", *BODIES)
MAX_PATH = 32
"""Layers with a longer path of layers and bodies have no symbol: answers are nested as deeply as symbols."""
MAX_HINTS = 2000
"""How many inlay hints one request gets."""


def symbols(view: View, _: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """A symbol for each layer, bodies with their layers inside."""
    by_graph: dict[int, list[LayerSpan]] = {}
    for layer in view.outline.layers.values():
        if len(layer.graph.path) <= MAX_PATH:
            by_graph.setdefault(id(layer.graph), []).append(layer)
    top: list[types.DocumentSymbol] = []
    children: dict[int, list[types.DocumentSymbol]] = {}
    for layers in by_graph.values():
        owner = layers[0].graph.owner
        into = top
        if owner is not None:
            body = layers[0].node.above(*BODIES)
            assert body is not None
            into = []
            inner_symbol = symbol(view.text, body, body.tag, "", types.SymbolKind.Namespace, into)
            children.setdefault(owner.node.start, []).append(inner_symbol)
        for layer in layers:
            inner = children.setdefault(layer.node.start, [])
            name = layer.name or f"layer {layer.id if layer.id is not None else '?'}"
            into.append(symbol(view.text, layer.node, name, layer.type, _kind(layer), inner))
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
    known = types.SymbolKind
    kinds = {"Parameter": known.Field, "Result": known.Event, "Const": known.Constant}
    return kinds.get(layer.type, types.SymbolKind.Function)


def folding_ranges(view: View, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """The lines of layers, bodies and lists of layers and edges."""
    return [types.FoldingRange(*lines) for lines in _folded_lines(view.outline.root, view.text)]


def _folded_lines(root: OutlineNode, text: Text) -> Iterator[tuple[int, int]]:
    ahead = [root]
    while ahead:
        node = ahead.pop()
        ahead.extend(reversed(node.children))  # popped in the order of the text
        if node.tag in FOLDED:
            first, last = text.line_of(node.start), text.line_of(node.end - 1)
            if last > first:
                yield first, last


def hints(view: View, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Type and shape of each output, after the start tag of its port, in a range of the text."""
    start, end = view.text.offset(params.range.start), view.text.offset(params.range.end)
    result: list[types.InlayHint] = []
    for layer in view.outline.layers.values():
        if layer.node.start > end or len(result) >= MAX_HINTS:
            break
        facts = _facts(layer, view.outputs) if layer.node.end >= start else ()
        ports = layer.ports(view.outline.text, "output") if facts else []
        for (_, port), fact in zip(ports, facts):
            if start <= port.head_end <= end:
                result.append(_hint(view.text, port.head_end, fact))
    return result


def _facts(layer: LayerSpan, outputs: Outputs) -> tuple[str, ...]:
    return outputs.get((layer.graph.path, -1 if layer.id is None else layer.id), ())


def _hint(text: Text, offset: int, fact: str) -> types.InlayHint:
    return types.InlayHint(
        position=text.position(offset), label=fact[:200], kind=types.InlayHintKind.Type, padding_left=True
    )
