"""The cells of a survey, model by model, each beside that of an earlier survey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import groupby

from irops.surveys.report.details import Detail, read_detail
from irops.surveys.report.elements import plain
from irops.surveys.report.statuses import change_between
from irops.surveys.row import SOUND, Row

MAX_NAME = 300
"""The greatest number of characters of the name of a model in a page."""


@dataclass(frozen=True, slots=True)
class ReportedCell:
    """A cell as the report shows it. status: None where only the earlier survey has it; before: the earlier
    status, None where the earlier survey does not have it; change: "" without an earlier survey
    """

    task: str
    status: str | None
    seconds: float | None
    bytes: int | None
    detail: Detail
    before: str | None = None
    change: str = ""

    @property
    def is_sound(self) -> bool:
        return self.status in SOUND


@dataclass(frozen=True, slots=True)
class ModelCells:
    """A model with its cells, sorted by task. index: its place among all models, from 0"""

    index: int
    name: str
    cells: tuple[ReportedCell, ...]

    @property
    def ops(self) -> dict[str, int]:
        """The number of layers by op version; empty if no task reports them."""
        return next((dict(cell.detail.ops) for cell in self.cells if cell.detail.ops), {})

    @property
    def needs_page(self) -> bool:
        """Whether anything is to be shown but that all is well."""
        return any(cell.status != "pass" or cell.detail.total or cell.change for cell in self.cells)


def models_of(rows: Iterable[Row], against: Iterable[Row] | None) -> Iterator[ModelCells]:
    """The models of a survey, with the cells that only the earlier one has. Both are sorted: model, task.

    Raises:  ValueError where rows are not sorted, or a cell occurs twice
    """
    tagged = merge(
        ((row.place, 0, row) for row in _sorted(rows)),
        ((row.place, 1, row) for row in _sorted(against or ())),
        key=lambda entry: entry[:2],
    )
    compares = against is not None
    for index, (name, entries) in enumerate(groupby(tagged, key=lambda entry: entry[0][0])):
        cells = tuple(
            _cell({which: row for _, which, row in same}, compares)
            for _, same in groupby(entries, key=lambda entry: entry[0])
        )
        yield ModelCells(index, plain(name, MAX_NAME), cells)


def _cell(rows: dict[int, Row], compares: bool) -> ReportedCell:
    now, earlier = rows.get(0), rows.get(1)
    if now is None:
        gone = rows[1]
        return ReportedCell(plain(gone.task), None, None, None, Detail(), gone.status, "gone")
    before = None if earlier is None else earlier.status
    change = change_between(before, now.status) if compares else ""
    return ReportedCell(
        plain(now.task), now.status, now.seconds, now.bytes, read_detail(now.detail), before, change
    )


def _sorted(rows: Iterable[Row]) -> Iterator[Row]:
    last: tuple[str, str] | None = None
    for row in rows:
        if last is not None and row.place <= last:
            raise ValueError(f"rows are not sorted by model and task: {row.place} follows {last}")
        last = row.place
        yield row
