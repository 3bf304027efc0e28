"""The page of a survey: totals, changes, the matrix, rules, ops, coverage, times, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from irops.diagnostics.printable import plural
from irops.diagnostics.rules import all_rules
from irops.surveys.report.coverage import Coverage, OpCoverage
from irops.surveys.report.elements import (
    END,
    embedded,
    filter_link,
    head,
    isolated,
    resource,
    rule_link,
    table,
    text,
)
from irops.surveys.report.matrix import MAX_MODELS, Matrix
from irops.surveys.report.model_page import change_mark, status_mark
from irops.surveys.report.statuses import CHANGE_LOOKS, STATUS_LOOKS
from irops.surveys.report.time_section import time_section
from irops.surveys.report.totals import Reported, Totals

SCRIPTS = ("data.js", "filter.js", "panel.js", "matrix.js", "controls.js")
"""In the order in which the page runs them."""
MAX_LINES = 300
"""How many lines a table of rules or ops has."""
OPEN_LINES = 20
"""How many of them are shown before a person opens the others."""
COVERAGE = ("op", "in irops", "would be clean", "errors", "declined", "models", "layers")
FILES = ("results.csv", "results.json", "timings.csv")
"""What lies beside the page."""


@dataclass(slots=True)
class Content:
    """What the page shows, collected while rows are read. settings: names and values, versions included"""

    settings: Mapping[str, Any]
    compares: bool
    coverage: Coverage
    totals: Totals = field(default_factory=Totals)
    reported: Reported = field(default_factory=Reported)
    matrix: Matrix = field(default_factory=Matrix)


def index_page(content: Content) -> Iterator[str]:
    """The page, in pieces."""
    script = "".join(map(resource, SCRIPTS))
    totals = content.totals
    title = f"Survey of {totals.models:,} model{'' if totals.models == 1 else 's'}"
    yield head(title, script)
    yield f'<a class="skip" href="#matrix">Skip to the matrix</a>\n<header><h1>{text(title)}</h1>\n'
    yield f"<p>{_summary(totals)} Files: {', '.join(f'<a href={name}>{name}</a>' for name in FILES)}.</p>\n"
    sections = [
        ("totals", "Totals", _totals(totals)),
        *([("changes", "Changes", _changes(totals))] if content.compares else []),
        ("matrix", "Models", _matrix(content)),
        ("rules", "Findings by rule", _rules(content.reported)),
        ("ops", "Ops with findings", _ops(content.reported)),
        ("coverage", "What to support next", _coverage(content.coverage)),
        ("times", "Time", time_section(totals)),
        ("settings", "Settings and versions", _settings(content.settings)),
    ]
    links = " ".join(f'<a href="#{anchor}">{name}</a>' for anchor, name, _ in sections)
    yield f'<nav aria-label="sections">{links}</nav></header>\n<main>\n'
    for anchor, name, pieces in sections:
        yield f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{name}</h2>\n'
        yield from pieces
        yield "</section>\n"
    data = embedded(content.matrix.data(content.reported.about))
    yield f'</main>\n<script type="application/json" id="data">{data}</script>\n'
    yield f"<script>{script}</script>\n{END}"


def _summary(totals: Totals) -> str:
    if not totals.cells:
        return "The survey has no results."
    tasks = plural(len(totals.tasks), "task")
    sound = f"{totals.sound_models:,} of {totals.models:,} models are pass or warn in every task"
    return f"{totals.cells:,} cells of {tasks}: {sound}; {totals.findings:,} findings."


def _totals(totals: Totals) -> Iterator[str]:
    if not totals.cells:
        yield "<p>No cells.</p>\n"
        return
    marks = {status: (status_mark(status), look.meaning) for status, look in STATUS_LOOKS.items()}
    yield from _by_task("status", marks, totals.statuses, totals)


def _changes(totals: Totals) -> Iterator[str]:
    if not totals.changes:
        yield "<p>Every cell has the status that it has in the earlier survey.</p>\n"
        return
    marks = {change: (change_mark(change), look.meaning) for change, look in CHANGE_LOOKS.items()}
    yield from _by_task("change", marks, totals.changes, totals)
    if totals.worse:
        yield "<h3>Worse</h3>\n"
        rows = (
            (
                filter_link(isolated(model), model=model),
                text(cell.task),
                status_mark(cell.before),
                status_mark(cell.status),
            )
            for model, cell in totals.worse
        )
        yield from table(("model", "task", "before", "now"), rows)
        count = totals.of("worse", totals.changes)
        if count > len(totals.worse):
            link = filter_link("all of them", change="worse")
            yield f"<p>and {count - len(totals.worse):,} more; {link}</p>\n"


def _by_task(
    what: str, marks: Mapping[str, tuple[str, str]], counts: Counter[tuple[str, str]], totals: Totals
) -> Iterator[str]:
    """Cells by status or by change, and task. marks: how each is shown, and what it means"""
    tasks = totals.tasks
    rows = []
    for name, (mark, meaning) in marks.items():
        total = totals.of(name, counts)
        if total:
            of_tasks = [_count(counts[task, name], **{"task": task, what: name}) for task in tasks]
            everywhere = [f"{total:,}"] if len(tasks) > 1 else []
            rows.append((filter_link(mark, **{what: name}), *of_tasks, *everywhere, text(meaning)))
    titles = (what, *tasks, *(["all"] if len(tasks) > 1 else []), "meaning")
    yield from table(titles, rows, numbers=range(1, len(titles) - 1))


def _count(count: int, **filters: str) -> str:
    return filter_link(f"{count:,}", **filters) if count else '<span class="faint">0</span>'


def _matrix(content: Content) -> Iterator[str]:
    yield "<noscript><p>The matrix needs JavaScript. results.csv has all of its rows.</p></noscript>\n"
    if content.totals.models > MAX_MODELS:
        yield f"<p>The matrix has the first {MAX_MODELS:,} models; results.csv has all of them.</p>\n"
    yield resource("matrix.html")


def _rules(reported: Reported) -> Iterator[str]:
    rules = reported.rules
    if not rules.models:
        yield "<p>No findings.</p>\n"
        return
    summaries = {rule.code: rule for rule in all_rules()}
    rows = []
    for code in rules.sorted()[:MAX_LINES]:
        name, severity = reported.about.get(code, ("", ""))
        rule = summaries.get(code)
        if rule is not None:
            name, severity = name or rule.name, severity or rule.severity
        summary = f"<div class=faint>{text(rule.summary)}</div>" if rule is not None else ""
        rows.append(
            (
                filter_link(text(code), rule=code),
                f"{rule_link(code, text(name))}{summary}",
                text(severity),
                *_numbers(rules.models[code], rules.cells[code], rules.findings[code]),
            )
        )
    titles = ("rule", "name", "severity", "models", "cells", "findings")
    yield from _folded(titles, rows, len(rules.models), numbers=(3, 4, 5))


def _ops(reported: Reported) -> Iterator[str]:
    ops = reported.ops
    if not ops.models:
        yield "<p>No finding is at an op.</p>\n"
        return
    rows = [
        (
            filter_link(text(op), op=op, at="findings"),
            *_numbers(ops.models[op], ops.cells[op], ops.findings[op]),
        )
        for op in ops.sorted()[:MAX_LINES]
    ]
    yield "<p>Findings that are listed in the results, by the op of their layer.</p>\n"
    yield from _folded(("op", "models", "cells", "findings"), rows, len(ops.models), numbers=(1, 2, 3))


def _coverage(coverage: Coverage) -> Iterator[str]:
    entries = list(coverage.all())
    if not entries:
        yield "<p>No task reports the ops of models: check and infer do.</p>\n"
        return
    gaps = [entry for entry in entries if entry.has_gap]
    yield (
        f"<p>The models use {plural(len(entries), 'op version')}; {len(gaps):,} of them"
        " are undefined or not evaluated in irops, declined by a source, or have errors. Models that would be"
        " clean are those in which all errors, refusals and undefined ops are at this op alone.</p>\n"
    )
    if gaps:
        yield from _folded(COVERAGE, _coverage_rows(gaps), len(gaps), numbers=range(2, 7))
    yield "<details><summary>All op versions of the models</summary>\n"
    by_use = sorted(entries, key=lambda entry: (-entry.models, entry.op))
    yield from table(COVERAGE, _coverage_rows(by_use), numbers=range(2, 7))
    yield from _more(len(entries))
    yield "</details>\n"


def _coverage_rows(entries: list[OpCoverage]) -> list[tuple[str, ...]]:
    return [
        (
            filter_link(text(entry.op), op=entry.op),
            f'<span class="state {entry.state.split()[0]}">{entry.state}</span>',
            *_numbers(entry.would_be_clean, entry.errors, entry.declined, entry.models, entry.layers),
        )
        for entry in entries[:MAX_LINES]
    ]


def _settings(settings: Mapping[str, Any]) -> Iterator[str]:
    rows = [(text(name, 80), isolated(_value(value))) for name, value in settings.items()]
    yield from table(("", ""), rows) if rows else ("<p>None.</p>\n",)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    return "" if value is None else str(value)


def _numbers(*counts: int) -> tuple[str, ...]:
    return tuple(f"{count:,}" if count else '<span class="faint">0</span>' for count in counts)


def _folded(
    titles: Sequence[str], rows: Sequence[Sequence[str]], count: int, *, numbers: Sequence[int]
) -> Iterator[str]:
    """A table whose later rows are folded. count: of all rows, of which there may be fewer than that"""
    first, others = rows[:OPEN_LINES], rows[OPEN_LINES:]
    yield from table(titles, first, numbers=numbers)
    if others:
        yield f"<details><summary>{count - len(first):,} more</summary>\n"
        yield from table(titles, others, numbers=numbers)
        yield from _more(count)
        yield "</details>\n"


def _more(count: int) -> Iterator[str]:
    if count > MAX_LINES:
        yield f"<p>and {count - MAX_LINES:,} more</p>\n"
