"""Around irops: switches in the environment, settings of the process, and libraries that may be missing."""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class ProcessSetting(Generic[T]):
    """A setting that is changed while at least one block needs it, in any thread.

    The first block changes it and the last one restores it. If other code changes it in between, that value
    counts as the original one from then on: it is not overwritten at the end.
    """

    def __init__(self, get: Callable[[], T], set: Callable[[T], object]) -> None:
        self._get, self._set = get, set
        self._lock = Lock()
        self._users = 0
        self._original: T
        self._changed_to: T

    @contextmanager
    def changed(self, wanted: Callable[[T], T]) -> Iterator[None]:
        """Change the setting during the block. wanted: the value that it needs, from the current one."""
        with self._lock:
            current = self._get()
            target = wanted(current)
            if target != current:
                self._set(target)
            if self._users == 0 or current != self._changed_to:
                self._original = current
            self._changed_to = target
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0 and self._get() == self._changed_to != self._original:
                    self._set(self._original)


VARIABLE = "IROPS_DISABLE"
SWITCHES = {
    "scanner": "reading files in the form that OpenVINO writes without an XML parser",
    "sharing": "inference that is shared between equal layers",
    "constants": "results that depend on constants alone and are kept by a session",
}
"""The features that can be turned off. The results are the same with and without each of them."""


def enabled(name: str) -> bool:
    """Whether a part of SWITCHES is on: all are, unless IROPS_DISABLE names them, separated by commas."""
    return name not in disabled()


def disabled() -> frozenset[str]:
    """The parts that IROPS_DISABLE names. ValueError: it names something that is not in SWITCHES."""
    return _names(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=16)
def _names(text: str) -> frozenset[str]:
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    unknown = sorted(names - SWITCHES.keys())
    if unknown:
        raise ValueError(f"{VARIABLE} names {', '.join(unknown)}; it can name {', '.join(SWITCHES)}")
    return names


_ENABLED = ProcessSetting(gc.isenabled, lambda on: gc.enable() if on else gc.disable())


@contextmanager
def no_collection() -> Iterator[None]:
    """Disable the garbage collector during the block.

    A model and its facts consist of many objects and no garbage, and every collection would traverse them.
    Threads may use this at the same time: the collector stays disabled until the last of them is done.
    """
    with _ENABLED.changed(lambda _: False):
        yield


class MissingExtraError(ImportError):
    """A library is not installed; the message names the extra that brings it."""


def require_extra(extra: str, *libraries: str, purpose: str = "") -> None:
    """Raises:  MissingExtraError, where a library is missing. purpose: what cannot be done without it"""
    reason = missing_libraries(extra, *libraries)
    if reason is not None:
        raise MissingExtraError(f"{purpose}: {reason}" if purpose else reason)


def missing_libraries(extra: str, *libraries: str) -> str | None:
    """A message about the libraries that are not installed, with the extra that installs them, or None."""
    missing = [library for library in libraries if not _is_installed(library)]
    if not missing:
        return None
    verb, pronoun = ("is", "it") if len(missing) == 1 else ("are", "them")
    *others, last = missing
    names = f"{', '.join(others)} and {last}" if others else last
    return f"{names} {verb} not installed; pip install 'irops[{extra}]' installs {pronoun}"


@cache
def _is_installed(library: str) -> bool:
    return find_spec(library) is not None
