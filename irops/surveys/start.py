"""Starts the work on cells in a bounded process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module

from irops.surveys.settings import Settings
from irops.work.processes.pool import Work

EXAMINER = "irops.surveys.work"
"""Imported by the processes that work, and not by the one that distributes the work."""


def prepare(settings: Settings, folder: str | None, runtimes: Mapping[str, str]) -> Work:
    """What works on cells: a function of the path of a model and a Task. Called once in each process.

    folder: where relative paths begin, None if that was removed; runtimes: the versions that the survey was
    planned for, by task
    """
    os.dup2(2, 1)  # what libraries print must not mix with the output of the command
    if folder is not None:
        with suppress(OSError):  # another machine may lack it; each model is then reported as absent
            os.chdir(folder)
    examiner: Callable[[Settings, Mapping[str, str]], Work] = import_module(EXAMINER).Examiner
    return examiner(settings, runtimes)
