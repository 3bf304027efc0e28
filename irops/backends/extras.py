"""Optional libraries that backends need."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Protocol

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule


class Dependent(Protocol):
    """A backend that needs optional libraries."""

    @property
    def name(self) -> str: ...

    def missing(self) -> str | None: ...


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


def require_installed(backend: Dependent) -> None:
    """Check that the libraries of a backend are installed.

    Raises:  DiagnosticError (IR613) that names the extra to install
    """
    reason = backend.missing()
    if reason:
        raise DiagnosticError(
            [
                Diagnostic(
                    rule("unavailable-backend"),
                    f"backend {backend.name} is not available: {reason}",
                    Location("<backends>"),
                )
            ]
        )
