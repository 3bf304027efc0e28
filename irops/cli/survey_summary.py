"""What irops survey prints at its end: tasks and statuses, the most frequent rules, what changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from irops.cli.streams import show
from irops.cli.tables import table
from irops.diagnostics.printable import abridged, plural, printable
from irops.diagnostics.rules import all_rules
from irops.surveys.differences import Change, Differences
from irops.surveys.row import STATUSES, Row
from irops.surveys.table import SurveyTable

VERSION = 1
MAX_CELLS = 20
"""How many cells with faults, and with each kind of change, are listed."""
MAX_REASON = 300


def show_summary(survey: SurveyTable) -> None:
    """Print the summary for people."""
    counts = survey.counts
    statuses = [status for status in STATUSES if any(status in of_task for of_task in counts.values())]
    by_task = table("", "task", *(f">{status}" for status in statuses))
    for task, of_task in counts.items():
        by_task.add_row(task, *(f"{of_task[one]:,}" if one in of_task else "" for one in statuses))
    show(by_task)
    rules = survey.rules()
    if rules:
        names = {rule.code: rule.name for rule in all_rules()}
        by_rule = table("", "rule", "", ">models", ">findings")
        for code, models, findings in rules:
            by_rule.add_row(code, names.get(code, ""), f"{models:,}", f"{findings:,}")
        show("", by_rule)
    faulty = [row for row in survey if not row.is_sound]
    if faulty and survey.differences is None:
        show("", *_faults(faulty))
    if survey.differences is not None:
        show("", *_changes(survey.differences))
    show("", _closing(survey))


def summary_json(survey: SurveyTable) -> str:
    """The summary for programs; the rows are in results.json of the report."""
    found = survey.differences
    content = {
        "version": VERSION,
        "output": str(survey.output),
        "cells": len(survey),
        "done": survey.done,
        "unchanged": survey.unchanged,
        "ok": survey.ok,
        "tasks": survey.counts,
        "rules": [
            {"code": code, "models": models, "findings": findings}
            for code, models, findings in survey.rules()
        ],
        "notes": list(survey.notes),
        "against": None if found is None else found.to_json(),
    }
    return json.dumps(content, indent=2) + "\n"


def _closing(survey: SurveyTable) -> str:
    unchanged = f", {survey.unchanged:,} unchanged" if survey.unchanged else ""
    return f"{survey.done:,} {'cell' if survey.done == 1 else 'cells'} done{unchanged}; {survey.output}"


def _faults(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each cell with a fault, up to a number: its first finding, or its message."""
    for row in rows[:MAX_CELLS]:
        name = printable(abridged(row.model, 100))
        yield f"{row.status}: {row.task} of {name}{printable(abridged(_reason(row), MAX_REASON))}"
    if len(rows) > MAX_CELLS:
        yield f"and {len(rows) - MAX_CELLS:,} more; results.csv lists all"


def _reason(row: Row) -> str:
    detail = row.details
    for finding in detail.get("findings", ()):
        return f": {finding['severity']} {finding['code']} {finding['message']}"
    if "first" in detail:
        first = detail["first"]
        return f": {first['layer']} ({first['op']}) is {first['verdict']}: {first['reason']}"
    return f": {detail['message']}" if "message" in detail else ""


def _changes(found: Differences) -> Iterator[str]:
    kinds = {"worse": found.worse, "better": found.better, "new": found.new, "gone": found.gone}
    for kind, changes in kinds.items():
        yield from _listed(kind, changes)
    if not any(kinds.values()):
        yield "no cell differs from the other report"


def _listed(kind: str, changes: Sequence[Change]) -> Iterator[str]:
    if changes:
        yield f"{plural(len(changes), 'cell')} {kind}"
    for change in changes[:MAX_CELLS]:
        name = printable(abridged(change.model, 100))
        steps = " -> ".join(status for status in (change.before, change.after) if status is not None)
        yield f"  {name} {change.task}: {steps}"
    if len(changes) > MAX_CELLS:
        yield f"  and {len(changes) - MAX_CELLS:,} more"
