"""The server: its documents, their checks, and what it says to the editor."""

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument, Workspace

import irops
from irops.diagnostics.rules import rule
from irops.document.site import rule_page
from irops.ir.locate import root_tag
from irops.server.findings import diagnostic
from irops.server.navigation import OpLookup
from irops.server.outline import Outline, Text, edited, lines_of, outline_of
from irops.server.records import Checked, FindingRecord, ServerOptions
from irops.work.worker import Process, ProcessDied

WATCHED = "**/*.{py,bin,xml}"


async def watch_files(ls: "IropsServer") -> None:
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


def changed_files(ls: "IropsServer", uris: Iterable[str]) -> None:
    """Check the open documents again that files concern: a model its weights, all of them the custom ops."""
    files = [Path(path) for path in map(to_fs_path, uris) if path is not None]
    if any(_is_of_custom_ops(ls, file) for file in files):
        ls.reload()
        return
    stems = {file.with_suffix("") for file in files if file.suffix == ".bin"}
    for document in ls.documents():
        if Path(document.path or "").with_suffix("") in stems:
            ls.checks.changed(document)


def _is_of_custom_ops(ls: "IropsServer", file: Path) -> bool:
    """Whether a file is in a folder of custom ops."""
    folders = (Path(folder).resolve() for folder in ls.options.definitions)
    return file.suffix in (".py", ".xml") and any(file.resolve().is_relative_to(one) for one in folders)


# The open documents, with edits applied as LSP defines them.

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
        return (document for document in self.text_documents.values() if isinstance(document, Document))

    def update_text_document(
        self, text_doc: types.VersionedTextDocumentIdentifier, change: types.TextDocumentContentChangeEvent
    ) -> None:
        """Apply a change; one of a document that is not open has no effect."""
        if self.opened(text_doc.uri) is not None:
            super().update_text_document(text_doc, change)


class Utf16Protocol(LanguageServerProtocol):
    """The protocol with positions in UTF-16 units, which every editor offers."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Drop what the editor says of other units before pygls chooses one."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class IropsServer(LanguageServer):
    """A language server for IR files. One serves one editor."""

    def __init__(self, options: ServerOptions) -> None:
        super().__init__("irops", irops.__version__, protocol_cls=Utf16Protocol)
        self.options = options
        self.ops = OpLookup(options)
        self.checks = Checks(options, self._publish)
        self.pages = Pages(options, self.show_file)

    def shutdown(self) -> None:
        """End the worker process, and the server."""
        self.stop()
        super().shutdown()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """End the worker process."""
        self.checks.stop()

    def use_documents(self) -> None:
        """Let the workspace hold documents of irops; called when the editor has initialized it."""
        before = self.protocol.workspace
        folders = list(before.folders.values())
        self.protocol._workspace = Documents(before.root_uri, workspace_folders=folders)

    def document(self, uri: str) -> Document | None:
        """An open document."""
        workspace = self.workspace
        return workspace.opened(uri) if isinstance(workspace, Documents) else None

    def documents(self) -> list[Document]:
        """The open documents."""
        workspace = self.workspace
        return list(workspace.all_opened()) if isinstance(workspace, Documents) else []

    @property
    def snippets(self) -> bool:
        """Whether the editor can place the cursor within a text that it inserts."""
        described = self.client_capabilities.text_document
        completion = None if described is None else described.completion
        item = None if completion is None else completion.completion_item
        return item is not None and bool(item.snippet_support)

    def reload(self) -> None:
        """Use the definitions of custom ops as they are now."""
        self.ops = OpLookup(self.options)
        self.checks.reload(self.documents())

    async def show_file(self, file: Path) -> None:
        """Show a file, if the editor shows documents on request."""
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            params = types.ShowDocumentParams(file.as_uri(), take_focus=False)
            with suppress(JsonRpcException):  # the editor could not; the command also returns the page
                await self.window_show_document_async(params)

    async def _publish(self, document: Document, text: Text, checked: Checked) -> None:
        shown = await asyncio.to_thread(
            lambda: [diagnostic(finding, text, self.options) for finding in checked.findings]
        )
        params = types.PublishDiagnosticsParams(document.uri, shown, version=text.version)
        self.text_document_publish_diagnostics(params)
        workspace = self.client_capabilities.workspace
        hints = None if workspace is None else workspace.inlay_hint
        if hints is not None and hints.refresh_support:
            await self.workspace_inlay_hint_refresh_async(None)


# Checks open documents in a worker process, after a pause of typing; newer text replaces older.

STALE_CHECK_SECONDS = 1.5
"""Seconds for which a check of an older text may go on; then its process is killed."""
SECONDS = 60.0
"""Seconds for one check."""


@dataclass(slots=True)
class DocumentState:
    """The state of an open document. result: of the newest text that was checked; of: that text."""

    task: asyncio.Task[None] | None = None
    result: Checked = field(default_factory=Checked)
    of: Text | None = None


Publish = Callable[[Document, Text, Checked], Awaitable[None]]


class Checks:
    """The checks of all open documents. One worker process checks one text at a time.

    publish: called with the result for a text, unless a newer text has replaced it
    """

    def __init__(self, options: ServerOptions, publish: Publish) -> None:
        self._options, self._publish = options, publish
        self._states: dict[str, DocumentState] = {}
        self._turn = asyncio.Lock()
        self._runs_newest: Callable[[], bool] = lambda: True
        self._interruptions = 0
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="irops check")
        self._worker = Process(_checker, (options,), SECONDS, options.limits.process_memory)

    def state(self, uri: str) -> DocumentState:
        """The state of a document."""
        return self._states.setdefault(uri, DocumentState())

    def changed(self, document: Document, *, at_once: bool = False) -> None:
        """Check a document once nothing is typed for a while, in place of a check that waits or runs."""
        state = self.state(document.uri)
        if state.task is not None:
            state.task.cancel()
        state.task = asyncio.get_running_loop().create_task(
            self._check(document, 0 if at_once else self._options.delay)
        )

    def closed(self, uri: str) -> None:
        """Forget a document, with its check."""
        state = self._states.pop(uri, None)
        if state is not None and state.task is not None:
            state.task.cancel()

    def reload(self, documents: Iterable[Document]) -> None:
        """Check documents again with the definitions of ops as they are now."""
        self._interrupt()
        for document in documents:
            self.changed(document)

    async def current(self, document: Document, seconds: float) -> DocumentState | None:
        """The state of a document once its text is checked; None if that takes longer."""
        state = self.state(document.uri)
        task = state.task
        if task is not None and not task.done():
            await asyncio.wait([task], timeout=seconds)
        return state if state.of is document.text else None

    async def start(self) -> None:
        """Start the worker process, so that the first check need not wait for its imports."""
        await asyncio.get_running_loop().run_in_executor(self._threads, self._warm)

    def stop(self) -> None:
        """End the worker process."""
        for uri in list(self._states):
            self.closed(uri)
        self._worker.interrupt()
        self._threads.shutdown(wait=False)

    async def _check(self, document: Document, delay: float) -> None:
        await asyncio.sleep(delay)
        text = document.text
        checked = Checked()
        if document.is_ir:
            request = (document.path, text.source)
            checked = await self._in_turn(request, lambda: document.text is text)
        state = self._states.get(document.uri)
        if state is not None and document.text is text:
            if not checked.is_read:  # hints stay while a text is typed that is not well-formed
                checked = replace(checked, outputs=state.result.outputs)
            state.result, state.of = checked, text
            await self._publish(document, text, checked)

    def _interrupt(self) -> None:
        self._interruptions += 1
        self._worker.interrupt()

    async def _in_turn(self, request: tuple[str, str], is_newest: Callable[[], bool]) -> Checked:
        """The answer of the worker. A check of an older text, whose task was cancelled, keeps its turn for a
        while, so that steady typing does not start a process for each text.
        """
        try:
            await asyncio.wait_for(self._turn.acquire(), STALE_CHECK_SECONDS)
        except TimeoutError:
            if not self._runs_newest():
                self._interrupt()
            await self._turn.acquire()
        self._runs_newest = is_newest
        loop = asyncio.get_running_loop()
        answer = loop.run_in_executor(self._threads, self._ask, request, is_newest)
        answer.add_done_callback(lambda _: self._turn.release())
        return await asyncio.shield(answer)

    def _warm(self) -> None:
        with suppress(ProcessDied):  # the first check reports it
            self._worker.start()

    def _ask(self, request: tuple[str, str], is_newest: Callable[[], bool]) -> Checked:
        """The answer of the worker process. One that ended is started once more, because it may have been
        interrupted after it answered the request before; one that is interrupted meanwhile is always started
        again.
        """
        failures = 0
        while is_newest():
            before = self._interruptions
            try:
                checked: Checked = self._worker.ask(request)
            except ProcessDied as error:
                failures += self._interruptions == before
                if failures > 1 or error.exceeded:
                    return _failed(f"the process that checks the text failed: {error}")
            else:
                return checked
        return Checked()


def _checker(options: ServerOptions) -> Callable[[tuple[str, str]], Checked]:
    """The task of the worker process, which alone imports what checks."""
    from irops.server.worker import Worker

    return Worker(options)


def _failed(message: str) -> Checked:
    kind = rule("unchecked-file")
    return Checked((FindingRecord(kind.code, kind.name, True, message, None, None),), is_read=False)


# Pages of rules, shown by a command of the editor. They are those of `irops docs`.


class Pages:
    """Makes the pages, and shows them. show: shows a file in the editor"""

    def __init__(self, options: ServerOptions, show: Callable[[Path], Awaitable[None]]) -> None:
        self._site = (options.docs or "").rstrip("/")
        self._show = show

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        """For the pages that are shown; removed when the server ends."""
        return tempfile.TemporaryDirectory(prefix="irops-pages-")

    async def explain(self, arguments: Sequence[Any]) -> str | None:
        """Show the page of the rule with a code or a name, and return it; None if there is none."""
        name = arguments[0] if arguments else None
        try:
            found = rule(name) if isinstance(name, str) else None
        except KeyError:
            return None
        if found is None:
            return None
        page = await asyncio.to_thread(rule_page, found, site=self._site)
        file = Path(self._folder.name) / f"{found.code}.md"
        with suppress(OSError):  # the page is also returned
            file.write_text(page, "utf-8")
        await self._show(file)
        return page
