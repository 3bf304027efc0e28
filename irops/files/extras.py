"""Optional libraries, which extras of irops install: what is missing, and the errors that name the extra."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


class MissingExtraError(ImportError, RuntimeError):
    """A library that an extra of irops installs is missing; the message names the extra."""


def missing_libraries(extra: str, *libraries: str) -> str | None:
    """A message about the libraries that are not installed, with the extra that installs them, or None."""
    missing = [library for library in libraries if not _is_installed(library)]
    if not missing:
        return None
    verb, pronoun = ("is", "it") if len(missing) == 1 else ("are", "them")
    *others, last = missing
    names = f"{', '.join(others)} and {last}" if others else last
    return f"{names} {verb} not installed; {remedy(extra, pronoun)}"


def remedy(extra: str, what: str = "it") -> str:
    """How to install the libraries of an extra, at the end of a message that names them."""
    return f"pip install 'irops[{extra}]' installs {what}"


def require_libraries(extra: str, *libraries: str, purpose: str = "") -> None:
    """Raises:  MissingExtraError, where one is not installed. purpose: what cannot be done without it"""
    missing = missing_libraries(extra, *libraries)
    if missing:
        raise MissingExtraError(f"{purpose}: {missing}" if purpose else missing)


@cache
def _is_installed(library: str) -> bool:
    return find_spec(library) is not None
