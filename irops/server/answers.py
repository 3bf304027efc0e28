"""Answers to requests about a place or about all of a document."""

from __future__ import annotations

from lsprotocol import types

from irops.server import completion, hover, navigation, symbols
from irops.server.cursor import Cursor, cursor_at
from irops.server.op_lookup import OpLookup, Outputs
from irops.server.outline.elements import Outline
from irops.server.text import Text


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
        return symbols.symbols(self._outline, self._text)

    def folding_ranges(self) -> list[types.FoldingRange]:
        return symbols.folding_ranges(self._outline.root, self._text)

    def hints(self, where: types.Range) -> list[types.InlayHint]:
        return symbols.hints(self._outline, self._text, self._outputs, where)
