"""The cells of a survey, and the work on them in bounded processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter

from irops.cluster.cluster_workers import own_version
from irops.diagnostics.diagnostic import TRANSIENT, DiagnosticError, ReadError
from irops.ir.storage import bytes_read
from irops.processes.outcomes import Died, Failed
from irops.processes.pool import Work
from irops.registry import Registry
from irops.spec.extension import load_installed_rules, load_rules
from irops.surveys.identity import Identities, key_of
from irops.surveys.listing import ListedModel
from irops.surveys.store import Row, detail_text
from irops.surveys.tasks import (
    MAX_TEXT,
    CellOutcome,
    Examined,
    SurveySettings,
    Task,
    examined,
    findings_detail,
    refusal_status,
    runtime_of,
)
from irops.urls import is_url

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
        return [
            cell
            for place, cell in sorted(self._all.items())
            if (row := rows.get(place)) is None or row.status in again or not self._is_current(cell, row)
        ]

    def in_order(self, rows: Mapping[tuple[str, str], Row]) -> list[Row]:
        """The rows of the cells, in the order of the table."""
        return [rows[place] for place in sorted(self._all) if place in rows]

    def row(self, cell: Cell, result: CellOutcome | Died | Failed) -> Row:
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


Item = tuple[str, Task]
"""A cell, as it is sent: the path of the model, and the task."""
HOMES = {
    "check": "irops.surveys.tasks.Checking",
    "infer": "irops.surveys.tasks.Inferring",
    "target": "irops.surveys.tasks.Checking",
    "run": "irops.surveys.computing.Running",
    "compare": "irops.surveys.computing.Comparing",
}
"""What carries out the tasks of a kind; sources of values are imported only where a task needs them."""


class Examiner:
    """Carries out tasks, one model after the other."""

    def __init__(self, settings: SurveySettings, runtimes: Mapping[str, str]) -> None:
        load_installed_rules()
        for source in settings.rules:
            load_rules(source)
        self._settings, self._runtimes = settings, runtimes
        custom = settings.folders or settings.modules
        self._registry = Registry(settings.folders, settings.modules) if custom else None
        self._kinds: dict[str, Callable[..., Examined]] = {}
        self._versions: dict[Task, str] = {}

    def __call__(self, item: Item) -> CellOutcome:
        path, task = item
        start, read = perf_counter(), bytes_read()
        status, detail, transient = self._guarded(path, task)
        seconds = perf_counter() - start
        return CellOutcome(status, seconds, bytes_read() - read, detail_text(detail), transient)

    def _guarded(self, path: str, task: Task) -> Examined:
        other = self._other_version(task)
        if other:
            return "error", {"message": other}, True
        try:
            return self._kind(task.kind)(path, *task.variant)
        except ReadError as error:
            return examined(error.diagnostics, self._settings)
        except DiagnosticError as error:
            transient = any(finding.name in TRANSIENT for finding in error.diagnostics)
            return refusal_status(error.diagnostics), findings_detail(error.diagnostics), transient
        except MemoryError:
            return "memory", {"message": "not enough memory"}, True

    def _kind(self, kind: str) -> Callable[..., Examined]:
        if kind not in self._kinds:
            module, _, name = HOMES[kind].rpartition(".")
            self._kinds[kind] = getattr(import_module(module), name)(self._settings, self._registry)
        return self._kinds[kind]

    def _other_version(self, task: Task) -> str:
        """Why this process cannot stand for the one that planned the survey; "" where it can."""
        if task not in self._versions:
            self._versions[task] = runtime_of(task)
        here, planned = self._versions[task], self._runtimes.get(task.text, "")
        return "" if here == planned else f"the worker has {here}, the survey was started with {planned}"


EXAMINER = "irops.surveys.work"
"""Imported by the processes that work, and not by the one that distributes the work."""


def prepare(settings: SurveySettings, folder: str, runtimes: Mapping[str, str]) -> Work:
    """What works on cells: a function of the path of a model and a Task. Called once in each process.

    folder: where relative paths begin; runtimes: the versions that the survey was planned for, by task
    """
    os.dup2(2, 1)  # what libraries print must not mix with the output of the command
    with suppress(OSError):  # another machine may lack it; each model is then reported as absent
        os.chdir(folder)
    examiner: Callable[[SurveySettings, Mapping[str, str]], Work] = import_module(EXAMINER).Examiner
    return examiner(settings, runtimes)
