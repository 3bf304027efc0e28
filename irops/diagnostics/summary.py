"""The summary line: the number of findings and of files."""

from __future__ import annotations

from collections.abc import Sequence

from irops.diagnostics.printable import plural, printable
from irops.diagnostics.report import Report


def summary(reports: Sequence[Report], known: int = 0, others: int = 0) -> str:
    """2 errors, 1 warning in model.xml · no findings in 3 files

    known: the number of findings omitted because the baseline accepts them; others: the number of skipped
    files that are not models.
    """
    errors, warnings = (
        sum(len(findings) for findings in side) for side in zip(*((r.errors, r.warnings) for r in reports))
    )
    fixed = sum(len(report.fixed) for report in reports)
    counted = [f"{fixed} fixed"] * bool(fixed) + [
        plural(n, word) for n, word in ((errors, "error"), (warnings, "warning")) if n
    ]
    affected = [report for report in reports if len(report) or report.fixed] or reports
    if len(reports) == 1:
        where = printable(reports[0].path or "the model")
    elif len(affected) < len(reports):
        where = f"{len(affected)} of {plural(len(reports), 'file')}"
    else:
        where = plural(len(reports), "file")
    omitted = [plural(known, "known finding")] * bool(known) + [
        f"{plural(others, 'other .xml file')} in folders"
    ] * bool(others)
    if not errors and not warnings:
        counted.append("no findings")
    return f"{', '.join(counted)} in {where}" + (f"; omitted: {', '.join(omitted)}" if omitted else "")
