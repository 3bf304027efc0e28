"""The open documents, with edits applied as LSP defines them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from irops.server.kinds import is_ir
from irops.server.outline.elements import Outline
from irops.server.outline.scan import outline_of
from irops.server.text import Text, edited, lines_of

T = TypeVar("T")


class OncePerText(Generic[T]):
    """Something made of a text by another thread: a large text must not hold up other requests, and requests
    that arrive meanwhile, or are cancelled, share the result.
    """

    def __init__(self, make: Callable[[str], T]) -> None:
        self._make = make
        self._made: tuple[Text, asyncio.Task[T]] | None = None

    async def __call__(self, text: Text) -> T:
        """What is made of a text."""
        if self._made is None or self._made[0] is not text:
            self._made = text, asyncio.create_task(asyncio.to_thread(self._make, text.source))
        return await asyncio.shield(self._made[1])


class Document(TextDocument):
    """An open document. Unlike in TextDocument, only CR LF, CR and LF end lines, and an edit takes time in
    proportion to the lines that it changes.
    """

    def __init__(self, uri: str, text: str, version: int | None) -> None:
        super().__init__(uri, source=None, version=version)
        self._lines = lines_of(text)
        self._text: Text | None = None
        self._outline = OncePerText(outline_of)
        self._was_ir = False

    @property
    def source(self) -> str:
        return self.text.source

    @property
    def text(self) -> Text:
        """The text at this moment."""
        if self._text is None:
            self._text = Text(tuple(self._lines), self.version or 0)
        return self._text

    @property
    def is_ir(self) -> bool:
        """Whether the text is IR; as before, while it has no root element."""
        self._was_ir = is_ir(self.path, self.text.source, was_ir=self._was_ir)
        return self._was_ir

    async def outlined(self) -> tuple[Text, Outline]:
        """The text at this moment and its outline."""
        text = self.text
        return text, await self._outline(text)

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one change of the editor; a range outside the text means the nearest one in it."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            edited(self._lines, change.range, change.text)
        else:
            self._lines = lines_of(change.text)
        self._text = None


class Documents(Workspace):
    """The open documents by URI."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,  # noqa: ARG002
    ) -> Document:
        return Document(doc_uri, source or "", version)

    def opened(self, uri: str) -> Document | None:
        """The document of a URI; None if the editor has not opened it."""
        document = self.text_documents.get(uri) or self.get_text_document(uri)
        return document if isinstance(document, Document) and document.version is not None else None

    def all_opened(self) -> Iterator[Document]:
        """The documents that the editor has opened."""
        return (one for one in self.text_documents.values() if isinstance(one, Document))

    def update_text_document(
        self,
        text_doc: types.VersionedTextDocumentIdentifier,
        change: types.TextDocumentContentChangeEvent,
    ) -> None:
        """Apply a change; one of a document that is not open has no effect."""
        if self.opened(text_doc.uri) is not None:
            super().update_text_document(text_doc, change)
