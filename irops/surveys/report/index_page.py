"""The page of a survey: totals, changes, the matrix, rules, ops, coverage, times, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from math import floor, log10
from typing import Any

from irops.diagnostics.printable import Markup, OwnText, json_in_html, literal, plural
from irops.diagnostics.rules import all_rules
from irops.surveys.report.cells import ModelCells, ReportedCell
from irops.surveys.report.coverage import Coverage, OpCoverage
from irops.surveys.report.details import Finding
from irops.surveys.report.elements import (
    END,
    filter_link,
    head,
    isolated,
    resource,
    rule_link,
    seconds_text,
    table,
    text,
)
from irops.surveys.report.model_page import change_mark, status_mark
from irops.surveys.report.statuses import ABSENT, CHANGE_LOOKS, SAME, STATUS_LOOKS

SLOWEST = 20
"""How many of the slowest cells are listed."""
MAX_WORSE = 50
"""How many cells that are worse are listed."""
BINS_PER_DECADE = 2
"""How many bars of a histogram of times stand for a factor of ten."""
MIN_SECONDS = 0.001
"""All shorter times have one bar."""


class Totals:
    """Counts over all models that are added, and the names of the slowest ones."""

    def __init__(self) -> None:
        self.models = self.cells = self.sound_models = self.findings = 0
        self.statuses: Counter[tuple[str, str]] = Counter()
        """Cells by task and status."""
        self.changes: Counter[tuple[str, str]] = Counter()
        """Cells by task and change."""
        self.worse: list[tuple[str, ReportedCell]] = []
        """The first cells that are worse, with their models."""
        self.times: dict[str, Counter[int]] = {}
        """Cells by task and bin; see bin_of."""
        self.seconds: dict[str, float] = {}
        self.slowest: list[tuple[float, str, str]] = []
        """Seconds, model and task, the slowest first."""

    def add(self, model: ModelCells) -> None:
        present = [cell for cell in model.cells if cell.status is not None]
        self.models += bool(present)
        self.cells += len(present)
        self.sound_models += bool(present) and all(cell.is_sound for cell in present)
        for cell in model.cells:
            self.statuses[cell.task, cell.status or ""] += 1
            self.findings += cell.detail.total
            if cell.change:
                self.changes[cell.task, cell.change] += 1
            if cell.change == "worse" and len(self.worse) < MAX_WORSE:
                self.worse.append((model.name, cell))
            if cell.seconds is not None:
                self._add_time(model.name, cell, cell.seconds)

    def _add_time(self, name: str, cell: ReportedCell, seconds: float) -> None:
        self.times.setdefault(cell.task, Counter())[bin_of(seconds)] += 1
        self.seconds[cell.task] = self.seconds.get(cell.task, 0.0) + seconds
        if len(self.slowest) < SLOWEST or seconds > self.slowest[-1][0]:
            self.slowest = nlargest(SLOWEST, [*self.slowest, (seconds, name, cell.task)])

    @property
    def tasks(self) -> tuple[str, ...]:
        """All tasks, those of the earlier survey included."""
        return tuple(sorted({task for task, _ in self.statuses}))

    @staticmethod
    def of(name: str, counts: Counter[tuple[str, str]]) -> int:
        """The number of cells of a status or a change, over all tasks. counts: statuses or changes"""
        return sum(count for (_, one), count in counts.items() if one == name)


class Occurrences:
    """How often something is reported, over all models that are added."""

    def __init__(self) -> None:
        self.findings: Counter[str] = Counter()
        self.cells: Counter[str] = Counter()
        self.models: Counter[str] = Counter()

    def add(self, by_cell: list[Counter[str]]) -> None:
        """by_cell: the number of findings of each cell of a model"""
        for counts in by_cell:
            self.findings.update(counts)
            self.cells.update(counts.keys())
        self.models.update({name for counts in by_cell for name in counts})

    def sorted(self) -> list[str]:
        """Those of the most models first."""
        return sorted(self.models, key=lambda name: (-self.models[name], -self.findings[name], name))


class Reported:
    """What findings are about: rules, and ops."""

    def __init__(self) -> None:
        self.rules, self.ops = Occurrences(), Occurrences()
        self.about: dict[str, tuple[str, str]] = {}
        """Name and severity of each code, as findings give them."""

    def add(self, model: ModelCells) -> None:
        for finding in (finding for cell in model.cells for finding in cell.detail.findings):
            self.about.setdefault(finding.code, (finding.name, finding.severity))
        self.rules.add([Counter(dict(cell.detail.counts)) for cell in model.cells])
        self.ops.add([Counter(f.op for f in cell.detail.findings if f.op) for cell in model.cells])


def bin_of(seconds: float) -> int:
    """The bar of a histogram that a time belongs to."""
    return floor(log10(max(seconds, MIN_SECONDS)) * BINS_PER_DECADE)


def start_of(number: int) -> float:
    """The shortest time of a bar, in seconds."""
    return float(10 ** (number / BINS_PER_DECADE))


MAX_MODELS, MAX_SOUND, MAX_NAMES = 20_000, 5_000, 1 << 20
"""How many models the matrix has, how many of which there is nothing to report, and how many characters
their names have.
"""
MAX_TEXTS = 1 << 20
"""How many characters of findings the page has; the pages of models have more of them."""
FINDINGS, FINDINGS_LATER = 5, 1
"""How many findings of a cell the page has, and how many once half of MAX_TEXTS is used."""
MAX_MESSAGE, MAX_LAYER = 240, 120


class Numbers:
    """Values that are stored once, with the number of each."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def __getitem__(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def __contains__(self, value: Any) -> bool:
        return value in self._numbers

    def values(self) -> list[Any]:
        return list(self._numbers)


class Matrix:
    """The data of the models that are added, up to MAX_MODELS."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._pages: list[str] = []
        self._tasks: dict[str, Column] = {}
        self._ops: list[int] = []
        self._texts, self._codes, self._op_names = Numbers(), Numbers(), Numbers()
        self._code_sets, self._op_sets = Numbers(), Numbers()
        self._used = self._name_length = self._sound = 0

    def add(self, model: ModelCells, page: str) -> None:
        """page: the name of the model's page; "" if it has none"""
        is_sound = not model.needs_page
        if len(self.names) >= MAX_MODELS or self._name_length >= MAX_NAMES:
            return
        if is_sound and self._sound >= MAX_SOUND:
            return
        self._sound += is_sound
        self._name_length += len(model.name)
        row = len(self.names)
        self.names.append(model.name)
        self._pages.append(page)
        self._ops.append(self._op_set(model.ops))
        for cell in model.cells:
            column = self._tasks.setdefault(cell.task, Column())
            column.add(row, cell)
            codes = cell.detail.codes
            if codes:
                column.codes[row] = self._code_sets[tuple(sorted(self._codes[code] for code in codes))]
            faulty = {finding.op for finding in cell.detail.findings if finding.op}
            if faulty:
                column.faults[row] = self._op_set(faulty)
            notes = [*self._findings(cell.detail.findings), *self._note(cell)]
            if notes:
                column.notes[row] = notes

    def data(self, about: dict[str, tuple[str, str]]) -> dict[str, Any]:
        """The data as an object of JSON. about: name and severity of each rule by code"""
        count = len(self.names)
        columns = sorted(self._tasks.items())
        return {
            "statuses": {look.letter: [name, look.symbol] for name, look in STATUS_LOOKS.items()},
            "changes": {look.letter: [name, look.symbol] for name, look in CHANGE_LOOKS.items()},
            "models": self.names,
            "pages": self._pages,
            "tasks": [task for task, _ in columns],
            "columns": [column.data(count) for _, column in columns],
            "codes": [[code, *about.get(code, ("", ""))] for code in self._codes.values()],
            "codeSets": self._code_sets.values(),
            "ops": self._op_names.values(),
            "opSets": self._op_sets.values(),
            "modelOps": self._ops,
            "texts": self._texts.values(),
        }

    def _op_set(self, ops: Iterable[str]) -> int:
        return self._op_sets[tuple(sorted(self._op_names[op] for op in ops))]

    def _findings(self, findings: tuple[Finding, ...]) -> list[Any]:
        """Findings as severity and code, message, layer, op, line; texts by number."""
        return [
            [
                self._codes[finding.code],
                1 if finding.severity == "error" else 0,
                self._text(finding.message, MAX_MESSAGE),
                self._text(finding.layer, MAX_LAYER),
                self._text(finding.op, MAX_LAYER),
                finding.line or 0,
            ]
            for finding in findings[: self._room]
        ]

    def _note(self, cell: ReportedCell) -> list[Any]:
        """What a cell reports besides findings: a message, the first wrong layer."""
        first = ", ".join(f"{key} {value}" for key, value in cell.detail.first)
        texts = [cell.detail.message, first and f"first wrong layer: {first}"]
        return [self._text(text, MAX_MESSAGE) for text in texts if text and self._room]

    @property
    def _room(self) -> int:
        """How many findings of the next cell are kept."""
        if self._used < MAX_TEXTS // 2:
            return FINDINGS
        return FINDINGS_LATER if self._used < MAX_TEXTS else 0

    def _text(self, text: str, width: int) -> int:
        shown = text if len(text) <= width else f"{text[: width - 1]}…"
        self._used += 12 + len(shown) * (shown not in self._texts)
        return self._texts[shown]


class Column:
    """A task: a letter for the status of each model, and what few models have, by the number of the model."""

    def __init__(self) -> None:
        self._letters, self._before, self._changes = bytearray(), bytearray(), bytearray()
        self._seconds: list[float] = []
        self._totals: dict[int, int] = {}
        self.codes: dict[int, int] = {}
        self.faults: dict[int, int] = {}
        self.notes: dict[int, list[Any]] = {}

    def add(self, row: int, cell: ReportedCell) -> None:
        self._fill(row)
        self._letters += _letter(cell.status)
        self._before += _letter(cell.before)
        self._changes += (CHANGE_LOOKS[cell.change].letter if cell.change else SAME).encode()
        self._seconds.append(-1 if cell.seconds is None else float(f"{cell.seconds:.3g}"))
        if cell.detail.total:
            self._totals[row] = cell.detail.total

    def data(self, count: int) -> dict[str, Any]:
        """count: the number of models"""
        self._fill(count)
        compares = self._changes.strip(b".=") != b""
        return {
            "letters": self._letters.decode(),
            "before": self._before.decode() if compares else "",
            "changes": self._changes.decode() if compares else "",
            "seconds": self._seconds,
            "totals": self._totals,
            "codes": self.codes,
            "faults": self.faults,
            "notes": self.notes,
        }

    def _fill(self, count: int) -> None:
        """Add cells that do not exist, up to a number."""
        missing = count - len(self._letters)
        for letters in (self._letters, self._before, self._changes):
            letters.extend(ABSENT.encode() * missing)
        self._seconds += [-1] * missing


def _letter(status: str | None) -> bytes:
    return (ABSENT if status is None else STATUS_LOOKS[status].letter).encode()


SCRIPTS = (
    *(literal("data.js"), literal("filter.js"), literal("panel.js")),
    *(literal("matrix.js"), literal("controls.js")),
)
"""In the order in which the page runs them."""
MAX_LINES = 300
"""How many lines a table of rules or ops has."""
MAX_NOTES, MAX_NOTE = 20, 400
OPEN_LINES = 20
"""How many of them are shown before a person opens the others."""
COVERAGE = ("op", "in irops", "would be clean", "errors", "declined", "models", "layers")
FILES = (literal("results.csv"), literal("results.json"), literal("timings.csv"))
"""What lies beside the page."""


@dataclass(slots=True)
class Content:
    """What the page shows, collected while rows are read. settings: names and values, versions included"""

    settings: Mapping[str, Any]
    compares: bool
    coverage: Coverage
    notes: Sequence[str] = ()
    totals: Totals = field(default_factory=Totals)
    reported: Reported = field(default_factory=Reported)
    matrix: Matrix = field(default_factory=Matrix)


def index_page(content: Content) -> Iterator[Markup]:
    """The page, in pieces."""
    script = "".join(map(resource, SCRIPTS))
    totals = content.totals
    title = f"Survey of {totals.models:,} model{'' if totals.models == 1 else 's'}"
    yield head(title, script)
    yield f'<a class="skip" href="#matrix">Skip to the matrix</a>\n<header><h1>{text(title)}</h1>\n'
    for note in content.notes[:MAX_NOTES]:
        yield f'<p class="note">{text(note, MAX_NOTE)}</p>\n'
    yield f"<p>{_summary(totals)} Files: {', '.join(f'<a href={name}>{name}</a>' for name in FILES)}.</p>\n"
    sections: list[tuple[OwnText, OwnText, Iterator[Markup]]] = [
        (literal("totals"), literal("Totals"), _totals(totals)),
        *([(literal("changes"), literal("Changes"), _changes(totals))] if content.compares else []),
        (literal("matrix"), literal("Models"), _matrix(content)),
        (literal("rules"), literal("Findings by rule"), _rules(content.reported)),
        (literal("ops"), literal("Ops with findings"), _ops(content.reported)),
        (literal("coverage"), literal("What to support next"), _coverage(content.coverage)),
        (literal("times"), literal("Time"), time_section(totals)),
        (literal("settings"), literal("Settings and versions"), _settings(content.settings)),
    ]
    links: Markup = " ".join(f'<a href="#{anchor}">{name}</a>' for anchor, name, _ in sections)
    yield f'<nav aria-label="sections">{links}</nav></header>\n<main>\n'
    for anchor, name, pieces in sections:
        yield f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{name}</h2>\n'
        yield from pieces
        yield literal("</section>\n")
    data = json_in_html(content.matrix.data(content.reported.about))
    yield f'</main>\n<script type="application/json" id="data">{data}</script>\n'
    yield f"<script>{script}</script>\n{END}"


def _summary(totals: Totals) -> Markup:
    if not totals.cells:
        return literal("The survey has no results.")
    tasks = plural(len(totals.tasks), "task")
    sound: Markup = f"{totals.sound_models:,} of {totals.models:,} models are pass or warn in every task"
    return f"{totals.cells:,} cells of {tasks}: {sound}; {totals.findings:,} findings."


def _totals(totals: Totals) -> Iterator[Markup]:
    if not totals.cells:
        yield literal("<p>No cells.</p>\n")
        return
    marks = {status: (status_mark(status), look.meaning) for status, look in STATUS_LOOKS.items()}
    yield from _by_task("status", marks, totals.statuses, totals)


def _changes(totals: Totals) -> Iterator[Markup]:
    if not totals.changes:
        yield literal("<p>Every cell has the status that it has in the earlier survey.</p>\n")
        return
    marks = {change: (change_mark(change), look.meaning) for change, look in CHANGE_LOOKS.items()}
    yield from _by_task("change", marks, totals.changes, totals)
    if totals.worse:
        yield literal("<h3>Worse</h3>\n")
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
    what: str, marks: Mapping[str, tuple[Markup, str]], counts: Counter[tuple[str, str]], totals: Totals
) -> Iterator[Markup]:
    """Cells by status or by change, and task. marks: how each is shown, and what it means"""
    tasks = totals.tasks
    rows: list[tuple[Markup, ...]] = []
    for name, (mark, meaning) in marks.items():
        total = totals.of(name, counts)
        if total:
            of_tasks = [_count(counts[task, name], **{"task": task, what: name}) for task in tasks]
            everywhere: list[Markup] = [f"{total:,}"] if len(tasks) > 1 else []
            rows.append((filter_link(mark, **{what: name}), *of_tasks, *everywhere, text(meaning)))
    titles = (what, *tasks, *(["all"] if len(tasks) > 1 else []), "meaning")
    yield from table(titles, rows, numbers=range(1, len(titles) - 1))


def _count(count: int, **filters: str) -> Markup:
    return filter_link(_number(count), **filters) if count else _number(count)


def _number(count: int) -> Markup:
    return f"{count:,}" if count else literal('<span class="faint">0</span>')


def _matrix(content: Content) -> Iterator[Markup]:
    yield literal(
        "<noscript><p>The matrix needs JavaScript. results.csv has all of its rows.</p></noscript>\n"
    )
    shown, count = len(content.matrix.names), content.totals.models
    if count > shown:
        yield f"<p>The matrix has {shown:,} of {count:,} models; results.csv has all of them.</p>\n"
    yield resource("matrix.html")


def _rules(reported: Reported) -> Iterator[Markup]:
    rules = reported.rules
    if not rules.models:
        yield literal("<p>No findings.</p>\n")
        return
    summaries = {rule.code: rule for rule in all_rules()}
    rows: list[tuple[Markup, ...]] = []
    for code in rules.sorted()[:MAX_LINES]:
        name, severity = reported.about.get(code, ("", ""))
        rule = summaries.get(code)
        if rule is not None:
            name, severity = name or rule.name, severity or rule.severity
        summary: Markup = f"<div class=faint>{text(rule.summary)}</div>" if rule is not None else literal("")
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


def _ops(reported: Reported) -> Iterator[Markup]:
    ops = reported.ops
    if not ops.models:
        yield literal("<p>No finding is at an op.</p>\n")
        return
    rows = [
        (
            filter_link(text(op), op=op, at="findings"),
            *_numbers(ops.models[op], ops.cells[op], ops.findings[op]),
        )
        for op in ops.sorted()[:MAX_LINES]
    ]
    yield literal("<p>Findings that are listed in the results, by the op of their layer.</p>\n")
    yield from _folded(("op", "models", "cells", "findings"), rows, len(ops.models), numbers=(1, 2, 3))


def _coverage(coverage: Coverage) -> Iterator[Markup]:
    entries = list(coverage.all())
    if not entries:
        yield literal("<p>No task reports the ops of models: check and infer do.</p>\n")
        return
    gaps = [entry for entry in entries if entry.has_gap]
    yield (
        f"<p>The models use {plural(len(entries), 'op version')}; {len(gaps):,} of them"
        " are undefined or not evaluated in irops, declined by a source, or have errors. Models that would be"
        " clean are those in which all errors, refusals and undefined ops are at this op alone.</p>\n"
    )
    if gaps:
        yield from _folded(COVERAGE, _coverage_rows(gaps), len(gaps), numbers=range(2, 7))
    yield literal("<details><summary>All op versions of the models</summary>\n")
    by_use = sorted(entries, key=lambda entry: (-entry.models, entry.op))
    yield from table(COVERAGE, _coverage_rows(by_use), numbers=range(2, 7))
    yield from _more(len(entries))
    yield literal("</details>\n")


def _coverage_rows(entries: list[OpCoverage]) -> list[tuple[Markup, ...]]:
    return [
        (
            filter_link(text(entry.op), op=entry.op),
            f'<span class="state {text(entry.state.split()[0])}">{text(entry.state)}</span>',
            *_numbers(entry.would_be_clean, entry.errors, entry.declined, entry.models, entry.layers),
        )
        for entry in entries[:MAX_LINES]
    ]


def _settings(settings: Mapping[str, Any]) -> Iterator[Markup]:
    rows = [(text(name, 80), isolated(_value(value))) for name, value in settings.items()]
    yield from table(("", ""), rows) if rows else (literal("<p>None.</p>\n"),)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    return "" if value is None else str(value)


def _numbers(*counts: int) -> tuple[Markup, ...]:
    return tuple(_number(count) for count in counts)


def _folded(
    titles: Sequence[str], rows: Sequence[Sequence[Markup]], count: int, *, numbers: Sequence[int]
) -> Iterator[Markup]:
    """A table whose later rows are folded. count: of all rows, of which there may be fewer than that"""
    first, others = rows[:OPEN_LINES], rows[OPEN_LINES:]
    yield from table(titles, first, numbers=numbers)
    if others:
        yield f"<details><summary>{count - len(first):,} more</summary>\n"
        yield from table(titles, others, numbers=numbers)
        yield from _more(count)
        yield literal("</details>\n")


def _more(count: int) -> Iterator[Markup]:
    if count > MAX_LINES:
        yield f"<p>and {count - MAX_LINES:,} more</p>\n"


WIDTH, HEIGHT, BAR, BASE = 26, 60, 22, 78
"""Of a step, the tallest bar, a bar, and the line on which bars stand, in pixels."""


def time_section(totals: Totals) -> Iterator[Markup]:
    if not totals.times:
        yield literal("<p>No times are known.</p>\n")
        return
    bins = [number for counts in totals.times.values() for number in counts]
    first, last = min(bins), max(bins)
    most = max(max(counts.values()) for counts in totals.times.values())
    yield literal("<p>The number of cells by time, on logarithmic scales.</p>\n<div class=charts>\n")
    for task, counts in sorted(totals.times.items()):
        total = f"{seconds_text(totals.seconds[task])} for {counts.total():,} cells"
        yield f"<figure><figcaption><b>{text(task)}</b>, {total}</figcaption>\n"
        yield from _histogram(counts, first, last, most)
        yield literal("</figure>\n")
    yield literal("</div>\n<h3>Slowest cells</h3>\n")
    rows = (
        (filter_link(isolated(model), model=model), text(task), seconds_text(seconds))
        for seconds, model, task in totals.slowest
    )
    yield from table(("model", "task", "time"), rows, numbers=(2,))


def _histogram(counts: Counter[int], first: int, last: int, most: int) -> Iterator[Markup]:
    """first, last: the bars of all histograms, which can thus be compared; most: the greatest count of all"""
    wide = (last - first + 1) * WIDTH + 34
    label = ", ".join(f"from {_short(number)}: {counts[number]:,}" for number in sorted(counts))
    yield f'<svg class="chart" role="img" aria-label="{text(label)}" width="{wide}" height="96">'
    for number in range(first, last + 2):
        x = (number - first) * WIDTH + 14
        if number % 2 == 0:
            yield f'<text x="{x}" y="92">{_short(number)}</text>'
        count = counts[number]
        if count:
            height = max(log10(count + 1) / log10(most + 1) * HEIGHT, 1)
            yield (
                f'<rect x="{x + 2}" y="{BASE - height:.1f}" width="{BAR}" height="{height:.1f}">'
                f"<title>from {_short(number)}: {count:,}</title></rect>"
                f'<text x="{x + WIDTH / 2}" y="{BASE - height - 3:.1f}">{_abridged(count)}</text>'
            )
    yield f'<line x1="10" x2="{wide - 10}" y1="{BASE}" y2="{BASE}"/></svg>\n'


def _short(number: int) -> Markup:
    seconds = start_of(number)
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.4g} s"


def _abridged(count: int) -> Markup:
    return f"{count}" if count < 10_000 else f"{count / 1000:.0f}k"
