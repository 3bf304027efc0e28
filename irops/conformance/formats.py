"""Output formats of reports: JSON, JUnit XML and Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from irops.conformance.verdict import KINDS, OpReport, Outcome, Report, Status
from irops.diagnostics.formats import Case, file_of, suite_of
from irops.diagnostics.printable import printable

VERSION = 1


def as_json(reports: Sequence[Report]) -> str:
    """{"version": 1, "backends": [{"backend", "ok", "ops": [{"op", "note", "outcomes": [...]}]}]}."""
    return (
        json.dumps({"version": VERSION, "backends": [_backend(report) for report in reports]}, indent=2)
        + "\n"
    )


def _backend(report: Report) -> dict[str, Any]:
    ops = [
        {"op": op.op, "note": op.note, "outcomes": [_outcome(outcome) for outcome in op.outcomes]}
        for op in report.ops
    ]
    return {"backend": report.backend, "ok": report.ok, "ops": ops}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "kind": outcome.kind,
        "case": outcome.case,
        "status": str(outcome.status),
        "count": outcome.count,
        "fault": outcome.verdict.fault,
        "reason": outcome.verdict.reason,
        "snippet": outcome.snippet,
    }


def as_junit(reports: Sequence[Report]) -> str:
    """One test suite for each backend and op; declined cases are skipped tests."""
    from xml.etree.ElementTree import Element  # slow to import

    root = Element("testsuites", name="irops conformance")
    for report in reports:
        for op in report.ops:
            name = f"{report.backend}.{op.op}"
            root.append(suite_of(name, [_case(name, outcome) for outcome in op.outcomes]))
    return file_of(root)


def _case(suite: str, outcome: Outcome) -> Case:
    many = f" ({outcome.count} cases)" if outcome.kind == "generated" and outcome.count > 1 else ""
    verdict, name = outcome.verdict, outcome.case + many
    match outcome.status:
        case Status.FAILED:
            return Case(suite, name, failure=(verdict.fault, verdict.reason, outcome.snippet))
        case Status.DECLINED:
            return Case(suite, name, skipped=verdict.reason)
    return Case(suite, name)


def as_markdown(reports: Sequence[Report]) -> str:
    """Two tables: the numbers of passed, declined and failed cases, and the reasons for the latter two."""
    lines = [
        "| backend | op | examples | counterexamples | generated | declined | failed |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for report in reports:
        for op in report.ops:
            passed = [f"{op.count(kind, Status.PASSED)} of {op.count(kind)}" for kind in KINDS]
            lines.append(
                f"| {report.backend} | {op.op} | {' | '.join(passed)} | {op.count(status=Status.DECLINED)} | "
                f"{op.count(status=Status.FAILED)} |"
            )
    why = [
        f"| {report.backend} | {op.op} | {verb} | {count} | {_cell(reason)} |"
        for report in reports
        for op in report.ops
        for verb, reason, count in reasons(op)
    ]
    if why:
        lines += ["", "| backend | op | | cases | why |", "|---|---|---|--:|---|", *why]
    return "\n".join(lines) + "\n"


def reasons(op: OpReport) -> list[tuple[str, str, int]]:
    """The reasons why cases were declined, the most frequent first, or failed, with their counts."""
    declined = [
        ("declined", reason, count)
        for reason, count in sorted(op.declined.items(), key=lambda item: (-item[1], item[0]))
    ]
    return declined + [("failed", outcome.verdict.reason, outcome.count) for outcome in op.failures]


def _cell(text: str) -> str:
    return printable(text).replace("|", "\\|").replace("<", "&lt;")
