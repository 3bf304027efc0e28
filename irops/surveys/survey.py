"""irops.survey: many models, each with many tasks, in one table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from irops.files.limits import Limits
from irops.registry import Registry
from irops.surveys.inputs import read_table
from irops.surveys.listing import listing
from irops.surveys.settings import SECONDS, Settings
from irops.surveys.surveying import Progress, SurveyRequest, surveyed
from irops.surveys.table import SurveyTable
from irops.surveys.tasks import tasks_of
from irops.work.cluster.cluster_workers import ClusterWorkers
from irops.work.cluster.workers import LocalWorkers

StrPath = str | os.PathLike[str]


def survey(
    models: StrPath | Sequence[StrPath],
    tasks: str | Sequence[str] = ("check",),
    *,
    sources: str | Sequence[str] = (),
    targets: str | Sequence[str] = (),
    shapes: Mapping[str, str] | None = None,
    inputs: StrPath | None = None,
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
    takes the first as right); targets: releases of OpenVINO ("2023.3"); shapes: of inputs by name, for run
    and compare; inputs: a table of files or shapes by pattern of models (.json, .csv), see docs/survey.md.
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
    settings = Settings(
        limits,
        seconds,
        limits.process_memory / workers.count if memory is None else memory,
        folders=() if registry is None else registry.folders,
        modules=() if registry is None else registry.modules,
        shapes=tuple((shapes or {}).items()),
        inputs=() if inputs is None else read_table(inputs),
    )
    request = SurveyRequest(
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
