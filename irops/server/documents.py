"""The open documents, with edits applied as LSP defines them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from irops.ir.root_tag import root_tag
from irops.server.outline.elements import Outline
from irops.server.outline.scan import outline_of
from irops.server.text import Text, edited, lines_of

START = 1 << 16
"""How many characters are read to detect whether a text is IR."""
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]+)[^<>]*\[")


class Document(TextDocument):
    """An open document. Unlike in TextDocument, only CR LF, CR and LF end lines, and an edit takes time in
    proportion to the lines that it changes.
    """

    def __init__(self, uri: str, text: str, version: int | None) -> None:
        super().__init__(uri, source=None, version=version)
        self._lines = lines_of(text)
        self._text: Text | None = None
        self._outline: tuple[Text, asyncio.Task[Outline]] | None = None
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
        """Whether the text is IR by its root element; as before, while it has none. A file with weights of
        the same name beside it is IR, whatever its text is.
        """
        start = self.text.source[:START]
        tag = root_tag(start.encode("utf-8", "replace"))
        declared = _DOCTYPE.search(start) if tag is None else None
        if declared is not None:  # entities are declared before the root element
            tag = declared[1]
        self._was_ir = (self._was_ir if tag is None else tag == "net") or _has_weights(self.path)
        return self._was_ir

    async def outlined(self) -> tuple[Text, Outline]:
        """The text at this moment and its outline, which another thread makes: a large text must not hold up
        other requests, and requests that arrive meanwhile, or are cancelled, share the result.
        """
        text = self.text
        if self._outline is None or self._outline[0] is not text:
            self._outline = text, asyncio.create_task(asyncio.to_thread(outline_of, text.source))
        return text, await asyncio.shield(self._outline[1])

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one change of the editor; a range outside the text means the nearest one in it."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            edited(self._lines, change.range, change.text)
        else:
            self._lines = lines_of(change.text)
        self._text = None


def _has_weights(path: str | None) -> bool:
    try:
        return path is not None and path.endswith(".xml") and Path(path).with_suffix(".bin").is_file()
    except (OSError, ValueError):  # a path that no system accepts
        return False


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
