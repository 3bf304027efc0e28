"""How much memory processes use, and a watch that ends one that takes too long or too much. Linux alone has
the figures; elsewhere, memory is not bounded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from math import inf
from threading import Event, Thread
from time import monotonic

POLL_SECONDS = 0.05
_USED = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$", re.MULTILINE)


def used_bytes(process: int) -> int:
    """The memory of a process, mapped files apart; 0 if it has ended or cannot be seen."""
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            return sum(int(size) for size in _USED.findall(file.read())) << 10
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
            left = self._until - monotonic()
            if self._memory < inf and self._used() > self._memory:
                self.exceeded = "memory"
            elif left <= 0:
                self.exceeded = "seconds"
            if self.exceeded:
                self._end()
                return
            if self._done.wait(min(left, POLL_SECONDS) if self._memory < inf else left):
                return
