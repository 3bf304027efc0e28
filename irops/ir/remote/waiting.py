"""Calls that are given up after a time: a server may never answer."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import ParamSpec, TypeVar

from irops.ir.remote.reasons import RemoteError, remote_error
from irops.limits import Limits

P = ParamSpec("P")
T = TypeVar("T")


class NoAnswer(RemoteError):
    """A call was given up; its thread may still wait."""


def answered(limits: Limits, call: Callable[P, T], *args: P.args, **keywords: P.kwargs) -> T:
    """What a call gives, within limits.remote_seconds.

    The call runs in a thread that does not keep the process alive: some libraries wait without end.
    Raises:  RemoteError if the call fails or takes longer
    """
    results: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            results.put((call(*args, **keywords), None))
        except BaseException as error:  # reported by the thread that waits
            results.put((None, error))

    Thread(target=work, name="irops remote file", daemon=True).start()
    try:
        result, error = results.get(timeout=min(limits.remote_seconds, 1e8))
    except Empty:
        seconds = f"{limits.remote_seconds:g} seconds; {limits.message('remote_seconds')}"
        raise NoAnswer(f"the server did not answer within {seconds}") from None
    if error is not None:
        if isinstance(error, MemoryError):
            raise error
        raise remote_error(error) from None
    return result  # type: ignore[return-value]
