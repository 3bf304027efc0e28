"""The requests and notifications that the server answers, and its start."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import Any, BinaryIO

from lsprotocol import types

from irops.server import completion, findings, hover, navigation
from irops.server.completion import described
from irops.server.language_server import IropsServer, changed_files, watch_files
from irops.server.navigation import OpLookup, Outputs
from irops.server.outline import Outline
from irops.server.records import ServerOptions
from irops.server.text import Cursor, Text, cursor_at


class Answers:
    """The answers about one version of a text. outputs: type and shape of each output, as inferred last"""

    def __init__(self, uri: str, text: Text, outline: Outline, ops: OpLookup, outputs: Outputs) -> None:
        self._uri, self._text, self._outline = uri, text, outline
        self._ops, self._outputs = ops, outputs

    def _cursor(self, at: types.Position) -> Cursor:
        return cursor_at(self._outline, self._text.offset(at))

    def hover(self, at: types.Position) -> str | None:
        return hover.hover_text(self._cursor(at), self._ops, self._outputs)

    def definitions(self, at: types.Position) -> list[types.Location]:
        return navigation.definitions(self._cursor(at), self._ops, self._text, self._uri)

    def references(self, at: types.Position, *, declaration: bool) -> list[types.Location]:
        return navigation.references(self._cursor(at), self._text, self._uri, declaration=declaration)

    def completions(self, at: types.Position, *, snippets: bool) -> types.CompletionList:
        offset = self._text.offset(at)
        return completion.completions(self._outline, self._text, offset, self._ops, snippets=snippets)

    def symbols(self) -> list[types.DocumentSymbol]:
        return navigation.symbols(self._outline, self._text)

    def folding_ranges(self) -> list[types.FoldingRange]:
        return navigation.folding_ranges(self._outline.root, self._text)

    def hints(self, where: types.Range) -> list[types.InlayHint]:
        return navigation.hints(self._outline, self._text, self._outputs, where)


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
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(ls: IropsServer, params: types.HoverParams) -> types.Hover | None:
        answers = await _answers(ls, params.text_document.uri)
        text = None if answers is None else await asyncio.to_thread(answers.hover, params.position)
        return None if text is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def defined(ls: IropsServer, params: types.DefinitionParams) -> list[types.Location]:
        answers = await _answers(ls, params.text_document.uri)
        return [] if answers is None else await asyncio.to_thread(answers.definitions, params.position)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def referred(ls: IropsServer, params: types.ReferenceParams) -> list[types.Location]:
        answers = await _answers(ls, params.text_document.uri)
        if answers is None:
            return []
        declaration = params.context.include_declaration
        return await asyncio.to_thread(answers.references, params.position, declaration=declaration)

    triggers = types.CompletionOptions(trigger_characters=["<", '"', "'", " "], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, triggers)
    async def completed(ls: IropsServer, params: types.CompletionParams) -> types.CompletionList | None:
        answers = await _answers(ls, params.text_document.uri)
        if answers is None:
            return None
        return await asyncio.to_thread(answers.completions, params.position, snippets=ls.snippets)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolved(ls: IropsServer, item: types.CompletionItem) -> types.CompletionItem:
        return await asyncio.to_thread(described, item, ls.ops)


def _add_lists(server: IropsServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols_of(ls: IropsServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        answers = await _answers(ls, params.text_document.uri)
        return [] if answers is None else await asyncio.to_thread(answers.symbols)

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folded(ls: IropsServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        answers = await _answers(ls, params.text_document.uri)
        return [] if answers is None else await asyncio.to_thread(answers.folding_ranges)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hinted(ls: IropsServer, params: types.InlayHintParams) -> list[types.InlayHint]:
        answers = await _answers(ls, params.text_document.uri)
        return [] if answers is None else await asyncio.to_thread(answers.hints, params.range)

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


def _add_commands(server: IropsServer) -> None:
    @server.command(findings.EXPLAIN)
    async def explained(ls: IropsServer, *arguments: Any) -> str | None:
        return await ls.pages.explain(arguments)


async def _answers(ls: IropsServer, uri: str) -> Answers | None:
    """The answers about a document; None if it is not IR."""
    document = ls.document(uri)
    if document is None or not document.is_ir:
        return None
    return Answers(uri, *await document.outlined(), ls.ops, ls.checks.state(uri).result.outputs)


def serve(options: ServerOptions, listener: socket.socket | None = None) -> None:
    """Serve one editor until it ends the session. listener: a socket for its connection; by default the
    server uses standard input and output.
    """
    if listener is None:
        streams: tuple[BinaryIO, BinaryIO] = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what a library prints must not reach the editor
    else:
        streams = _accepted(listener)
    server = IropsServer(options)
    add_features(server)
    try:
        server.start_io(*streams)
    finally:
        server.stop()


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on an address. port: 0 for one that the system chooses

    Raises:  OSError if the address cannot be used
    """
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address[:2], family=family)


def _accepted(listener: socket.socket) -> tuple[BinaryIO, BinaryIO]:
    """The streams of the first connection. There is no second one: a server serves one editor."""
    host, port = listener.getsockname()[:2]
    print(f"listening on {f'[{host}]' if ':' in host else host}:{port}", file=sys.stderr, flush=True)
    with listener:
        connection = listener.accept()[0]
    return connection.makefile("rb"), connection.makefile("wb")
