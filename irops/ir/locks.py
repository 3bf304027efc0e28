"""Advisory locks on folders, so that a reader never sees one file of a pair before and one after a write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

TIMEOUT = 2.0
"""Seconds after which the block runs without the lock: a process that hangs must not block others."""


@contextmanager
def folder_lock(folder: Path, *, exclusive: bool = False) -> Iterator[None]:
    """Lock a folder during the block: exclusively to write, shared to read.

    On systems and file systems without locks, the block runs without one.
    """
    handle = _lock(folder, exclusive)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(folder: Path, exclusive: bool) -> int | None:
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except (ImportError, OSError):  # no such locks here, or no such folder, which the caller reports
        return None
    until = monotonic() + TIMEOUT
    while True:
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if monotonic() > until:
                break
            sleep(0.005)
        except OSError:  # a file system without locks
            break
    os.close(handle)
    return None
