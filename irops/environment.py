"""Around irops: switches in the environment, settings of the process, libraries that may be missing, and
arguments of wrong types.
"""

import gc
import os
import re
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache, wraps
from importlib.util import find_spec
from math import inf
from sys import float_info
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


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


def require_above_zero(**numbers: float | None) -> None:
    """Raises:  ValueError that names the first number which is no time, size or count; None is not given"""
    for name, number in numbers.items():
        if number is not None and not (0 < number <= float_info.max or number == inf):
            raise ValueError(f"{name} is {number!r}, must be above 0 and below 1e308, or inf")


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


class WrongType(TypeError):
    """An argument is not of the type that a function takes; the message names it."""


def naming_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """A public function which, where it fails from inside, names the argument that is not of its declared
    type. A call that succeeds takes what it takes: arguments are not looked at before.

    Raises:  WrongType, in place of the error from inside
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            reason = _misfit(function, args, kwargs) if type(error).__module__ == "builtins" else ""
            if not reason:
                raise
            raise WrongType(reason) from error

    return call


def _misfit(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A sentence on the first argument that is not of its declared type; "" where all are."""
    from inspect import formatannotation, signature
    from typing import get_type_hints

    try:
        bound = signature(function).bind(*args, **kwargs)
    except TypeError:  # an argument is missing or has another name, which Python has said
        return ""
    hints = get_type_hints(function)
    for name, value in bound.arguments.items():
        if not _is_of(value, hints.get(name, Any)):
            declared = re.sub(r"[\w.]+\.", "", formatannotation(hints[name]))
            return f"{name} is of type {type(value).__name__}, must be {declared}"
    return ""


def _is_of(value: object, hint: Any) -> bool:
    """Whether a value is of a declared type, so far as it can be told without consuming the value."""
    from numbers import Integral, Real
    from types import UnionType
    from typing import Literal, Union, get_args, get_origin

    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or origin in (Union, UnionType):
        return hint is Any or any(_is_of(value, part) for part in inner)
    if isinstance(origin, ABCMeta) and issubclass(origin, Iterable):
        is_text = isinstance(value, str | bytes) or (hasattr(value, "__array__") and inner[0] is not Any)
        items = value if isinstance(value, list | tuple | set | dict) else ()
        return isinstance(value, origin) and not is_text and all(_is_of(item, inner[0]) for item in items)
    declared: Any = {float: Real, int: Integral, bool: Integral, Literal: str}.get(
        origin or hint, origin or hint
    )
    is_checkable = isinstance(declared, type) and getattr(declared, "_is_runtime_protocol", True)
    return not is_checkable or isinstance(value, declared)
