"""A process seen from the one that started it: how it is started, and watched.

Linux alone says how much memory a process uses; elsewhere, memory is not bounded.
"""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from threading import TIMEOUT_MAX, Event, Thread
from time import monotonic
from typing import IO

from irops.files.output import signals_blocked
from irops.work.python import start_python

POLL_SECONDS = 0.05  # a look at /proc takes 50 microseconds; so it takes a thousandth of a core
_USED = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$", re.MULTILINE)


def used_bytes(process: int) -> int:
    """The memory of a process, mapped files apart; 0 if it has ended or cannot be seen."""
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            return sum(int(size) for size in _USED.findall(file.read())) << 10  # a kB of /proc is 1024 bytes
    except OSError:
        return 0


def session_bytes(session: int) -> int:
    """The memory of all processes of a session, such as those that a command started."""
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return 0
    return sum(used_bytes(number) for number in numbers if _session(number) == session)


def _session(process: int) -> int | None:
    try:
        return os.getsid(process)
    except OSError:
        return None


class Watch:
    """Ends a process that takes longer than `seconds` or more memory than `memory`, in bytes.

    used: how much memory it uses; end: kills it; exceeded: "", "seconds" or "memory"
    """

    def __init__(
        self, seconds: float, memory: float, used: Callable[[], int], end: Callable[[], object]
    ) -> None:
        self.exceeded = ""
        self._until, self._memory = monotonic() + seconds, memory
        self._used, self._end = used, end
        self._done = Event()
        Thread(target=self._watch, daemon=True, name="irops watch").start()

    def stop(self) -> None:
        """End the watch."""
        self._done.set()

    def _watch(self) -> None:
        while True:
            left = self._until - monotonic()  # may be inf, which wait() refuses
            if self._memory < inf and self._used() > self._memory:
                self.exceeded = "memory"
            elif left <= 0:
                self.exceeded = "seconds"
            if self.exceeded:
                self._end()
                return
            if self._done.wait(min(left, POLL_SECONDS if self._memory < inf else TIMEOUT_MAX)):
                return


@dataclass(frozen=True, slots=True)
class Started:
    """A process with the pipes to it. ended: waits for its end and returns its exit status, which is negative
    for a signal
    """

    number: int
    requests: IO[bytes]
    answers: IO[bytes]
    kill: Callable[[], None]
    ended: Callable[[], int]


def start_module(module: str, errors: IO[bytes] | None) -> Started:
    """Start a new interpreter, which imports nothing of the program that started this one.

    module: gets the number of this process as its argument; errors: the file for its errors, by default that
    of this process
    """
    with signals_blocked({signal.SIGINT}):  # it ignores Ctrl-C, which this process handles by ending it
        process = start_python(
            module, str(os.getpid()), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
    requests, answers = process.stdin, process.stdout
    assert requests is not None
    assert answers is not None
    return Started(process.pid, requests, answers, process.kill, process.wait)


def may_copy() -> bool:
    """Whether a copy of this process works, which takes no time: not with other threads, whose locks it would
    have, but not the threads.
    """
    return sys.platform == "linux" and threading.active_count() == 1


def start_copy(serve: Callable[[int, IO[bytes], IO[bytes]], None]) -> Started:
    """Start a copy of this process, with what is imported. serve: gets the number of this process, what it
    reads requests from and what it writes answers to
    """
    theirs, requests = os.pipe()
    answers, ours = os.pipe()

    def copy() -> None:
        os.close(requests)
        os.close(answers)
        serve(parent, os.fdopen(theirs, "rb"), os.fdopen(ours, "wb"))

    parent = os.getpid()
    process = multiprocessing.get_context("fork").Process(target=copy, daemon=True)
    with signals_blocked({signal.SIGINT}), warnings.catch_warnings():
        # Python is known to have no other thread, but counts those of libraries, which take care of forks
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        process.start()
    os.close(theirs)
    os.close(ours)  # a copy that stays open here would hide that the process ended

    def ended() -> int:
        process.join()
        return process.exitcode or 0

    files = os.fdopen(requests, "wb"), os.fdopen(answers, "rb")
    return Started(process.pid or 0, *files, process.kill, ended)
