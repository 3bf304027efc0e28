"""irops.survey: many models, each with many tasks, in one table."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from irops.diagnostics.printable import printable
from irops.dialects.registry import Registry
from irops.environment import missing_libraries
from irops.files.limits import Limits
from irops.files.urls import is_url
from irops.surveys.cells import Cells
from irops.surveys.identity import Identities
from irops.surveys.listing import Listing, listing
from irops.surveys.report import report_page
from irops.surveys.store import IDENTITIES, ReportFolder, Row, Store
from irops.surveys.table import (
    SurveyTable,
    differences,
    results_csv,
    results_json,
    rows_of_report,
    timings_csv,
)
from irops.surveys.tasks import SECONDS, Interrupted, SurveyError, SurveySettings, Task, tasks_of
from irops.surveys.work import prepare
from irops.work.cluster import ClusterWorkers, own_version
from irops.work.workers import ClusterError, LocalWorkers, Workers

AGAINST, INDEX = "against.json", "index.html"
Progress = Callable[[int, int, object], None]
"""Called with the number of cells done, the number of cells to do, and the name of a model."""


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a survey. again: statuses of earlier results that do not count."""

    listing: Listing
    tasks: tuple[Task, ...]
    settings: SurveySettings
    output: Path | None = None
    against: Path | None = None
    again: tuple[str, ...] = ()


class RowStore(Protocol):
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


def surveyed(request: Request, workers: Workers, progress: Progress | None = None) -> SurveyTable:
    """The table of a survey; its report is in request.output.

    Raises:  SurveyError; Interrupted after Ctrl-C: what is done is kept
    """
    lacking = None if request.output is None else missing_libraries("survey", "jinja2")
    if lacking is not None:
        raise SurveyError(f"the report is made by jinja2: {lacking}")
    before = None if request.against is None else _other_rows(request)
    try:
        with ExitStack() as opened:
            folder = None if request.output is None else opened.enter_context(ReportFolder(request.output))
            store: RowStore = InMemory() if folder is None else opened.enter_context(Store(folder.results))
            table = _Survey(request, folder, store).table(workers, progress, before)
    except OSError as error:
        place = f"{printable(str(error.filename))}: " if error.filename else ""
        raise SurveyError(
            f"{place}{error.strerror or error}; the rows that are written are kept, the next survey goes on"
        ) from None
    return table


def _other_rows(request: Request) -> list[Row]:
    assert request.against is not None
    if request.output is not None and os.path.realpath(request.output) == os.path.realpath(request.against):
        raise SurveyError("the report to compare with is the one that is written; choose another output")
    return rows_of_report(request.against)


class _Survey:
    """One survey, with the folder of its report, which may be None."""

    def __init__(self, request: Request, folder: ReportFolder | None, store: RowStore) -> None:
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
            self._finish()
            raise
        except KeyboardInterrupt:
            raise Interrupted(len(self._finish()), len(self._cells)) from None
        rows = self._finish()
        found = None if before is None else differences(before, rows)
        request = self._request
        table = SurveyTable(tuple(rows), len(to_do), request.listing.notes, request.output, found)
        if self._folder is not None:
            self._store.compact(rows)
            if found is not None:
                self._folder.write(AGAINST, json.dumps(found.to_json(), indent=1) + "\n")
            self._folder.write(INDEX, report_page(table, self._manifest()))
        return table

    def _do(self, to_do: Sequence[Any], workers: Workers, progress: Progress | None) -> None:
        settings = self._request.settings
        items = [(cell.model.path, cell.task) for cell in to_do]
        workers.require_files([os.path.abspath(path) for path, _ in items if not is_url(path)])
        arguments = (settings, os.getcwd(), self._cells.runtimes)
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
            self._folder.write(IDENTITIES, json.dumps(self._identities.to_json()))
            self._folder.write("results.csv", results_csv(rows))
            self._folder.write("results.json", results_json(rows))
            self._folder.write("timings.csv", timings_csv(rows))
            (self._folder.path / AGAINST).unlink(missing_ok=True)
        return rows

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


StrPath = str | os.PathLike[str]


def survey(
    models: StrPath | Sequence[StrPath],
    tasks: str | Sequence[str] = ("check",),
    *,
    sources: str | Sequence[str] = (),
    targets: str | Sequence[str] = (),
    client: Any = None,
    processes: int | None = None,
    output: StrPath | None = None,
    against: StrPath | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    seconds: float = SECONDS,
    memory: float | None = None,
    progress: Progress | None = None,
) -> SurveyTable:
    """A table with a row for each model and each task.

    models: files, folders, patterns (zoo/**/*.xml), URLs, @FILE for a list of these; tasks: check, infer,
    run, compare, target; sources: what run and compare compute with ("reference", "openvino:CPU"; compare
    takes the first as right); targets: releases of OpenVINO ("2023.3").
    client: a distributed.Client, whose workers do the work; processes: of this machine, if there is no
    client.
    output: a folder for the report, in which the next survey finds what is unchanged; against: the folder of
    another report, for table.differences. seconds, memory: what a model and a task may take, and the bytes
    that their process may use, before it is killed.
    progress: called with (cells done, cells to do, model)
    Raises:  SurveyError (a ValueError) for what does not exist or cannot be written; ClusterError if a
        cluster has no workers
    """
    limits = limits or Limits()
    workers = LocalWorkers(processes) if client is None else ClusterWorkers(client)
    settings = SurveySettings(
        limits,
        seconds,
        limits.process_memory / workers.count if memory is None else memory,
        folders=() if registry is None else registry.folders,
        modules=() if registry is None else registry.modules,
    )
    request = Request(
        listing([models] if isinstance(models, (str, os.PathLike)) else models),
        tasks_of(_words(tasks), _words(sources), _words(targets)),
        settings,
        None if output is None else Path(output),
        None if against is None else Path(against),
    )
    try:
        return surveyed(request, workers, progress)
    finally:
        workers.close()


def _words(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given
