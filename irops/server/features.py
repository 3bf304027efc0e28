"""The requests and notifications that the server answers, and its start."""

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from irops.server import findings, hover, navigation
from irops.server.hover import plain
from irops.server.language_server import IropsServer, changed_files, watch_files
from irops.server.navigation import OpLookup, View
from irops.server.outline import (
    ATTRIBUTES,
    PARENTS,
    GraphSpan,
    LayerSpan,
    Outline,
    OutlineNode,
    Text,
    formatted,
    names_in,
    number,
    values,
)
from irops.server.records import ServerOptions
from irops.spec.definition import Attribute, attribute_phrase
from irops.spec.releases import opsets
from irops.values.element import element_types


def hovered(view: View, params: types.HoverParams) -> types.Hover | None:
    """The text of a hover as Markdown; None where there is nothing to say."""
    text = hover.hover_text(view.cursor(params.position), view.ops, view.outputs)
    return None if text is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def formatting(view: View, _: types.DocumentFormattingParams) -> list[types.TextEdit]:
    """The edit that gives a text OpenVINO's layout; none for a text that has it, or that has no layout."""
    source = view.text.source
    text = formatted(source)
    return [] if text in (None, source) else [types.TextEdit(view.text.range(0, len(source)), text)]


WAIT = 5.0
"""Seconds for which a request waits for the check of the newest text."""


def add_features(server: IropsServer) -> None:
    """Register all of them."""
    _add_synchronisation(server)
    _add_places(server)
    _add_lists(server)
    _add_commands(server)


def _add_synchronisation(server: IropsServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: IropsServer, _: types.InitializeParams) -> None:
        ls.use_documents()

    @server.feature(types.INITIALIZED)
    async def initialized(ls: IropsServer, _: types.InitializedParams) -> None:
        await ls.checks.start()
        await watch_files(ls)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(ls: IropsServer, params: types.DidChangeWatchedFilesParams) -> None:
        changed_files(ls, [change.uri for change in params.changes])

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(ls: IropsServer, params: types.DidOpenTextDocumentParams) -> None:
        document = ls.document(params.text_document.uri)
        if document is not None:
            ls.checks.changed(document, at_once=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(ls: IropsServer, params: types.DidChangeTextDocumentParams) -> None:
        document = ls.document(params.text_document.uri)
        if document is not None:
            ls.checks.changed(document)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(ls: IropsServer, params: types.DidSaveTextDocumentParams) -> None:
        document = ls.document(params.text_document.uri)
        if document is not None:  # the weights beside it may be new
            ls.checks.changed(document, at_once=True)
            changed_files(ls, [document.uri])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(ls: IropsServer, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.checks.closed(uri)
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _add_places(server: IropsServer) -> None:
    _add_answer(server, types.TEXT_DOCUMENT_HOVER, hovered)
    _add_answer(server, types.TEXT_DOCUMENT_DEFINITION, navigation.definitions, [])
    _add_answer(server, types.TEXT_DOCUMENT_REFERENCES, navigation.references, [])
    _add_answer(server, types.TEXT_DOCUMENT_PREPARE_RENAME, navigation.name_range)
    _add_answer(
        server,
        types.TEXT_DOCUMENT_RENAME,
        navigation.renamed,
        None,
        types.RenameOptions(prepare_provider=True),
    )
    spaces = types.SignatureHelpOptions(trigger_characters=[" "])
    _add_answer(server, types.TEXT_DOCUMENT_SIGNATURE_HELP, navigation.signature, None, spaces)
    triggers = types.CompletionOptions(trigger_characters=["<", '"', "'", " "], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, triggers)
    async def completed(ls: IropsServer, params: types.CompletionParams) -> types.CompletionList | None:
        view = await _view(ls, params.text_document.uri)
        if view is None:
            return None
        return await asyncio.to_thread(completions, view, params.position, snippets=ls.snippets)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolved(ls: IropsServer, item: types.CompletionItem) -> types.CompletionItem:
        return await asyncio.to_thread(described, item, ls.ops)


def _add_lists(server: IropsServer) -> None:
    _add_answer(server, types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, navigation.symbols, [])
    _add_answer(server, types.TEXT_DOCUMENT_FOLDING_RANGE, navigation.folding_ranges, [])
    _add_answer(server, types.TEXT_DOCUMENT_INLAY_HINT, navigation.hints, [])
    _add_answer(server, types.TEXT_DOCUMENT_CODE_LENS, navigation.lenses, [])
    _add_answer(server, types.TEXT_DOCUMENT_FORMATTING, formatting, [])

    @server.feature(types.WORKSPACE_SYMBOL)
    async def found(ls: IropsServer, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        symbols: list[types.WorkspaceSymbol] = []
        for document in ls.documents():
            view = await _view(ls, document.uri)
            if view is not None and len(symbols) < MAX_ITEMS:
                symbols += await asyncio.to_thread(navigation.layers_named, view, params.query)
        return symbols[:MAX_ITEMS]

    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, findings.FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def acted(ls: IropsServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        document = ls.document(params.text_document.uri)
        state = None if document is None else await ls.checks.current(document, WAIT)
        if document is None or state is None or state.of is None:
            return []
        text = state.of
        pairs = [
            (finding, findings.diagnostic(finding, text, ls.options)) for finding in state.result.findings
        ]
        return findings.actions(document.uri, text, pairs, params)


def _add_answer(
    server: IropsServer,
    method: str,
    answer: Callable[[View, Any], Any],
    of_others: Any = None,
    options: Any = None,
) -> None:
    """Answer requests in a thread of their own. of_others: the answer about a document that is not IR"""

    @server.feature(method, options)
    async def answered(ls: IropsServer, params: Any) -> Any:
        view = await _view(ls, params.text_document.uri)
        return of_others if view is None else await asyncio.to_thread(answer, view, params)


def _add_commands(server: IropsServer) -> None:
    @server.command(findings.EXPLAIN)
    async def explained(ls: IropsServer, *arguments: Any) -> str | None:
        return await ls.pages.explain(arguments)


async def _view(ls: IropsServer, uri: str) -> View | None:
    """The view of a document; None if it is not IR."""
    document = ls.document(uri)
    if document is None or not document.is_ir:
        return None
    return View(uri, *await document.outlined(), ls.ops, ls.checks.state(uri).result.outputs)


def serve(options: ServerOptions) -> None:
    """Serve one editor by standard input and output until it ends the session."""
    streams = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not reach the editor
    server = IropsServer(options)
    add_features(server)
    try:
        server.start_io(*streams)
    finally:
        server.stop()


MAX_ITEMS = 500
"""How many items one request gets; the editor asks again while something is typed."""
_FOLLOWED = re.compile(r"[\w.-]*\s*=")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text that may be inserted. detail: shown beside it; about: what it is, in full; searched: what else
    may be typed to find it; op: the op whose summary is shown when the item is selected.
    """

    text: str
    detail: str = ""
    about: str = ""
    searched: str = ""
    op: str = ""


def _order(item: Insertion, word: str, is_sorted: bool) -> tuple[bool, int, str]:
    text = item.text if is_sorted else ""
    return not item.text.lower().startswith(word), number(text) or 0, text


def _item(item: Insertion, typed: "TagStart", text: Text, place: int, snippets: bool) -> types.CompletionItem:
    kinds = {"tag": types.CompletionItemKind.Class, "attribute": types.CompletionItemKind.Property}
    new, is_snippet = item.text, False
    if typed.what == "attribute" and _FOLLOWED.match(text.source, typed.offset) is None:
        is_snippet = snippets
        new = f'{item.text}="$1"' if snippets else f'{item.text}="'
    return types.CompletionItem(
        label=item.text,
        kind=kinds.get(typed.what, types.CompletionItemKind.Value),
        detail=item.detail[:200] or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, plain(item.about))
        if item.about
        else None,
        sort_text=f"{place:05}",  # by which editors sort
        filter_text=f"{item.text} {item.searched[:100]}".strip(),
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(text.range(typed.offset - len(typed.word), typed.offset), new),
        data={"op": item.op} if item.op else None,
    )


def described(item: types.CompletionItem, ops: OpLookup) -> types.CompletionItem:
    """An item that the editor has selected, with the summary of its op."""
    name = item.data.get("op") if isinstance(item.data, dict) else None
    op = ops.page_of(name) if isinstance(name, str) else None
    if op is not None:
        text = f"**{plain(op.id)}**\n\n{plain(op.definition.summary)}"
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, text)
    return item


def completions(view: View, at: types.Position, *, snippets: bool) -> types.CompletionList:
    """The insertions at a position that fit the word so far, those that begin with it first.

    snippets: whether the editor can place the cursor between the quotes of a new attribute
    """
    outline, text = view.outline, view.text
    typed = tag_start(text.source, text.offset(at))
    if typed is None:
        return types.CompletionList(is_incomplete=False, items=[])
    word = typed.word.lower()
    items = {item.text: item for item in _items(typed, outline, outline.root.at(typed.start), view.ops)}
    is_sorted = typed.what == "value"  # elements and attributes come in the order in which they are written
    ordered = sorted(items.values(), key=lambda item: _order(item, word, is_sorted))
    fitting = [item for item in ordered if word in f"{item.text} {item.searched}".lower()]
    shown = [_item(item, typed, text, k, snippets) for k, item in enumerate(fitting[:MAX_ITEMS])]
    return types.CompletionList(is_incomplete=len(fitting) > MAX_ITEMS, items=shown)


def _items(typed: "TagStart", outline: Outline, node: OutlineNode, ops: OpLookup) -> Iterator[Insertion]:
    layer = outline.layer_of(node)
    if typed.what == "tag":
        around = node if node.start < typed.start else node.parent
        tag = "" if around is None else around.tag
        yield from (Insertion(name) for name, parents in PARENTS.items() if tag in parents)
    elif typed.what == "attribute":
        names = names_in(outline.text, node, typed.offset) if node.start == typed.start else set()
        yield from (
            insertion for insertion in _attribute_names(typed, layer, ops) if insertion.text not in names
        )
    elif typed.tag == "layer":
        yield from _of_layer(typed, outline, node, ops)
    elif typed.tag == "data" and layer is not None:
        attribute = _attributes(layer, ops).get(typed.attribute)
        yield from () if attribute is None else values_of(attribute)
    elif typed.tag == "edge":
        yield from _of_edge(typed, outline, node, layer)
    elif typed.attribute == "precision":
        for kind in element_types():
            yield Insertion(kind.precision, kind.name, searched=kind.name)
    elif typed.attribute == "internal_layer_id" and layer is not None:
        wanted = "Parameter" if typed.tag == "input" else "Result"
        yield from _layers(one for one in _inner(outline, layer) if one.type == wanted)


def _attribute_names(typed: "TagStart", layer: LayerSpan | None, ops: OpLookup) -> Iterable[Insertion]:
    if typed.tag == "data" and layer is not None:
        attributes = _attributes(layer, ops).items()
        return [Insertion(name, attribute_phrase(one), one.text) for name, one in attributes]
    return [Insertion(name) for name in ATTRIBUTES.get(typed.tag, ())]


def _attributes(layer: LayerSpan, ops: OpLookup) -> dict[str, Attribute]:
    op = ops.op(layer.type, layer.version)
    return {} if op is None else op.definition.attributes


def _of_layer(typed: "TagStart", outline: Outline, node: OutlineNode, ops: OpLookup) -> Iterator[Insertion]:
    texts = values(outline.text, node) | typed.written
    if typed.attribute == "type":
        yield from (Insertion(version.type, version.category, op=version.type) for version in opsets().all())
        yield from (Insertion(op.rpartition("-")[0], "custom op", op=op) for op in ops.custom())
    elif typed.attribute == "version":
        named = texts.get("type", "")
        versions = [opset for opset in opsets().names if opsets().find(named, opset) is not None]
        yield from (Insertion(opset, f"has {named}") for opset in versions)
        if not versions:
            yield from (Insertion(opset) for opset in opsets().names)
    elif typed.attribute == "id":
        graph = _graph(outline, node)
        if graph is not None:
            yield Insertion(str(max(graph.layers, default=-1) + 1), "the next id")


def values_of(attribute: Attribute) -> Iterator[Insertion]:
    """The values that an attribute may have, as far as the definition lists them."""
    default = attribute.default
    if attribute.type == "element_type":
        names = attribute.values or tuple(element_type.name for element_type in element_types())
        yield from map(Insertion, names)
    elif attribute.values:
        yield from (Insertion(text, "default" if text == default else "") for text in attribute.values)
    elif attribute.type in ("bool", "boolean"):
        yield from (Insertion(text, "default" if text == default else "") for text in ("true", "false"))
    elif default:
        yield Insertion(default, "default")


def _of_edge(
    typed: "TagStart", outline: Outline, node: OutlineNode, owner: LayerSpan | None
) -> Iterator[Insertion]:
    graph = _graph(outline, node)
    if node.above("back_edges") is not None and owner is not None:
        wanted = "Result" if typed.attribute.startswith("from") else "Parameter"
        yield from _layers(one for one in _inner(outline, owner) if one.type == wanted)
        return
    if graph is None:
        return
    end = typed.attribute.partition("-")[0]
    side = "output" if end == "from" else "input"
    if typed.attribute.endswith("-layer"):
        yield from _layers(one for one in graph.layers.values() if next(one.node.named(side), None))
        return
    texts = values(outline.text, node) | typed.written
    value = number(texts.get(f"{end}-layer"))
    layer = graph.layers.get(-1 if value is None else value)
    if layer is not None:
        labels = (label for label, _ in layer.ports(outline.text, side))
        yield from (Insertion(str(label), layer.name) for label in labels if label is not None)


def _layers(layers: Iterable[LayerSpan]) -> Iterator[Insertion]:
    for layer in layers:
        if layer.id is not None:
            shown = f"{layer.name} ({layer.type})"
            yield Insertion(str(layer.id), shown, searched=shown)


def _inner(outline: Outline, owner: LayerSpan) -> Iterator[LayerSpan]:
    """The layers of the bodies of a layer."""
    return (layer for layer in outline.layers.values() if layer.graph.owner is owner)


def _graph(outline: Outline, node: OutlineNode) -> GraphSpan | None:
    """The graph of an element: that of the layers beside it."""
    around = node.above("net", "body", "then_body", "else_body")
    section = None if around is None else next(around.named("layers"), None)
    first = None if section is None else next(section.named("layer"), None)
    layer = None if first is None else outline.layers.get(first.start)
    return None if layer is None else layer.graph


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
