"""Optional libraries: which are missing, and which extra of irops brings them."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


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
