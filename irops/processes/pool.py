"""Distribute work among processes; a process that dies loses only the item that it works on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any

from irops.processes.batches import Batch, Batches
from irops.processes.lifetime import end_with_parent

Work = Callable[[Any], Any]
STREAMED = 0.05
"""Seconds after which the results that there are of a batch are sent, before it is done."""


class Died(Exception):
    """The process ended before it returned a result; the message says how."""


class Failed(Exception):
    """The work raised an unexpected exception; the message gives it."""


def cores() -> int:
    """The number of cores available to this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def run_in_processes(
    prepare: Callable[..., Work],
    arguments: tuple[Any, ...],
    items: Sequence[Any],
    processes: int,
    timeout: float = inf,
    *,
    copied: bool = True,
) -> Iterator[tuple[int, Any]]:
    """Yield the index of each item with its result, as results arrive: Died or Failed if there is none.

    Each process calls `prepare` once, with the arguments, and then the returned function for each item.
    timeout: seconds that an item may take before its process is killed; copied: whether a process may start
    as a copy of this one, with what is imported, where the system and the threads of this process allow it.
    """
    batches = Batches(items, processes)
    workers = [_Worker(prepare, arguments, timeout, copied) for _ in range(min(processes, len(items)))]
    try:
        for worker in workers:
            worker.fill(batches)
        while busy := [worker for worker in workers if worker.given]:
            wait_seconds = min(worker.deadline for worker in busy) - monotonic()
            wait(
                [worker.pipe for worker in busy],
                timeout=None if wait_seconds == inf else max(wait_seconds, 0),
            )
            for worker in busy:
                yield from worker.results(batches)
                worker.fill(batches)
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process, restarted when it died. given: the batches that it has, without the items that are done."""

    def __init__(
        self, prepare: Callable[..., Work], arguments: tuple[Any, ...], timeout: float, copied: bool
    ) -> None:
        self._arguments, self._timeout, self._copied = (prepare, arguments), timeout, copied
        self.given: deque[Batch] = deque()
        self.deadline = inf
        self._process: BaseProcess | None = None

    def _start(self) -> None:
        context: Any = multiprocessing.get_context(_start_method(self._copied))
        self.pipe, child_end = context.Pipe()
        process = context.Process(target=_serve, args=(child_end, *self._arguments), daemon=True)
        with _block_interrupt():
            process.start()
        self._process = process
        child_end.close()

    def fill(self, batches: Batches) -> None:
        """Send batches until there is one to work on and one that waits."""
        while len(self.given) < 2 and (batch := batches.next()):
            if self._process is None:
                self._start()
            if not self.given:
                self.deadline = monotonic() + self._timeout
            self.given.append(batch)
            with suppress(OSError):  # it has died already, which results() reports
                self.pipe.send([item for _, item in batch])

    def results(self, batches: Batches) -> list[tuple[int, Any]]:
        """The results that there are, with the indices of their items; those of lost items when it died."""
        assert self._process is not None
        try:
            if self.pipe.poll():
                results, seconds = self.pipe.recv()
                return self._received(results, seconds, batches)
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode or 0
            self.end()
            why = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
            return self._lost(why, batches)
        if monotonic() > self.deadline:
            self.end()
            return self._lost("was killed because it took too long", batches)
        return []

    def _received(self, results: list[Any], seconds: float, batches: Batches) -> list[tuple[int, Any]]:
        batch = self.given[0]
        numbers = [number for number, _ in batch[: len(results)]]
        del batch[: len(results)]
        if not batch:
            self.given.popleft()
        self.deadline = monotonic() + self._timeout
        batches.took(seconds, len(results))
        return list(zip(numbers, results))

    def _lost(self, why: str, batches: Batches) -> list[tuple[int, Any]]:
        """Return the items to the batches, but for the one that the process worked on, if that is certain.

        If it is not, the items that it may be are given out one by one.
        """
        begun, *waiting = self.given
        self.given.clear()
        for batch in waiting:
            batches.give_back(batch)
        if len(begun) == 1:
            return [(begun[0][0], Died(why))]
        for item in reversed(begun):
            batches.give_back([item])
        return []

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self.pipe.close()
            self._process = None


def _start_method(copied: bool) -> str:
    """How a process starts: as a copy, which takes no time, where that is safe."""
    alone = threading.active_count() == 1  # a copy would have the locks of other threads, but not the threads
    return "fork" if copied and sys.platform == "linux" and alone else "spawn"


@contextmanager
def _block_interrupt() -> Iterator[None]:
    """Processes started within ignore Ctrl-C: the parent process handles it and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def _serve(pipe: Connection, prepare: Callable[..., Work], arguments: tuple[Any, ...]) -> None:
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if callable(signal.getsignal(number)):  # that of the command, of which this process may be a copy
            signal.signal(number, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        end_with_parent(parent.pid)
    work = prepare(*arguments)
    with suppress(EOFError, OSError):  # the parent closed the pipe or died
        while True:
            _work_through(pipe, work, pipe.recv())


def _work_through(pipe: Connection, work: Work, batch: Sequence[Any]) -> None:
    """Send the results of a batch: at its end, and before that as often as somebody may watch them."""
    results: list[Any] = []
    start = monotonic()
    for done, item in enumerate(batch, 1):
        results.append(_outcome(work, item))
        seconds = monotonic() - start
        if done == len(batch) or seconds > STREAMED:
            pipe.send((results, seconds))
            results, start = [], monotonic()


def _outcome(work: Work, item: Any) -> Any:
    try:
        return work(item)
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}")
