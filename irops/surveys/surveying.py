"""Carry out a survey: do the cells that are not done, keep their rows as they come, write the report.

The cells of a survey, and which of them are done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from irops.diagnostics.printable import in_json, json_text, printable
from irops.files.cache.entries import key_of
from irops.files.cache.identity import own_version
from irops.files.urls import is_url
from irops.registry import Registry
from irops.surveys.describing import MAX_TEXT
from irops.surveys.differences import differences, rows_of_report
from irops.surveys.faults import Interrupted, SurveyError
from irops.surveys.folder import IDENTITIES, ReportFolder
from irops.surveys.identity import Identities
from irops.surveys.inputs import inputs_of_model
from irops.surveys.listing import Listing, SurveyedModel
from irops.surveys.report.write import write_report
from irops.surveys.row import CellOutcome, Row, detail_text
from irops.surveys.settings import Settings, runtime_of
from irops.surveys.start import prepare
from irops.surveys.store import RowStore
from irops.surveys.table import SurveyTable, results_csv, results_json, timings_csv
from irops.surveys.tasks import SurveyTask
from irops.work.cluster.faults import ClusterError
from irops.work.cluster.workers import Workers
from irops.work.processes.serving import Died, Failed

AGAINST = "against.json"
Progress = Callable[[int, int, object], None]
"""Called with the number of cells done, the number of cells to do, and the name of a model."""


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """What a survey is asked for. again: statuses of earlier results that do not count."""

    listing: Listing
    tasks: tuple[SurveyTask, ...]
    settings: Settings
    output: Path | None = None
    against: Path | None = None
    again: tuple[str, ...] = ()


class SurveyRows(Protocol):
    """Where rows are kept."""

    rows: dict[tuple[str, str], Row]

    def add(self, row: Row) -> None: ...
    def flush(self) -> None: ...
    def compact(self, rows: list[Row]) -> None: ...


class InMemory:
    """Rows that are not stored."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}

    def add(self, row: Row) -> None:
        self.rows[row.place] = row

    def flush(self) -> None:
        """There is nothing to write."""

    def compact(self, rows: list[Row]) -> None:
        self.rows = {row.place: row for row in rows}


def surveyed(request: SurveyRequest, workers: Workers, progress: Progress | None = None) -> SurveyTable:
    """The table of a survey; its report is in request.output.

    Raises:  SurveyError; Interrupted after Ctrl-C: what is done is kept
    """
    before = None if request.against is None else _other_rows(request)
    try:
        with ExitStack() as opened:
            folder = None if request.output is None else opened.enter_context(ReportFolder(request.output))
            store: SurveyRows = InMemory()
            notes: tuple[str, ...] = ()
            if folder is not None:
                store = kept = opened.enter_context(RowStore(folder.results))
                notes = (*folder.notes, *kept.set_aside())
            survey = _Survey(request, folder, store)
            survey.notes = (*request.listing.notes, *notes)
            table = survey.table(workers, progress, before)
    except OSError as error:
        place = f"{printable(str(error.filename))}: " if error.filename else ""
        raise SurveyError(
            f"{place}{error.strerror or error}; the rows that are written are kept, the next survey goes on"
        ) from None
    return table


def _other_rows(request: SurveyRequest) -> list[Row]:
    assert request.against is not None
    if request.output is not None and os.path.realpath(request.output) == os.path.realpath(request.against):
        raise SurveyError("the report to compare with is the one that is written; choose another output")
    return rows_of_report(request.against)


class _Survey:
    """One survey, with the folder of its report, which may be None. notes: what was left out or lost"""

    notes: tuple[str, ...] = ()

    def __init__(self, request: SurveyRequest, folder: ReportFolder | None, store: SurveyRows) -> None:
        self._request, self._folder, self._store = request, folder, store
        self._identities = Identities(None if folder is None else folder.identities())
        self._cells = Cells(request.listing.models, request.tasks, request.settings, self._identities)

    def table(self, workers: Workers, progress: Progress | None, before: Iterable[Row] | None) -> SurveyTable:
        to_do = self._cells.to_do(self._store.rows, self._request.again)
        if self._folder is not None:
            self._folder.write_manifest(self._manifest())
        for cell in to_do:
            self._store.rows.pop(cell.place, None)
        try:
            self._do(to_do, workers, progress)
        except (SystemExit, ClusterError):
            self._write_unfinished()
            raise
        except KeyboardInterrupt:
            raise Interrupted(self._write_unfinished(), len(self._cells)) from None
        rows = self._finish()
        found = None if before is None else differences(before, rows)
        if self._folder is not None:
            self._store.compact(rows)
            if found is not None:
                self._folder.write(AGAINST, json_text(found.to_json(), indent=1))
            self._write_pages(self._folder.path, rows, before)
        request = self._request
        return SurveyTable(tuple(rows), len(to_do), self.notes, request.output, found)

    def _do(self, to_do: Sequence[Any], workers: Workers, progress: Progress | None) -> None:
        settings = self._request.settings
        items = [(cell.model.path, cell.task) for cell in to_do]
        workers.require_files([os.path.abspath(path) for path, _ in items if not is_url(path)])
        arguments = (settings, _current_folder(), self._cells.runtimes)
        results = workers.run(prepare, arguments, items, seconds=settings.seconds, memory=settings.memory)
        for done, (index, result) in enumerate(results, 1):
            self._store.add(self._cells.row(to_do[index], result))
            if progress is not None:
                progress(done, len(items), to_do[index].model.name)

    def _finish(self) -> list[Row]:
        """Write what is done. The rows in order."""
        self._store.flush()
        rows = self._cells.in_order(self._store.rows)
        if self._folder is not None:
            self._folder.write(IDENTITIES, in_json(self._identities.to_json()))
            self._folder.write("results.csv", results_csv(rows))
            self._folder.write("results.json", results_json(rows))
            self._folder.write("timings.csv", timings_csv(rows))
            (self._folder.path / AGAINST).unlink(missing_ok=True)
        return rows

    def _write_unfinished(self) -> int:
        """Write what is done, with pages that say how much of the survey that is; the number of cells."""
        rows = self._finish()
        if self._folder is not None:
            unfinished = f"interrupted; {len(rows):,} of {len(self._cells):,} cells are done"
            self._write_pages(self._folder.path, rows, None, unfinished)
        return len(rows)

    def _write_pages(
        self, folder: Path, rows: list[Row], before: Iterable[Row] | None, unfinished: str = ""
    ) -> None:
        settings = self._request.settings
        is_custom = settings.folders or settings.modules
        registry = Registry(settings.folders, settings.modules) if is_custom else None
        earlier = None if before is None else sorted(before, key=lambda row: row.place)
        about = self._manifest() | ({"survey": unfinished} if unfinished else {})
        notes = (*([f"The survey was {unfinished}."] if unfinished else []), *self.notes)
        write_report(folder, rows, about, against=earlier, registry=registry, notes=notes)

    def _manifest(self) -> dict[str, Any]:
        request = self._request
        return {
            "irops": own_version(),
            "models": len(request.listing.models),
            "tasks": [task.text for task in request.tasks],
            "runtimes": {task: runtime for task, runtime in self._cells.runtimes.items() if runtime},
            "settings": _finite(asdict(request.settings)),
        }


def _finite(content: Any) -> Any:
    """Options as JSON has them: inf as text."""
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    return "inf" if content == float("inf") else content


def _current_folder() -> str | None:
    """None if it was removed: relative paths then name nothing, absolute ones what they always do."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


EXCEEDED = {"": "crash", "seconds": "timeout", "memory": "memory"}
"""The status of a cell whose process died, by the bound that it exceeded."""


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """A model and a task. key: a digest of all that the result depends on; "" where that is not known."""

    model: SurveyedModel
    task: SurveyTask
    key: str

    @property
    def place(self) -> tuple[str, str]:
        return self.model.name, self.task.text


class Cells:
    """The cells of a survey in the order of the table."""

    def __init__(
        self,
        models: Iterable[SurveyedModel],
        tasks: Sequence[SurveyTask],
        settings: Settings,
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
        self._all: dict[tuple[str, str], PlannedCell] = {}
        for model in models:
            identity = identities.of(model.path)
            of_inputs = self._inputs_key(model.path) if any(self.runtimes.values()) else b""
            for task, of_task in parts.items():
                own = (of_inputs,) if self.runtimes[task.text] else ()
                cell = PlannedCell(model, task, key_of(identity.encode(), *of_task, *own) if identity else "")
                self._all[cell.place] = cell

    def __len__(self) -> int:
        return len(self._all)

    def to_do(self, rows: Mapping[tuple[str, str], Row], again: Sequence[str] = ()) -> list[PlannedCell]:
        """The cells without a row that is still true. again: statuses of rows that do not count"""
        return [
            cell
            for place, cell in sorted(self._all.items())
            if (row := rows.get(place)) is None or row.status in again or not self._is_current(cell, row)
        ]

    def in_order(self, rows: Mapping[tuple[str, str], Row]) -> list[Row]:
        """The rows of the cells, in the order of the table."""
        return [rows[place] for place in sorted(self._all) if place in rows]

    def row(self, cell: PlannedCell, result: CellOutcome | Died | Failed) -> Row:
        """The row of a cell from what came of it."""
        outcome = _outcome(result, self._settings)
        lasting = not outcome.transient and self._identities.is_unchanged(cell.model.path)
        model, task = cell.place
        return Row(
            model,
            task,
            outcome.status,
            outcome.seconds,
            outcome.bytes,
            outcome.detail,
            self._key(cell, outcome.status) if lasting else "",
            own_version(),
            self.runtimes[task],
        )

    def _inputs_key(self, path: str) -> bytes:
        """What the inputs of a model depend on, beside its content: shapes, and the content of a file."""
        own = inputs_of_model(path, self._settings.inputs)
        digest = self._identities.of_file(own.file) if own.file else ""
        return repr((self._settings.shapes, own.shapes, own.file, digest)).encode()

    def _is_current(self, cell: PlannedCell, row: Row) -> bool:
        return bool(cell.key) and row.key == self._key(cell, row.status)

    def _key(self, cell: PlannedCell, status: str) -> str:
        """The key of a result: one that exceeded a bound depends on the bound, too."""
        if not cell.key:
            return ""
        bounds = {"timeout": self._settings.seconds, "memory": self._settings.memory}
        return f"{cell.key} {status}={bounds[status]:.0f}" if status in bounds else cell.key


def _outcome(result: CellOutcome | Died | Failed, settings: Settings) -> CellOutcome:
    if isinstance(result, CellOutcome):
        return result
    if isinstance(result, Failed):
        return CellOutcome("error", None, None, _message(f"irops failed: {result}"), True)
    status = "lost" if result.lost else EXCEEDED[result.exceeded]
    seconds = settings.seconds if status == "timeout" else None
    return CellOutcome(status, seconds, None, _message(f"the process {result}"), status == "lost")


def _message(text: str) -> str:
    return detail_text({"message": text[:MAX_TEXT]})
