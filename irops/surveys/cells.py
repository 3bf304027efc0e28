"""The cells of a survey, and which of them are done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from irops.files.urls import is_url
from irops.surveys.identity import Identities, key_of
from irops.surveys.listing import ListedModel
from irops.surveys.store import Row
from irops.surveys.tasks import MAX_TEXT, CellOutcome, SurveySettings, Task, detail_text, runtime_of
from irops.work.cluster import own_version
from irops.work.outcomes import Died, Failed

EXCEEDED = {"": "crash", "seconds": "timeout", "memory": "memory"}
"""The status of a cell whose process died, by the bound that it exceeded."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A model and a task. key: a digest of all that the result depends on; "" where that is not known."""

    model: ListedModel
    task: Task
    key: str

    @property
    def place(self) -> tuple[str, str]:
        return self.model.name, self.task.text


class Cells:
    """The cells of a survey in the order of the table."""

    def __init__(
        self,
        models: Iterable[ListedModel],
        tasks: Sequence[Task],
        settings: SurveySettings,
        identities: Identities,
    ) -> None:
        self._settings, self._identities = settings, identities
        self.runtimes = {task.text: runtime_of(task) for task in tasks}
        parts = {
            task: [text.encode() for text in (task.text, self.runtimes[task.text], settings.digest())]
            for task in tasks
        }
        models = tuple(models)
        identities.ask_for([model.path for model in models if is_url(model.path)], settings.limits)
        self._all: dict[tuple[str, str], Cell] = {}
        for model in models:
            identity = identities.of(model.path)
            for task, of_task in parts.items():
                cell = Cell(model, task, key_of(identity.encode(), *of_task) if identity else "")
                self._all[cell.place] = cell

    def __len__(self) -> int:
        return len(self._all)

    def to_do(self, rows: Mapping[tuple[str, str], Row], again: Sequence[str] = ()) -> list[Cell]:
        """The cells without a row that is still true. again: statuses of rows that do not count"""
        cells = [(rows.get(place), cell) for place, cell in sorted(self._all.items())]
        return [
            cell for row, cell in cells if not row or row.status in again or not self._is_current(cell, row)
        ]

    def in_order(self, rows: Mapping[tuple[str, str], Row]) -> list[Row]:
        """The rows of the cells, in the order of the table."""
        return [rows[place] for place in sorted(self._all) if place in rows]

    def row(self, cell: Cell, result: CellOutcome | Died | Failed) -> Row:
        """The row of a cell from what came of it."""
        outcome = _outcome(result, self._settings)
        lasting = not outcome.transient and self._identities.is_unchanged(cell.model.path)
        model, task = cell.place
        found = (outcome.status, outcome.seconds, outcome.bytes, outcome.detail)
        key = self._key(cell, outcome.status) if lasting else ""
        return Row(model, task, *found, key, own_version(), self.runtimes[task])

    def _is_current(self, cell: Cell, row: Row) -> bool:
        return bool(cell.key) and row.key == self._key(cell, row.status)

    def _key(self, cell: Cell, status: str) -> str:
        """The key of a result: one that exceeded a bound depends on the bound, too."""
        if not cell.key:
            return ""
        bounds = {"timeout": self._settings.seconds, "memory": self._settings.memory}
        return f"{cell.key} {status}={bounds[status]:.0f}" if status in bounds else cell.key


def _outcome(result: CellOutcome | Died | Failed, settings: SurveySettings) -> CellOutcome:
    if isinstance(result, CellOutcome):
        return result
    if isinstance(result, Failed):
        return CellOutcome("error", None, None, _message(f"irops failed: {result}"), True)
    status = "lost" if result.lost else EXCEEDED[result.exceeded]
    seconds = settings.seconds if status == "timeout" else None
    return CellOutcome(status, seconds, None, _message(f"the process {result}"), status == "lost")


def _message(text: str) -> str:
    return detail_text({"message": text[:MAX_TEXT]})
