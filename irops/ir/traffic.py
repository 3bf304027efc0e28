"""How many bytes of models and their weights this process read, for whoever reports what a task reads.

Two counts: what readers asked for, which is the same for local and remote files and does not depend on what
a cache has; and what came from remote file systems.
"""

from __future__ import annotations

from threading import Lock


class _Count:
    """A sum to which several threads add."""

    __slots__ = ("_lock", "total")

    def __init__(self) -> None:
        self._lock, self.total = Lock(), 0

    def add(self, size: int) -> None:
        with self._lock:
            self.total += size


_READ, _FETCHED = _Count(), _Count()
count_read = _READ.add
"""Count bytes of a model or of weights that a reader got, from wherever they came."""
count_fetched = _FETCHED.add
"""Count bytes that came from a remote file system."""


def bytes_read() -> int:
    """The bytes of models and weights that were read since the process began.

    The difference of two calls is what was read in between, by all threads: each constant counts as often as
    it is read or mapped, a block of a remote file only with the bytes that were asked for.
    """
    return _READ.total


def bytes_fetched() -> int:
    """The bytes that came from remote file systems since the process began; none if a cache had them."""
    return _FETCHED.total
