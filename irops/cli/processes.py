"""Work shared among processes: one that dies takes its piece of work with it, and no other."""

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

Work = Callable[[Any], Any]


class Died(Exception):
    """The process ended before it gave a result; says how."""


class Failed(Exception):
    """The work raised what it should not have; says what."""


def cores() -> int:
    """How many processes can run at one time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def shared_out(
    prepare: Callable[..., Work],
    arguments: tuple[Any, ...],
    pieces: Sequence[Any],
    processes: int,
    patience: float = inf,
) -> Iterator[tuple[int, Any]]:
    """The number of each piece and its result, as they come: Died or Failed where there is none.

    prepare is called once in each process, with the arguments, and gives what works on a piece; patience: how
    many seconds a piece may take before its process is ended.
    """
    crew = [_Worker(prepare, arguments) for _ in range(min(processes, len(pieces)))]
    ahead = iter(enumerate(pieces))
    try:
        for worker in crew:
            worker.give(next(ahead, None), patience)
        while busy := [worker for worker in crew if worker.number is not None]:
            soonest = min(worker.until for worker in busy) - monotonic()
            wait([worker.pipe for worker in busy], timeout=None if soonest == inf else max(soonest, 0))
            for worker in busy:
                number, result = worker.number, worker.result()
                if number is not None and result is not None:
                    yield number, result[0]
                    worker.give(next(ahead, None), patience)
    finally:
        for worker in crew:
            worker.end()


class _Worker:
    """One process at a time, begun anew when it died. number: of the piece that it works on."""

    def __init__(self, prepare: Callable[..., Work], arguments: tuple[Any, ...]) -> None:
        self._begin = prepare, arguments
        self.number: int | None = None
        self.until = inf
        self._process: SpawnProcess | None = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._begin), daemon=True)
        with _no_interruption():
            self._process.start()
        theirs.close()

    def give(self, piece: tuple[int, Any] | None, patience: float) -> None:
        self.number = None if piece is None else piece[0]
        if piece is not None:
            if self._process is None:
                self._start()
            self.until = monotonic() + patience
            with suppress(OSError):  # it has died already: told as its result
                self.pipe.send(piece[1])

    def result(self) -> tuple[Any] | None:
        """What came of the piece; None where nothing has, yet."""
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
        if monotonic() > self.until:
            self.end()
            return (Died("ended since it took too long"),)
        return None

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self.pipe.close()
            self._process = None


@contextmanager
def _no_interruption() -> Iterator[None]:
    """Processes that are started within are not reached by Ctrl-C: it is for the one that shares out, which
    ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, prepare: Callable[..., Work], arguments: tuple[Any, ...]) -> None:
    work = prepare(*arguments)
    with suppress(EOFError, OSError):  # nothing more to do, or nobody to do it for
        while True:
            pipe.send(_outcome(work, pipe.recv()))


def _outcome(work: Work, piece: Any) -> Any:
    try:
        return work(piece)
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}")
