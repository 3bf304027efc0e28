"""Ways to start a process that works on items: as a copy of this one, or as a new one."""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from irops.processes.python import start_python
from irops.processes.serving import SINCE, Shared, Work, serve_items

PREPARED = tuple[Callable[..., Work], tuple[Any, ...]]
"""A function that returns the function for each item, and the arguments for it."""


@dataclass(frozen=True, slots=True)
class Started:
    """A process. ended: waits for its end and returns its exit status, which is negative for a signal"""

    number: int
    pipe: Any
    shared: Shared
    kill: Callable[[], None]
    ended: Callable[[], int]
    lives: Callable[[], bool]


def started(prepared: PREPARED, copied: bool) -> Started:
    """Start a process. copied: whether it may be a copy of this one, with what is imported, which takes no
    time, where the system and the threads of this process allow it.
    """
    if os.name == "nt":
        return _by_multiprocessing("spawn", prepared)
    alone = threading.active_count() == 1  # a copy would have the locks of other threads, but not the threads
    if copied and sys.platform == "linux" and alone:
        return _by_multiprocessing("fork", prepared)
    return _as_module(prepared)


def _by_multiprocessing(method: str, prepared: PREPARED) -> Started:
    context: Any = multiprocessing.get_context(method)
    if method == "fork":
        shared: Shared = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("d")
    else:
        shared = context.RawArray("d", 2)
    shared[SINCE] = monotonic()
    pipe, other = context.Pipe()
    process = context.Process(
        target=serve_items, args=(other, shared, os.getpid(), *prepared), daemon=True
    )  # fmt: skip
    with _block_interrupt(), warnings.catch_warnings():
        # Python is known to have no other thread, but counts those of libraries, which take care of forks
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        process.start()
    other.close()

    def ended() -> int:
        process.join()
        return process.exitcode or 0

    return Started(process.pid, pipe, shared, process.kill, ended, process.is_alive)


def _as_module(prepared: PREPARED) -> Started:
    """Start a new interpreter, which imports nothing of the program that started this one."""
    pipe, other = multiprocessing.Pipe()
    memory = _shared_file()
    shared = memoryview(mmap.mmap(memory, mmap.PAGESIZE)).cast("d")
    shared[SINCE] = monotonic()
    try:
        with _block_interrupt():
            process = start_python(
                "irops.processes.serving",
                *map(str, (other.fileno(), memory, os.getpid())),
                stdin=subprocess.DEVNULL,
                pass_fds=(other.fileno(), memory),
            )
    finally:
        other.close()
        os.close(memory)
    _send_first(pipe, prepared)
    return Started(process.pid, pipe, shared, process.kill, process.wait, lambda: process.poll() is None)


def _send_first(pipe: Connection, prepared: PREPARED) -> None:
    try:
        pipe.send(prepared)
    except OSError:  # it has died already, which is seen when its results are waited for
        return


def _shared_file() -> int:
    """The descriptor of a page of memory that another process can have, too."""
    if sys.platform == "linux":
        memory = os.memfd_create("irops")
    else:
        with tempfile.TemporaryFile() as file:
            memory = os.dup(file.fileno())
    os.truncate(memory, mmap.PAGESIZE)
    return memory


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
