"""Limits the number of findings."""

from __future__ import annotations

from collections.abc import Iterable

from irops.diagnostics.diagnostic import Diagnostic, Location, in_document_order
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.limits import Limits, notes

MORE = "too-many-findings"


def within(limits: Limits, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The first findings up to the limit, errors before warnings, and one with the number of the others."""
    diagnostics = list(diagnostics)
    findings = [d for d in diagnostics if d.name != MORE]
    before = [d for d in diagnostics if d.name == MORE]  # those that the reader omitted already
    if len(findings) <= limits.findings:
        return [*findings, *before]
    order = in_document_order(findings)
    kept = sorted(order, key=lambda d: d.severity is not Severity.ERROR)[: int(limits.findings)]
    last = max((d.location for d in kept), key=lambda where: where.line or 0)
    message = f"{len(order) - len(kept)} more findings are not reported; {limits.message('findings')}"
    return [
        *kept,
        *(
            before
            or [
                Diagnostic(
                    rule(MORE), message, Location(last.file, last.line, last.column), notes=notes(MORE)
                )
            ]
        ),
    ]
