"""The data of the matrix, from which scripts of the page make rows as they come into view.

Texts, sets of rules and sets of ops are stored once and referred to by number; a status is one letter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from irops.surveys.report.cells import Cell, ModelCells
from irops.surveys.report.details import Finding
from irops.surveys.report.statuses import ABSENT, CHANGE_LOOKS, SAME, STATUS_LOOKS

MAX_MODELS = 100_000
"""How many models the matrix has."""
MAX_TEXTS = 6 << 20
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
        self._used = 0

    def add(self, model: ModelCells, page: str) -> None:
        """page: the name of the model's page; "" if it has none"""
        if len(self.names) == MAX_MODELS:
            return
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

    def _note(self, cell: Cell) -> list[Any]:
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

    def add(self, row: int, cell: Cell) -> None:
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
