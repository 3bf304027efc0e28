"""The side of a process that works on items: it gets batches, sends the results, and ends with its parent.

`python -m irops.work.serving PIPE MEMORY PARENT` is such a process; PIPE and MEMORY are descriptors.
"""

import mmap
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from multiprocessing.connection import Connection
from threading import Thread
from time import monotonic
from typing import Any, Protocol

from irops.work.outcomes import Failed

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 0.5
ORPHANED = 2
"""The exit status of a process that ends because its parent did; nobody sees it."""


def end_with_parent(parent: int) -> None:
    """End this process when its parent ends. parent: the id that the parent had when it started this process.

    On Linux the kernel does it, even during a long computation; elsewhere a thread watches.
    """
    if os.name == "nt" or os.getppid() == 0:  # in another namespace: the parent cannot be seen
        return
    if not _signalled_by_kernel():
        Thread(target=_watch, args=(parent,), daemon=True, name="irops parent").start()
    elif os.getppid() != parent:  # it died before the kernel knew whom to signal
        os._exit(ORPHANED)


def _signalled_by_kernel() -> bool:
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(ORPHANED)


Work = Callable[[Any], Any]
STREAMED = 0.05
"""Seconds after which the results that there are of a batch are sent, before it is done."""
BEGUN, SINCE = 0, 1


class Shared(Protocol):
    """Two numbers in memory that both processes see, so that one that dies or hangs shows where it was:
    BEGUN, the number of items that it began, and SINCE, when it began the last one, or inf if it waits.
    """

    def __getitem__(self, index: int, /) -> float: ...
    def __setitem__(self, index: int, value: float, /) -> None: ...


def serve_items(
    pipe: Any, shared: Shared, parent: int | None, prepare: Callable[..., Work], arguments: tuple[Any, ...]
) -> None:
    """Call `prepare`, then work on each batch that comes, until the pipe is closed or the parent dies."""
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if callable(signal.getsignal(number)):  # that of the command, of which this process may be a copy
            signal.signal(number, signal.SIG_DFL)
    if parent is not None:
        end_with_parent(parent)
    work = _prepared(prepare, arguments)
    shared[SINCE] = inf
    with suppress(EOFError, OSError):  # the parent closed the pipe or died
        _send(pipe, [], 0.0)
        while True:
            _work_through(pipe, shared, work, pipe.recv())


def _prepared(prepare: Callable[..., Work], arguments: tuple[Any, ...]) -> Work:
    try:
        return prepare(*arguments)
    except Exception as error:
        return _unprepared(_failure(error))


def _work_through(pipe: Any, shared: Shared, work: Work, batch: Sequence[Any]) -> None:
    """Send the results of a batch: at its end, and before that as often as somebody may watch them."""
    results: list[Any] = []
    start = monotonic()
    for done, item in enumerate(batch, 1):
        shared[SINCE] = monotonic()
        shared[BEGUN] += 1
        results.append(_outcome(work, item))
        seconds = monotonic() - start
        if done == len(batch) or seconds > STREAMED:
            shared[SINCE] = inf  # it may have to wait until the parent takes them
            _send(pipe, results, seconds)
            results, start = [], monotonic()


def _send(pipe: Any, results: list[Any], seconds: float) -> None:
    """Send results: how many, how long they took, and themselves, which the parent need not look into."""
    try:
        payload = pickle.dumps(results, pickle.HIGHEST_PROTOCOL)
    except Exception:  # one of them cannot be sent
        payload = pickle.dumps([_sendable(result) for result in results], pickle.HIGHEST_PROTOCOL)
    pipe.send((len(results), seconds, payload))


def _sendable(result: Any) -> Any:
    try:
        pickle.dumps(result)
    except Exception as error:
        return _failure(error)
    return result


def _outcome(work: Work, item: Any) -> Any:
    try:
        return work(item)
    except Exception as error:
        return _failure(error)


def _failure(error: Exception) -> Failed:
    return Failed(f"{type(error).__name__}: {error}")


def main(pipe: int, memory: int, parent: int) -> None:
    """Serve as a process of its own; the first thing to come is what to prepare."""
    end_with_parent(parent)
    connection = Connection(pipe)
    shared = memoryview(mmap.mmap(memory, mmap.PAGESIZE)).cast("d")
    os.close(memory)
    with suppress(EOFError, OSError):
        prepare, arguments = _imported(connection.recv_bytes())
        serve_items(connection, shared, None, prepare, arguments)


def _imported(prepared: bytes) -> tuple[Callable[..., Work], tuple[Any, ...]]:
    try:
        prepare, arguments = pickle.loads(prepared)
    except Exception as error:  # a module is missing here
        return _unprepared, (_failure(error),)
    return prepare, arguments


def _unprepared(failure: Failed) -> Work:
    return lambda _: failure


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
