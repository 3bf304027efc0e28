"""Requests to a process that may crash or hang."""

from __future__ import annotations

from typing import Any

from irops.debugging.sources.source import Failure, SourceFailed
from irops.processes.worker import Process, ProcessDied

KINDS = {"seconds": "stalled", "memory": "oversized", "": "crashed"}
"""The kind of a failure by what a process exceeded."""


def asked(process: Process, request: tuple[Any, ...]) -> tuple[str, Any]:
    """The answer of a process: a word and what it is about.

    A crash, or too much memory, counts only if the request alone repeats it in a new process: an earlier one
    may have corrupted the memory, or left tensors behind.
    Raises:  SourceFailed
    """
    try:
        word, content = process.ask(request)
    except ProcessDied as died:
        if died.stalled:
            raise SourceFailed(Failure(KINDS[died.exceeded], str(died))) from None
    else:
        return word, content
    try:
        word, content = process.ask(request)
    except ProcessDied as died:
        raise SourceFailed(Failure(KINDS[died.exceeded], str(died))) from None
    return word, content
