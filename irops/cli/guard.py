"""Run a command in a child process, and report the signal that ended it, if any."""

import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from irops.cli.parser import FINDINGS, INTERRUPTED, REFUSED
from irops.files.output import INTERRUPTIONS
from irops.work.serving import end_with_parent

REASONS = {
    "SIGBUS": "a mapped file, probably the weights, was truncated while in use; run the command again",
    "SIGKILL": (
        "another process, or the system for lack of memory, killed it; --limit tensor_bytes=N bounds the"
        " memory that irops uses"
    ),
    "SIGSEGV": "a native library crashed; with --source, probably the library of that backend",
}


def guarded(command: str, command_body: Callable[[], int]) -> int:
    """Run a command in a child process, or in this process where fork is missing; return its exit code.

    If a signal ends the child, print the signal and its probable cause.
    """
    if not hasattr(os, "fork"):
        return command_body()
    sys.stdout.flush()
    sys.stderr.flush()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)  # until they can be sent to the child
    parent, child = os.getpid(), os.fork()
    if child == 0:
        status = REFUSED
        try:
            end_with_parent(parent)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            status = command_body()
        except SystemExit as end:  # a signal came before the command began, which handles these itself
            status = end.code if isinstance(end.code, int) else REFUSED
        except KeyboardInterrupt:
            print(f"irops {command}: interrupted", file=sys.stderr)
            status = INTERRUPTED
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(status)
    return _exit_status(command, _wait_for(child, mask))


def _wait_for(child: int, mask: Iterable[int]) -> int:
    """The wait status of the child. Until then, signals that would end this process are sent to the child,
    which ignores those that it was started to ignore.

    mask: the signals that are blocked from here on
    """

    def forward(number: int, _: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    previous_handlers = {number: signal.signal(number, forward) for number in INTERRUPTIONS}
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return os.waitpid(child, 0)[1]
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


def _exit_status(command: str, wait_status: int) -> int:
    if not os.WIFSIGNALED(wait_status):
        return os.waitstatus_to_exitcode(wait_status)
    name = signal.Signals(os.WTERMSIG(wait_status)).name
    reason = REASONS.get(name)
    print(f"irops {command}: ended by {name}{f': {reason}' if reason else ''}", file=sys.stderr)
    return FINDINGS if name == "SIGBUS" else REFUSED
