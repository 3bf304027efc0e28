"""A finding: which rule, where, and what exactly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from irops.diagnostics.fix import Fix
from irops.diagnostics.rule import Rule, Severity


@dataclass(frozen=True, slots=True)
class Location:
    """Where a fault lies: file, line and column (both from 1), layer, and the sub-graphs on the way to it.

    path names the layers and bodies from the model down to the graph that holds the layer: ("loop_node",
        "body").
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    layer_id: int | None = None
    layer_name: str | None = None
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ":".join(
            str(part) for part in (self.file or "<model>", self.line, self.column) if part is not None
        )


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. The message stands alone: what is, then what must be, with both values.

    constraint: the op and the number of its sentence ("ReverseSequence-1:C1"); facts: the layer's inputs and
        attributes, one
    line; notes: what else helps, such as what OpenVINO does with such a file; fix: what puts it right, where
    there is one right answer.
    """

    rule: Rule
    message: str
    location: Location
    constraint: str | None = None
    facts: str | None = None
    notes: tuple[str, ...] = ()
    level: Severity | None = None
    fix: Fix | None = None

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def severity(self) -> Severity:
        return self.level or self.rule.severity

    def __str__(self) -> str:
        return f"{self.location}: {self.severity} {self.code} {self.message}"


def errors_of(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(d for d in diagnostics if d.severity is Severity.ERROR)


def in_document_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorted by place; findings at one place stay as they came. Duplicates are left out."""
    return tuple(
        sorted(dict.fromkeys(diagnostics), key=lambda d: (d.location.line or 0, d.location.column or 0))
    )


class DiagnosticError(ValueError):
    """An error that is told by diagnostics; its text is the first one's."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        more = len(self.diagnostics) - 1
        super().__init__(f"{self.diagnostics[0]}{f' (and {more} more)' if more else ''}")


class ReadError(DiagnosticError):
    """A model cannot be read."""


class DefinitionError(DiagnosticError):
    """A definition, or the functions bound to it, is faulty (OD1xx)."""


class EvaluationError(DiagnosticError):
    """A model cannot be evaluated on the given inputs."""
