"""Ends a process with its parent, whatever signal the parent dies of."""

from __future__ import annotations

import os
import signal
import sys
import time
from threading import Thread

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
