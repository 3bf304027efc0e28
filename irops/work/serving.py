"""The side of a process that works for another one: it ends with it, and answers for items."""

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from threading import Thread
from typing import Any

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


Answer = Callable[[Any], Any]
"""The function that answers requests."""
Work = Callable[[Any], Any]
"""The function that works on items."""


def item_answerer(prepared: bytes) -> Answer:
    """A function that works on pickled items, and gives pickled results: Failed where the work raises.

    prepared: pickled: a function of a module that returns the work, and arguments for it
    """
    try:
        prepare, arguments = pickle.loads(prepared)
        work: Work = prepare(*arguments)
    except Exception as error:  # a module is missing here, say
        failure = Failed.by(error)
        return lambda _: pickle.dumps(failure)

    def answer(item: bytes) -> bytes:
        try:
            return pickle.dumps(work(pickle.loads(item)), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # also where a result cannot be sent
            return pickle.dumps(Failed.by(error))

    return answer
