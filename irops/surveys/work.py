"""The work on cells, in bounded processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from time import perf_counter

from irops.debugging.sources.source import SourceFailed
from irops.diagnostics.diagnostic import DiagnosticError, ReadError
from irops.diagnostics.subjects import TRANSIENT
from irops.registry import Registry
from irops.spec.custom_rules import load_installed_rules, load_rules
from irops.surveys.computing import Computing, of_failure
from irops.surveys.describing import findings_detail, refusal_status
from irops.surveys.examining import Examined, checked, examined, inferred, target_checked
from irops.surveys.outcome import Outcome
from irops.surveys.row import detail_text
from irops.surveys.settings import Settings, runtime_of
from irops.surveys.tasks import Task

Item = tuple[str, Task]
"""A cell, as it is sent: the path of the model, and the task."""


def prepare(settings: Settings, folder: str, runtimes: Mapping[str, str]) -> Examiner:
    """What works on cells. Called once in each process.

    folder: where relative paths begin; runtimes: the versions that the survey was planned for, by task
    """
    os.dup2(2, 1)  # what libraries print must not mix with the output of the command
    with suppress(OSError):  # another machine may lack it; each model is then reported as absent
        os.chdir(folder)
    load_installed_rules()
    for source in settings.rules:
        load_rules(source)
    return Examiner(settings, runtimes)


class Examiner:
    """Carries out tasks, one model after the other."""

    def __init__(self, settings: Settings, runtimes: Mapping[str, str]) -> None:
        self._settings, self._runtimes = settings, runtimes
        custom = settings.folders or settings.modules
        self._registry = Registry(settings.folders, settings.modules) if custom else None
        self._computing = Computing(settings, self._registry)
        self._versions: dict[Task, str] = {}

    def __call__(self, item: Item) -> Outcome:
        path, task = item
        start = perf_counter()
        status, detail, transient = self._guarded(path, task)
        return Outcome(status, perf_counter() - start, None, detail_text(detail), transient)

    def _guarded(self, path: str, task: Task) -> Examined:
        other = self._other_version(task)
        if other:
            return "error", {"message": other}, True
        try:
            return self._examined(path, task)
        except ReadError as error:
            return examined(error.diagnostics, self._settings)
        except DiagnosticError as error:
            transient = any(finding.name in TRANSIENT for finding in error.diagnostics)
            return refusal_status(error.diagnostics), findings_detail(error.diagnostics), transient
        except SourceFailed as failed:
            return of_failure(failed.failure)
        except MemoryError:
            return "memory", {"message": "not enough memory"}, True

    def _examined(self, path: str, task: Task) -> Examined:
        match task.kind:
            case "check":
                return checked(path, self._settings, self._registry)
            case "infer":
                return inferred(path, self._settings, self._registry)
            case "target":
                return target_checked(path, self._settings, self._registry, *task.variant)
            case "run":
                return self._computing.run(path, *task.variant)
            case _:
                return self._computing.compare(path, *task.variant)

    def _other_version(self, task: Task) -> str:
        """Why this process cannot stand for the one that planned the survey; "" where it can."""
        if task not in self._versions:
            self._versions[task] = runtime_of(task)
        here, planned = self._versions[task], self._runtimes.get(task.text, "")
        return "" if here == planned else f"the worker has {here}, the survey was started with {planned}"
