"""Pages of rules and ops, shown by commands of the editor. They are those of `irops docs`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from irops.diagnostics.rules import rule
from irops.server.documents import Document
from irops.server.kinds import Kind
from irops.server.options import ServerOptions
from irops.server.records import ServedPage
from irops.server.text import stored_bytes
from irops.work.processes.requests import Process, ProcessDied

PREVIEW = "irops.preview"
PREVIEW_HTML = "irops.previewHtml"
WORKER = "irops.server.page_worker:PageWorker"
SECONDS = 120.0
"""Seconds for one page."""


class Shower(Protocol):
    """Shows the files of pages, and messages, in an editor."""

    async def show_file(self, file: Path, *, external: bool = False) -> None: ...
    def show_problem(self, message: str) -> None: ...


class Pages:
    """Makes pages, one at a time, in a process of its own for each: it sees the functions as they are now.

    document: the open document of a URI, if there is one
    """

    def __init__(
        self, options: ServerOptions, document: Callable[[str], Document | None], shower: Shower
    ) -> None:
        self.options, self._document, self._shower = options, document, shower
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._shown: dict[str, Path] = {}

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        """For the pages that are shown; removed when the server ends."""
        return tempfile.TemporaryDirectory(prefix="irops-pages-")

    async def explain(self, arguments: Sequence[Any]) -> str | None:
        """Show the page of the rule with a code or a name, and return it; None if there is none."""
        name = arguments[0] if arguments else None
        try:
            code = rule(name).code if isinstance(name, str) else ""
        except KeyError:
            return None
        page = await self._made("rule", code) if code else None
        return None if page is None else await self._show(page)

    async def preview(self, arguments: Sequence[Any]) -> str | None:
        """Show the page of the definition that is open under a URI, or of an id or a type, and return it."""
        name = arguments[0] if arguments else None
        if not isinstance(name, str) or not name:
            return None
        document = self._definition(name)
        if document is None:
            page = None if "://" in name else await self._made("op", name)
            return None if page is None else await self._show(page)
        page = await self._made(*_request(document, ""))
        if page is None:
            return None
        shown = await self._show(page)
        self._shown[name] = self._file(page)
        return shown

    async def preview_html(self, arguments: Sequence[Any]) -> str | None:
        """Show the page of the definition that is open under a URI as HTML, in the look of `irops docs`, and
        return its file.
        """
        name = arguments[0] if arguments else None
        document = self._definition(name) if isinstance(name, str) else None
        if document is None:
            return None
        folder = tempfile.mkdtemp(prefix="html-", dir=self._folder.name)
        page = await self._made(*_request(document, folder))
        if page is None:
            return None
        if not page.html:  # not a definition yet: the Markdown says why
            await self._show(page)
            return None
        await self._shower.show_file(Path(page.html), external=True)
        return page.html

    async def refresh(self, document: Document) -> None:
        """Write the page of a definition again if it was shown, so that the editor shows the new one."""
        file = self._shown.get(document.uri)
        if file is not None:
            text = document.text
            page = await self._made(*_request(document, ""))
            if page is not None and document.text is text:
                self._write(file, page.text)

    def closed(self, uri: str) -> None:
        """Do not write the page of a definition again."""
        self._shown.pop(uri, None)

    def stop(self) -> None:
        """End the process that makes a page."""
        if self._process is not None:
            self._process.interrupt()

    def _definition(self, uri: str) -> Document | None:
        document = self._document(uri)
        return document if document is not None and document.kind is Kind.DEFINITION else None

    async def _made(self, *request: Any) -> ServedPage | None:
        """A page; None, with a message in the editor, where there is none."""
        async with self._turn:
            page = await asyncio.to_thread(self._ask, request)
        if page.problem:
            self._shower.show_problem(page.problem)
            return None
        return page

    def _ask(self, request: tuple[Any, ...]) -> ServedPage:
        memory = self.options.limits.process_memory
        process = self._process = Process(WORKER, (self.options,), SECONDS, memory)
        try:
            answer = process.ask(request)
        except ProcessDied as error:
            return ServedPage("", problem=f"the process that makes the page failed: {error}")
        finally:
            self._process = None
            process.close()
        return (
            answer
            if isinstance(answer, ServedPage)
            else ServedPage("", problem=f"unexpected answer {answer!r}")
        )

    async def _show(self, page: ServedPage) -> str:
        file = self._file(page)
        self._write(file, page.text)
        await self._shower.show_file(file)
        return page.text

    def _file(self, page: ServedPage) -> Path:
        return Path(self._folder.name) / f"{page.name}.md"

    def _write(self, file: Path, text: str) -> None:
        with suppress(OSError):  # the page is also returned
            file.write_text(text, "utf-8")


def _request(document: Document, folder: str) -> tuple[Any, ...]:
    return "definition", document.path, stored_bytes(document.text.source), folder
