"""The server: its documents, their checks, and what it says to the editor.

Checks open documents in a worker process, after a pause of typing; newer text replaces older.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

import irops
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.printable import printable
from irops.diagnostics.rules import rule
from irops.server.documents import Document, Documents
from irops.server.findings import diagnostic
from irops.server.kinds import Kind
from irops.server.op_lookup import OpLookup
from irops.server.options import CustomRules, ServerOptions
from irops.server.pages import Pages
from irops.server.records import Checked, FindingRecord
from irops.server.text import Text
from irops.work.processes.requests import Process, ProcessDied

TRUST = "Trust This Folder"


class Utf16Protocol(LanguageServerProtocol):
    """The protocol with positions in UTF-16 units, which every editor offers."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Drop what the editor says of other units before pygls chooses one."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class IropsServer(LanguageServer):
    """A language server for IR files and definitions of ops. One serves one editor."""

    def __init__(self, options: ServerOptions, rules: CustomRules | None = None) -> None:
        super().__init__("irops", irops.__version__, protocol_cls=Utf16Protocol)
        self.options, self._rules = options, rules
        self.is_restricted = False
        """Whether the editor shows a folder that its user does not trust."""
        self.ops = OpLookup(options)
        self.checks = Checks(options, self._publish)
        self.pages = Pages(options, self.document, self)

    def shutdown(self) -> None:
        """End the worker processes, and the server."""
        self.stop()
        super().shutdown()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """End the worker processes."""
        self.checks.stop()
        self.pages.stop()

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

    async def load_rules(self) -> None:
        """Load the custom rules that the settings name, if the user trusts their folder, or says so now."""
        rules = self._rules
        if rules is None or self.is_restricted:
            return
        try:
            if not rules.is_trusted():
                if not await self._is_trusted_now(rules):
                    return
                rules.trust()
            self.options = await asyncio.to_thread(rules.load)
        except (DiagnosticError, OSError) as error:
            self.show_problem(f"the custom rules of {printable(rules.folder)} are not loaded: {error}")
            return
        self.checks.options = self.pages.options = self.options
        self.reload()

    async def _is_trusted_now(self, rules: CustomRules) -> bool:
        named = printable(", ".join(rules.sources))
        message = (
            f"The settings of {printable(rules.folder)} name custom rules ({named}), which are Python code."
            " irops runs it only if you trust the folder."
        )
        actions = [types.MessageActionItem(TRUST), types.MessageActionItem("Not Now")]
        params = types.ShowMessageRequestParams(types.MessageType.Warning, message, actions)
        try:
            answer = await self.window_show_message_request_async(params)
        except JsonRpcException:  # the editor cannot ask
            return False
        return answer is not None and answer.title == TRUST

    def reload(self) -> None:
        """Use the definitions of custom ops as they are now."""
        self.ops = OpLookup(self.options)
        self.checks.reload(self.documents())

    async def show_file(self, file: Path, *, external: bool = False) -> None:
        """Show a file, if the editor shows documents on request. external: in the program for its type"""
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            params = types.ShowDocumentParams(file.as_uri(), external=external, take_focus=False)
            with suppress(JsonRpcException):  # the editor could not; the command also returns the page
                await self.window_show_document_async(params)

    def show_problem(self, message: str) -> None:
        """Show a message about a request that could not be done."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))

    async def _publish(self, document: Document, text: Text, checked: Checked) -> None:
        shown = await asyncio.to_thread(
            lambda: [diagnostic(one, text, self.options) for one in checked.findings]
        )
        params = types.PublishDiagnosticsParams(document.uri, shown, version=text.version)
        self.text_document_publish_diagnostics(params)
        workspace = self.client_capabilities.workspace
        if (
            workspace is not None
            and workspace.inlay_hint is not None
            and workspace.inlay_hint.refresh_support
        ):
            await self.workspace_inlay_hint_refresh_async(None)
        await self.pages.refresh(document)


WORKER = "irops.server.worker:CheckWorker"
PATIENCE = 1.5
"""Seconds for which a check of an older text may go on; then its process is killed."""
SECONDS = 60.0
"""Seconds for one check."""


@dataclass(slots=True)
class State:
    """What is kept of an open document. result: of the newest text that was checked; of: that text."""

    task: asyncio.Task[None] | None = None
    result: Checked = field(default_factory=Checked)
    of: Text | None = None


Publish = Callable[[Document, Text, Checked], Awaitable[None]]


class Checks:
    """The checks of all open documents. One worker process checks one text at a time.

    publish: called with the result for a text, unless a newer text has replaced it
    """

    def __init__(self, options: ServerOptions, publish: Publish) -> None:
        self.options, self._publish = options, publish
        self._states: dict[str, State] = {}
        self._turn = asyncio.Lock()
        self._runs_newest: Callable[[], bool] = lambda: True
        self._interruptions = 0
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="irops check")
        self._worker = _process(options)

    def state(self, uri: str) -> State:
        """What is kept of a document."""
        return self._states.setdefault(uri, State())

    def changed(self, document: Document, *, at_once: bool = False) -> None:
        """Check a document once nothing is typed for a while, in place of a check that waits or runs."""
        state = self.state(document.uri)
        if state.task is not None:
            state.task.cancel()
        state.task = asyncio.get_running_loop().create_task(
            self._check(document, 0 if at_once else self.options.delay)
        )

    def closed(self, uri: str) -> None:
        """Forget a document, with its check."""
        state = self._states.pop(uri, None)
        if state is not None and state.task is not None:
            state.task.cancel()

    def reload(self, documents: Iterable[Document]) -> None:
        """Check documents again with the options and the definitions of ops as they are now."""
        self._interrupt()
        self._worker.arguments = (self.options,)
        for document in documents:
            self.changed(document)

    async def current(self, document: Document, seconds: float) -> State | None:
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
        text, kind = document.text, document.kind
        checked = Checked()
        if kind is not Kind.OTHER:
            request = (str(kind), document.path, text.source)
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

    async def _in_turn(self, request: tuple[Any, ...], is_newest: Callable[[], bool]) -> Checked:
        """The answer of the worker. A check of an older text, whose task was cancelled, keeps its turn for a
        while, so that steady typing does not start a process for each text.
        """
        try:
            await asyncio.wait_for(self._turn.acquire(), PATIENCE)
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

    def _ask(self, request: tuple[Any, ...], is_newest: Callable[[], bool]) -> Checked:
        if request[0] != Kind.DEFINITION:
            return self._answer(self._worker, request, is_newest)
        process = _process(self.options)  # a process of its own sees the functions as they are now
        try:
            return self._answer(process, request, is_newest)
        finally:
            process.close()

    def _answer(self, process: Process, request: tuple[Any, ...], is_newest: Callable[[], bool]) -> Checked:
        """The answer of a process. One that ended is started once more, because it may have been interrupted
        after it answered the request before; one that is interrupted meanwhile is always started again.
        """
        failures = 0
        while is_newest():
            before = self._interruptions
            try:
                answer = process.ask(request)
            except ProcessDied as error:
                failures += self._interruptions == before
                if failures > 1 or error.exceeded:
                    return _failed(f"the process that checks the text failed: {error}")
            else:
                return answer if isinstance(answer, Checked) else _failed(f"unexpected answer {answer!r}")
        return Checked()


def _process(options: ServerOptions) -> Process:
    return Process(WORKER, (options,), SECONDS, options.limits.process_memory)


def _failed(message: str) -> Checked:
    kind = rule("unchecked-file")
    return Checked((FindingRecord(kind.code, kind.name, True, message, None, None),), is_read=False)
