"""Libraries that a backend stands on, and that may not be there."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Protocol

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule


class Dependent(Protocol):
    """A backend that can say what it lacks."""

    @property
    def name(self) -> str: ...

    def missing(self) -> str | None: ...


def lacks(extra: str, *libraries: str) -> str | None:
    """Which of some libraries are not installed, and the extra of irops that brings them; None where all are
    there.
    """
    absent = [library for library in libraries if not _there(library)]
    if not absent:
        return None
    are, them = ("is", "it") if len(absent) == 1 else ("are", "them")
    return f"{' and '.join(absent)} {are} not installed; pip install 'irops[{extra}]' brings {them}"


@cache
def _there(library: str) -> bool:
    return find_spec(library) is not None


def installed(backend: Dependent) -> None:
    """Demand that a backend has what it stands on.

    Raises:  DiagnosticError (IR613) with the extra that brings it
    """
    why = backend.missing()
    if why:
        raise DiagnosticError(
            [
                Diagnostic(
                    rule("unavailable-backend"), f"backend {backend.name} cannot compute: {why}", Location()
                )
            ]
        )
