"""Checks open documents in a worker process, after a pause of typing; newer text replaces older."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

from irops.diagnostics.rules import rule
from irops.processes.worker import Process, ProcessDied
from irops.server.documents import Document
from irops.server.options import ServerOptions
from irops.server.records import Checked, FindingRecord
from irops.server.text import Text

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
        self._options, self._publish = options, publish
        self._states: dict[str, State] = {}
        self._turn = asyncio.Lock()
        self._runs_newest: Callable[[], bool] = lambda: True
        self._interruptions = 0
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="irops check")
        self._worker = Process(_checker, (options,), SECONDS, options.limits.process_memory)

    def state(self, uri: str) -> State:
        """What is kept of a document."""
        return self._states.setdefault(uri, State())

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
    """What the process does that checks. It alone imports what checks."""
    from irops.server.worker import Worker

    return Worker(options)


def _failed(message: str) -> Checked:
    kind = rule("unchecked-file")
    return Checked((FindingRecord(kind.code, kind.name, True, message, None, None),), is_read=False)
