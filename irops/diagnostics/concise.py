"""A line per finding: path:line:column: severity code message."""
from __future__ import annotations

from collections.abc import Sequence

from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report


def render(reports: Sequence[Report]) -> str:
    return "".join(f"{printable(str(diagnostic))}\n" for report in reports for diagnostic in report)
