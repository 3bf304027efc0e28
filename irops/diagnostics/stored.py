"""Reports as JSON, complete: what is read back is equal to what was written, excerpts included."""

from __future__ import annotations

import json
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.fix import Edit, Fix
from irops.diagnostics.report import Report
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule


def report_as_text(report: Report) -> str | None:
    """The text of a report of irops' own rules; None for one that cannot be read back unchanged."""
    text = json.dumps(
        {"path": report.path, "diagnostics": list(map(_as_data, report))}, separators=(",", ":")
    )
    read = report_of_text(text)
    places = (tuple(found.location.excerpt for found in each) for each in (report, read or ()))
    return text if read == report and len(set(places)) == 1 else None


def report_of_text(text: str | bytes) -> Report | None:
    """The report of a text; None if the text is not that of a report."""
    try:
        content = json.loads(text)
        path = content["path"]
        findings = tuple(_of_data(*each) for each in content["diagnostics"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return Report(findings, path)


def _as_data(found: Diagnostic) -> list[Any]:
    where = found.location
    edits = None if found.fix is None else [[edit.start, edit.end, edit.text] for edit in found.fix.edits]
    return [
        found.code,
        found.message,
        [where.file, where.line, where.column, where.layer_id, where.layer_name, where.path, where.excerpt],
        found.constraint,
        found.facts,
        found.notes,
        found.level,
        None if found.fix is None else [found.fix.what, edits],
    ]


def _of_data(
    code: str, message: str, where: list[Any], constraint: Any, facts: Any, notes: Any, level: Any, fix: Any
) -> Diagnostic:
    file, line, column, layer_id, layer_name, path, excerpt = where
    return Diagnostic(
        rule(code),
        message,
        Location(
            file,
            line,
            column,
            layer_id,
            layer_name,
            tuple(path),
            None if excerpt is None else (excerpt[0], excerpt[1]),
        ),
        constraint,
        facts,
        tuple(notes),
        None if level is None else Severity(level),
        None if fix is None else Fix(fix[0], tuple(Edit(*edit) for edit in fix[1])),
    )
