"""Readers and writers of a folder take turns, so that none reads a model that is half the one and half the
other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

PATIENCE = 2.0
"""Seconds after which it goes on without: a process that hangs must not keep others from reading."""


@contextmanager
def in_turn(folder: Path, *, alone: bool = False) -> Iterator[None]:
    """Hold the folder while the block runs, alone to write, with others to read; where the system can, else
    nothing is held.
    """
    handle = _held(folder, alone)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _held(folder: Path, alone: bool) -> int | None:
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except (ImportError, OSError):  # no such locks here, or no such folder, which is told elsewhere
        return None
    until = monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if monotonic() > until:
                break
            sleep(0.005)
        except OSError:  # a file system without locks
            break
    os.close(handle)
    return None
