"""The cells of a survey, and the work on them in bounded processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from time import perf_counter

from irops.diagnostics.diagnostic import TRANSIENT, DiagnosticError, ReadError
from irops.dialects.registry import Registry
from irops.files.storage import bytes_read
from irops.spec.extension import load_installed_rules, load_rules
from irops.surveys.store import detail_text
from irops.surveys.tasks import (
    CellOutcome,
    Examined,
    SurveySettings,
    Task,
    examined,
    findings_detail,
    refusal_status,
    runtime_of,
)
from irops.work.pool import Work

Item = tuple[str, Task]
"""A cell, as it is sent: the path of the model, and the task."""
HOMES = {
    "check": "irops.surveys.tasks.Checking",
    "infer": "irops.surveys.tasks.Inferring",
    "target": "irops.surveys.tasks.Checking",
    "run": "irops.surveys.computing.Running",
    "compare": "irops.surveys.computing.Comparing",
}
"""The class that carries out the tasks of a kind; sources of values are imported only where a task needs
them.
"""


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
    """The work on cells: a function of the path of a model and a Task. Called once in each process.

    folder: where relative paths begin; runtimes: the versions that the survey was planned for, by task
    """
    os.dup2(2, 1)  # what libraries print must not mix with the output of the command
    with suppress(OSError):  # another machine may lack it; each model is then reported as absent
        os.chdir(folder)
    examiner: Callable[[SurveySettings, Mapping[str, str]], Work] = import_module(EXAMINER).Examiner
    return examiner(settings, runtimes)
