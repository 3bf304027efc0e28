"""The page of a survey: totals, what changed, findings by rule, and the matrix of models and tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from irops.diagnostics.formats import page_of
from irops.diagnostics.printable import plural
from irops.diagnostics.rules import all_rules
from irops.pages.render import plain, render
from irops.surveys.store import STATUSES, Row
from irops.surveys.table import CellChange, SurveyTable

STATUS_LOOKS = {
    "pass": ("✓", "no findings"),
    "warn": ("▲", "warnings only"),
    "unsupported": ("–", "a source declines the model"),
    "fail": ("✕", "findings that are errors, values that differ, or a release that does not read it"),
    "error": ("?", "not judged: unreadable, denied, or without inputs"),
    "timeout": ("◔", "exceeded the limit on time"),
    "memory": ("▦", "exceeded the limit on memory"),
    "crash": ("■", "the process ended"),
    "lost": ("↺", "the workers were lost again and again"),
}
"""Symbol and meaning by status: a status has a symbol and a word besides its colour."""
CHANGE_LOOKS = {
    "worse": ("↓", "a worse status than in the earlier survey"),
    "better": ("↑", "a better status than in the earlier survey"),
    "new": ("+", "only in this survey"),
    "gone": ("−", "only in the earlier survey"),
}
"""The same by how a status differs from that of an earlier survey."""
MAX_MODELS = 20_000
"""How many models the matrix has."""
MAX_TEXTS = 6 << 20
"""How many characters of findings the page has."""
FINDINGS, FINDINGS_LATER = 10, 1
"""How many findings of a cell the page has, and how many once half of MAX_TEXTS is used."""
MAX_WORSE = 50
"""How many cells that are worse are listed."""
MAX_MESSAGE, MAX_NAME = 400, 300
DEFAULTS: tuple[Any, ...] = (None, 0, [], [], -1, -1)
"""The fields that the row of a cell may lack."""


def report_page(table: SurveyTable, settings: Mapping[str, Any]) -> str:
    """index.html. settings: names and values that the page lists, without credentials

    Raises:  MissingExtraError
    """
    found = table.differences
    changes = {} if found is None else {kind: getattr(found, kind) for kind in CHANGE_LOOKS}
    matrix = Matrix(table, changes)
    counts: dict[str, Counter[str]] = {}
    for row in table:
        counts.setdefault(row.status, Counter())[plain(row.task)] += 1
    models = len({row.model for row in table})
    return render(
        "survey.html",
        title=f"Survey of {models:,} model{'' if models == 1 else 's'}",
        summary=_summary(table, models),
        tasks=matrix.tasks,
        statuses=STATUS_LOOKS,
        counts=counts,
        compares=found is not None,
        changes=CHANGE_LOOKS,
        changed={
            kind: Counter(plain(change.task) for change in of_kind)
            for kind, of_kind in changes.items()
            if of_kind
        },
        worse=changes.get("worse", ()),
        most_worse=MAX_WORSE,
        rules=list(_rules(table, matrix)),
        data=matrix.data(),
        left_out=matrix.left_out,
        settings={name: _setting(value) for name, value in settings.items()},
    )


def _summary(table: SurveyTable, models: int) -> str:
    if not len(table):
        return "The survey has no results."
    faulty = len({row.model for row in table if not row.is_sound})
    return f"{models - faulty:,} of {plural(models, 'model')} are pass or warn in every task."


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule with the number of models and findings. page: the address of its page, None without one"""

    code: str
    name: str
    severity: str
    summary: str
    page: str | None
    models: int
    findings: int


def _rules(table: SurveyTable, matrix: Matrix) -> Iterator[RuleLine]:
    known = {rule.code: rule for rule in all_rules()}
    for code, models, findings in table.rules(None):
        rule, shown = known.get(code), plain(code, MAX_NAME)
        if rule is None:
            yield RuleLine(shown, *matrix.about.get(shown, ("", "")), "", None, models, findings)
        else:
            yield RuleLine(code, rule.name, rule.severity, rule.summary, page_of(rule), models, findings)


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_setting(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting, value))
    return "" if value is None else str(value)


class NumberedValues:
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
    """The models of a survey and those that are gone, each with a cell for each task, up to MAX_MODELS.

    about: name and severity of each rule by code, as findings give them
    """

    def __init__(self, table: SurveyTable, changes: Mapping[str, Iterable[CellChange]]) -> None:
        self.about: dict[str, tuple[str, str]] = {}
        self._rules, self._findings, self._used = NumberedValues(), NumberedValues(), 0
        rows = {row.place: row for row in table}
        moved = {
            (change.model, change.task): (kind, change)
            for kind, of_kind in changes.items()
            for change in of_kind
        }
        places = rows.keys() | moved.keys()
        names, tasks = (sorted({place[part] for place in places}) for part in (0, 1))
        self.tasks = [plain(task) for task in tasks]
        self.left_out = max(0, len(names) - MAX_MODELS)
        self._models = [
            [
                plain(name, MAX_NAME),
                [self._cell(rows.get((name, task)), moved.get((name, task))) for task in tasks],
            ]
            for name in names[:MAX_MODELS]
        ]

    def data(self) -> dict[str, Any]:
        """The matrix as an object of JSON, from which the script of the page makes rows."""
        return {
            "statuses": [[name, symbol] for name, (symbol, _) in STATUS_LOOKS.items()],
            "changes": [[name, symbol] for name, (symbol, _) in CHANGE_LOOKS.items()],
            "tasks": self.tasks,
            "rules": [[code, self.about.get(code, ("", ""))[0]] for code in self._rules.values()],
            "findings": self._findings.values(),
            "models": self._models,
        }

    def _cell(self, row: Row | None, moved: tuple[str, CellChange] | None) -> Any:
        """Status, number of findings, numbers of rules, of findings, change, earlier status; 0: no cell."""
        if row is None and moved is None:
            return 0
        counts = {} if row is None else row.counts
        cell = [
            -1 if row is None else STATUSES.index(row.status),
            sum(counts.values()),
            sorted(self._rules[plain(code, MAX_NAME)] for code in counts),
            [] if row is None else self._notes(row.details),
            -1 if moved is None else list(CHANGE_LOOKS).index(moved[0]),
            -1 if moved is None or moved[1].before is None else STATUSES.index(moved[1].before),
        ]
        while len(cell) > 1 and cell[-1] == DEFAULTS[len(cell) - 1]:
            cell.pop()
        return cell

    def _notes(self, detail: Mapping[str, Any]) -> list[int]:
        """The numbers of the first findings of a cell, of its message and of its first wrong layer."""
        room = FINDINGS if self._used < MAX_TEXTS // 2 else FINDINGS_LATER
        if self._used >= MAX_TEXTS:
            return []
        first = ", ".join(f"{key} {value}" for key, value in detail.get("first", {}).items())
        texts = (detail.get("message"), first and f"first wrong layer: {first}")
        notes = [self._finding(finding) for finding in detail.get("findings", ())[:room]]
        notes += [(-1, "error", plain(text, MAX_MESSAGE), "", "", 0) for text in texts if text]
        self._used += sum(
            sum(len(str(part)) for part in note) for note in notes if note not in self._findings
        )
        return [self._findings[note] for note in notes]

    def _finding(self, stored: Mapping[str, Any]) -> tuple[Any, ...]:
        """Number of the rule, severity, message, layer, op, line."""
        code, *texts = (
            plain(stored[key] or "", MAX_NAME) for key in ("code", "name", "severity", "layer", "op")
        )
        name, severity, layer, op = texts
        self.about.setdefault(code, (name, severity))
        return (
            self._rules[code],
            severity,
            plain(stored["message"], MAX_MESSAGE),
            layer,
            op,
            stored["line"] or 0,
        )
