"""The concise format: one line per finding, path:line:column: severity code message."""

from __future__ import annotations

from collections.abc import Sequence

from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report


def render(reports: Sequence[Report]) -> str:
    return "".join(
        f"{printable(line)}\n"
        for report in reports
        for line in (*map(fixed_line, report.fixed), *map(str, report))
    )


def fixed_line(diagnostic: Diagnostic) -> str:
    """The line for a finding that was fixed, with the location that it had before the fix."""
    return (
        f"{diagnostic.location}: fixed {diagnostic.code}"
        f" {diagnostic.fix.what if diagnostic.fix else diagnostic.message}"
    )
