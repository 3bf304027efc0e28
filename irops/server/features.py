"""The requests and notifications that the server answers.

Answers to requests about a place or about all of a document, for each kind of document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from irops.server import completion, findings, hover, navigation, symbols
from irops.server.completion import described
from irops.server.cursor import Cursor, cursor_at
from irops.server.definitions import completion as definition_completion
from irops.server.definitions import hover as definition_hover
from irops.server.definitions import navigation as definition_navigation
from irops.server.definitions import outline as definition_symbols
from irops.server.definitions.outline import DefinitionOutline, DefinitionPlace, place_at
from irops.server.kinds import Kind
from irops.server.language_server import IropsServer
from irops.server.op_lookup import OpLookup, Outputs
from irops.server.outline import Outline
from irops.server.pages import PREVIEW, PREVIEW_HTML
from irops.server.text import Text

# Files that change on disk: functions and definitions of ops, and weights of open models.

WATCHED = "**/*.{py,bin,xml}"


async def watch_files(ls: IropsServer) -> None:
    """Ask the editor to report changes of files, if it can."""
    workspace = ls.client_capabilities.workspace
    watching = None if workspace is None else workspace.did_change_watched_files
    if watching is None or not watching.dynamic_registration:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(WATCHED)])
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    registration = types.Registration("irops files", method, options)
    with suppress(JsonRpcException):  # an editor that does not watch files reports those that it saves
        await ls.client_register_capability_async(types.RegistrationParams([registration]))


def changed_files(ls: IropsServer, uris: Iterable[str]) -> None:
    """Check the open documents again that files concern: a model its weights, a definition its functions, and
    all documents the custom ops.
    """
    files = [Path(path) for path in map(to_fs_path, uris) if path is not None]
    if any(_is_of_custom_ops(ls, file) for file in files):
        ls.reload()
        return
    folders = {file.parent for file in files if file.suffix == ".py"}
    stems = {file.with_suffix("") for file in files if file.suffix == ".bin"}
    for document in ls.documents():
        path = Path(document.path or "")
        is_definition = document.kind is Kind.DEFINITION and path.parent in folders
        if is_definition or path.with_suffix("") in stems:
            ls.checks.changed(document)


def _is_of_custom_ops(ls: IropsServer, file: Path) -> bool:
    """Whether a file is in a folder of custom ops."""
    folders = (Path(folder).resolve() for folder in ls.options.definitions)
    return file.suffix in (".py", ".xml") and any(file.resolve().is_relative_to(one) for one in folders)


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
    def initialize(ls: IropsServer, params: types.InitializeParams) -> None:
        asked = params.initialization_options
        ls.is_restricted = isinstance(asked, dict) and asked.get("trusted") is False
        ls.use_documents()

    @server.feature(types.INITIALIZED)
    async def initialized(ls: IropsServer, _: types.InitializedParams) -> None:
        await ls.checks.start()
        await watch_files(ls)
        await ls.load_rules()

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
        if document is not None:  # the weights beside it, or the functions of a definition, may be new
            ls.checks.changed(document, at_once=True)
            changed_files(ls, [document.uri])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(ls: IropsServer, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.checks.closed(uri)
        ls.pages.closed(uri)
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
        pairs = [(one, findings.diagnostic(one, text, ls.options)) for one in state.result.findings]
        return findings.actions(document.uri, text, pairs, params)


def _add_commands(server: IropsServer) -> None:
    @server.command(findings.EXPLAIN)
    async def explained(ls: IropsServer, *arguments: Any) -> str | None:
        return await ls.pages.explain(arguments)

    @server.command(PREVIEW)
    async def previewed(ls: IropsServer, *arguments: Any) -> str | None:
        return await ls.pages.preview(arguments)

    @server.command(PREVIEW_HTML)
    async def previewed_as_html(ls: IropsServer, *arguments: Any) -> str | None:
        return await ls.pages.preview_html(arguments)


async def _answers(ls: IropsServer, uri: str) -> Answers | None:
    """The answers about a document; None if it is neither IR nor a definition."""
    document = ls.document(uri)
    kind = Kind.OTHER if document is None else document.kind
    if document is None or kind is Kind.OTHER:
        return None
    if kind is Kind.DEFINITION:
        return DefinitionAnswers(uri, document.path, *await document.defined(), ls.ops)
    return IrAnswers(uri, *await document.outlined(), ls.ops, ls.checks.state(uri).result.outputs)


class Answers(Protocol):
    """The answers about one version of a document."""

    def hover(self, at: types.Position) -> str | None: ...
    def definitions(self, at: types.Position) -> list[types.Location]: ...
    def references(self, at: types.Position, *, declaration: bool) -> list[types.Location]: ...
    def completions(self, at: types.Position, *, snippets: bool) -> types.CompletionList: ...
    def symbols(self) -> list[types.DocumentSymbol]: ...
    def folding_ranges(self) -> list[types.FoldingRange]: ...
    def hints(self, where: types.Range) -> list[types.InlayHint]: ...


class IrAnswers:
    """The answers about an IR text. outputs: type and shape of each output, as inferred last"""

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
        return symbols.symbols(self._outline, self._text)

    def folding_ranges(self) -> list[types.FoldingRange]:
        return symbols.folding_ranges(self._outline.root, self._text)

    def hints(self, where: types.Range) -> list[types.InlayHint]:
        return symbols.hints(self._outline, self._text, self._outputs, where)


class DefinitionAnswers:
    """The answers about the text of a definition. path: of its file"""

    def __init__(self, uri: str, path: str, text: Text, outline: DefinitionOutline, ops: OpLookup) -> None:
        self._uri, self._path, self._text, self._outline, self._ops = uri, path, text, outline, ops

    def _place(self, at: types.Position) -> DefinitionPlace:
        return place_at(self._outline, self._text.offset(at))

    def hover(self, at: types.Position) -> str | None:
        return definition_hover.hover_text(self._place(at), self._text.offset(at), self._ops)

    def definitions(self, at: types.Position) -> list[types.Location]:
        place = self._place(at)
        return definition_navigation.definitions(place, self._ops, self._text, self._uri, self._path)

    def references(self, at: types.Position, *, declaration: bool) -> list[types.Location]:
        place = self._place(at)
        return definition_navigation.references(
            place, self._text, self._uri, self._path, declaration=declaration
        )

    def completions(self, at: types.Position, *, snippets: bool) -> types.CompletionList:
        return definition_completion.completions(
            self._outline, self._text, self._text.offset(at), self._ops, self._path, snippets=snippets
        )

    def symbols(self) -> list[types.DocumentSymbol]:
        return definition_symbols.symbols(self._outline, self._text)

    def folding_ranges(self) -> list[types.FoldingRange]:
        return symbols.folding_ranges(self._outline.root, self._text, definition_symbols.FOLDED)

    def hints(self, where: types.Range) -> list[types.InlayHint]:  # noqa: ARG002
        return []
