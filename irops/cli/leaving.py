"""The end of the process of a command."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress


def leave(status: int) -> int:
    """End this process with a status, after what is registered for its end.

    Python would first free all objects one by one, which takes as long as the check of a small model. Returns
    the status, for Python to end the process, if somebody looks at it from inside: a profiler, a debugger, an
    interactive session, another thread.
    """
    threads = sys.modules.get("threading")
    watched = sys.gettrace() is not None or sys.getprofile() is not None or sys.flags.interactive
    if watched or (threads is not None and threads.active_count() > 1):
        return status
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or the reader is gone
            stream.flush()
    os._exit(status)
