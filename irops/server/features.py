"""The requests and notifications that the server answers."""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types

from irops.server import completion, findings, hover, navigation, symbols
from irops.server.cursor import Cursor, cursor_at
from irops.server.kinds import Kind
from irops.server.language_server import IropsServer
from irops.server.outline.elements import Outline
from irops.server.pages import PREVIEW, explain, preview
from irops.server.text import Text

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
        if document is not None:  # the weights beside it, or the functions of a definition, may be new
            ls.checks.changed(document, at_once=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(ls: IropsServer, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.checks.closed(uri)
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _add_places(server: IropsServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(ls: IropsServer, params: types.HoverParams) -> types.Hover | None:
        read = await _read(ls, params.text_document.uri)
        if read is None:
            return None
        cursor = _cursor(*read, params.position)
        outputs = ls.checks.state(params.text_document.uri).result.outputs
        text = await asyncio.to_thread(hover.hover_text, cursor, ls.ops, outputs)
        return None if text is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def defined(ls: IropsServer, params: types.DefinitionParams) -> list[types.Location]:
        uri = params.text_document.uri
        read = await _read(ls, uri)
        if read is None:
            return []
        cursor = _cursor(*read, params.position)
        return await asyncio.to_thread(navigation.definitions, cursor, ls.ops, read[0], uri)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def referred(ls: IropsServer, params: types.ReferenceParams) -> list[types.Location]:
        uri = params.text_document.uri
        read = await _read(ls, uri)
        if read is None:
            return []
        declaration = params.context.include_declaration
        return navigation.references(_cursor(*read, params.position), read[0], uri, declaration=declaration)

    triggers = types.CompletionOptions(trigger_characters=["<", '"', "'", " "])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, triggers)
    async def completed(ls: IropsServer, params: types.CompletionParams) -> types.CompletionList | None:
        read = await _read(ls, params.text_document.uri)
        if read is None:
            return None
        text, outline = read
        offset = text.offset(params.position)
        return await asyncio.to_thread(completion.completions, outline, text, offset, ls.ops)


def _add_lists(server: IropsServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols_of(ls: IropsServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        read = await _read(ls, params.text_document.uri)
        if read is None:
            return []
        text, outline = read
        return await asyncio.to_thread(symbols.symbols, outline, text)

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folded(ls: IropsServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        read = await _read(ls, params.text_document.uri)
        if read is None:
            return []
        text, outline = read
        return await asyncio.to_thread(symbols.folding_ranges, outline, text)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hinted(ls: IropsServer, params: types.InlayHintParams) -> list[types.InlayHint]:
        read = await _read(ls, params.text_document.uri)
        if read is None:
            return []
        text, outline = read
        outputs = ls.checks.state(params.text_document.uri).result.outputs
        return await asyncio.to_thread(symbols.hints, outline, text, outputs, params.range)

    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, findings.FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def acted(ls: IropsServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        document = ls.document(params.text_document.uri)
        state = None if document is None else await ls.checks.current(document, WAIT)
        if document is None or state is None or state.of is None:
            return []
        text = state.of
        pairs = [(one, findings.diagnostic(one, text, ls.options)) for one in state.result.findings]
        return findings.actions(document.uri, text, pairs, params)


def _add_commands(server: IropsServer) -> None:
    @server.command(findings.EXPLAIN)
    async def explained(ls: IropsServer, *arguments: Any) -> str | None:
        return await explain(ls, arguments)

    @server.command(PREVIEW)
    async def previewed(ls: IropsServer, *arguments: Any) -> str | None:
        return await preview(ls, arguments)


async def _read(ls: IropsServer, uri: str) -> tuple[Text, Outline] | None:
    """The text of a document and its outline; None if it is not IR."""
    document = ls.document(uri)
    return None if document is None or document.kind is not Kind.IR else await document.outlined()


def _cursor(text: Text, outline: Outline, position: types.Position) -> Cursor:
    return cursor_at(outline, text.offset(position))
