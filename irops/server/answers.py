"""Answers to requests about a place or about all of a document, for each kind of document."""

from __future__ import annotations

from typing import Protocol

from lsprotocol import types

from irops.server import completion, hover, navigation, symbols
from irops.server.cursor import Cursor, cursor_at
from irops.server.definitions import completion as definition_completion
from irops.server.definitions import hover as definition_hover
from irops.server.definitions import navigation as definition_navigation
from irops.server.definitions import symbols as definition_symbols
from irops.server.definitions.outline import DefinitionOutline, Place, place_at
from irops.server.op_lookup import OpLookup, Outputs
from irops.server.outline.elements import Outline
from irops.server.text import Text


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

    def _place(self, at: types.Position) -> Place:
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
