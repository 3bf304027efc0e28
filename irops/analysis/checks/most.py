"""So many findings and no more: beyond, they help nobody."""

from __future__ import annotations

from collections.abc import Iterable

from irops.diagnostics.diagnostic import Diagnostic, Location, in_document_order
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.limits import Limits, notes

MORE = "too-many-findings"


def within(limits: Limits, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The first findings, as many as the limit allows, errors before warnings; and how many more there
    are.
    """
    found = list(found)
    told = [d for d in found if d.name != MORE]
    before = [d for d in found if d.name == MORE]  # what the reader left untold already
    if len(told) <= limits.findings:
        return [*told, *before]
    order = in_document_order(told)
    kept = sorted(order, key=lambda d: d.severity is not Severity.ERROR)[: int(limits.findings)]
    last = max((d.location for d in kept), key=lambda where: where.line or 0)
    message = f"{len(order) - len(kept)} more findings are not told; {limits.said('findings')}"
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
