"""The end of the process of a command."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress

MONITORS = 6
"""The number of tools that sys.monitoring has room for: debuggers, coverage, profilers and others."""


def leave(status: int) -> int:
    """End this process with a status, after what is registered for its end.

    Python would first free all objects one by one, which takes as long as the check of a small model. Returns
    the status, for Python to end the process, if somebody looks at it from inside: a profiler, a debugger, an
    interactive session, another thread.
    """
    threads = sys.modules.get("threading")
    if _is_watched() or (threads is not None and threads.active_count() > 1):
        return status
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or the reader is gone
            stream.flush()
    os._exit(status)


def _is_watched() -> bool:
    """Whether a tracer, a profiler, a debugger or an interactive session looks at this process."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    tools = () if monitoring is None else (monitoring.get_tool(number) for number in range(MONITORS))
    return bool(sys.gettrace() or sys.getprofile() or sys.flags.interactive or any(tools))
