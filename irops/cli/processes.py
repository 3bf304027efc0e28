"""Distribute work among processes; a process that dies loses only the item that it works on."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Any

from irops.process_lifetime import end_with_parent

Work = Callable[[Any], Any]


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
) -> Iterator[tuple[int, Any]]:
    """Yield the index of each item with its result, as results arrive: Died or Failed if there is none.

    Each process calls `prepare` once, with the arguments, and then the returned function for each item.
    timeout: seconds that an item may take before its process is killed.
    """
    workers = [_Worker(prepare, arguments) for _ in range(min(processes, len(items)))]
    remaining = iter(enumerate(items))
    try:
        for worker in workers:
            worker.give(next(remaining, None), timeout)
        while busy := [worker for worker in workers if worker.number is not None]:
            wait_seconds = min(worker.deadline for worker in busy) - monotonic()
            wait(
                [worker.pipe for worker in busy],
                timeout=None if wait_seconds == inf else max(wait_seconds, 0),
            )
            for worker in busy:
                number, result = worker.number, worker.result()
                if number is not None and result is not None:
                    yield number, result[0]
                    worker.give(next(remaining, None), timeout)
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process, restarted when it died. number: the index of the item that it works on."""

    def __init__(self, prepare: Callable[..., Work], arguments: tuple[Any, ...]) -> None:
        self._arguments = prepare, arguments
        self.number: int | None = None
        self.deadline = inf
        self._process: SpawnProcess | None = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(child_end, *self._arguments), daemon=True)
        with _block_interrupt():
            self._process.start()
        child_end.close()

    def give(self, item: tuple[int, Any] | None, timeout: float) -> None:
        self.number = None if item is None else item[0]
        if item is not None:
            if self._process is None:
                self._start()
            self.deadline = monotonic() + timeout
            with suppress(OSError):  # it has died already, which result() reports
                self.pipe.send(item[1])

    def result(self) -> tuple[Any] | None:
        """The result of the item in a tuple; None if there is none yet."""
        assert self._process is not None
        try:
            if self.pipe.poll():
                return (self.pipe.recv(),)
        except (EOFError, OSError):
            self._process.join()
            code, self._process = self._process.exitcode or 0, None
            self.pipe.close()
            return (
                Died(f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"),
            )
        if monotonic() > self.deadline:
            self.end()
            return (Died("was killed because it took too long"),)
        return None

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self.pipe.close()
            self._process = None


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
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        end_with_parent(parent.pid)
    work = prepare(*arguments)
    with suppress(EOFError, OSError):  # the parent closed the pipe or died
        while True:
            pipe.send(_outcome(work, pipe.recv()))


def _outcome(work: Work, item: Any) -> Any:
    try:
        return work(item)
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}")
