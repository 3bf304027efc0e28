"""A command in a process of its own, watched by one that does nothing else: whatever ends it, a person is
told what and why.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

REASONS = {
    "SIGBUS": "a file that was mapped, the weights most likely, was cut off meanwhile; read the model again",
    "SIGKILL": (
        "something else ended it: a person, or the system for lack of memory; --limit tensor_bytes=N bounds"
        " what irops takes"
    ),
    "SIGSEGV": "a library failed; with --backend, the one of that backend most likely",
}
FINDINGS, FAULT = 1, 2


def guarded(command: str, work: Callable[[], int]) -> int:
    """The status of the work, done in a child process where the system has such; what ended it is told if it
    could not.
    """
    if not hasattr(os, "fork"):
        return work()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = FAULT
        try:
            status = work()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(status)
    return _told(command, _awaited(child))


def _awaited(child: int) -> int:
    """How the child ended, as waitpid tells it. Meanwhile, what is meant to end this process ends the
    child.
    """

    def pass_on(number: int, _: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    before = {
        number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        return os.waitpid(child, 0)[1]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _told(command: str, ended: int) -> int:
    if not os.WIFSIGNALED(ended):
        return os.waitstatus_to_exitcode(ended)
    name = signal.Signals(os.WTERMSIG(ended)).name
    reason = REASONS.get(name)
    print(f"irops {command}: ended by {name}{f': {reason}' if reason else ''}", file=sys.stderr)
    return FINDINGS if name == "SIGBUS" else FAULT
