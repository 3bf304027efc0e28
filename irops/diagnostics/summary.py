"""The last line for people: how many findings, where."""

from __future__ import annotations

from collections.abc import Sequence

from irops.diagnostics.printable import plural, printable
from irops.diagnostics.report import Report


def summary(reports: Sequence[Report], known: int = 0, others: int = 0) -> str:
    """2 errors, 1 warning in model.xml · no findings in 3 files

    known: how many findings were left out since they are accepted; others: how many files were, which are no
        models
    """
    errors, warnings = (
        sum(len(found) for found in counts) for counts in zip(*((r.errors, r.warnings) for r in reports))
    )
    put_right = sum(len(report.fixed) for report in reports)
    counted = [f"{put_right} fixed"] * bool(put_right) + [
        plural(n, word) for n, word in ((errors, "error"), (warnings, "warning")) if n
    ]
    concerned = [report for report in reports if len(report) or report.fixed] or reports
    if len(reports) == 1:
        where = printable(reports[0].path or "the model")
    elif len(concerned) < len(reports):
        where = f"{len(concerned)} of {plural(len(reports), 'file')}"
    else:
        where = plural(len(reports), "file")
    left_out = [plural(known, "known finding")] * bool(known) + [
        f"{plural(others, 'other .xml file')} in folders"
    ] * bool(others)
    if not errors and not warnings:
        counted.append("no findings")
    return f"{', '.join(counted)} in {where}" + (f"; left out: {', '.join(left_out)}" if left_out else "")
