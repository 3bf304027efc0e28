"""Check files in several processes; a failure on one file does not affect others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from irops.cli.check_options import CheckedFile, CheckOptions, not_checked
from irops.cli.checking import Checker
from irops.cli.options import has_extensions
from irops.spec.plugins import OPS, RULES, is_registered
from irops.work.processes.pool import Died, Failed, cores, run_in_processes

GRACE = 60.0
"""Seconds beyond the limit after which a process is killed."""


def check_in_processes(
    files: Sequence[str], options: CheckOptions, args: argparse.Namespace
) -> Iterator[CheckedFile]:
    """The result for each file, in order, as soon as it and those before it are checked."""
    finished: dict[int, CheckedFile] = {}
    next_number = 0
    for number, result in run_in_processes(
        Checker,
        (args, options),
        files,
        args.jobs or cores(),
        3 * options.limits.seconds + GRACE,
        memory=options.limits.process_memory,
        copied=not (has_extensions(args) or options.rules or is_registered(OPS) or is_registered(RULES)),
    ):
        finished[number] = result if isinstance(result, CheckedFile) else _failure(files[number], result)
        while next_number in finished:
            yield finished.pop(next_number)
            next_number += 1


def _failure(file: str, why: Died | Failed) -> CheckedFile:
    what = f"the process that checked it {why}" if isinstance(why, Died) else f"irops failed: {why}"
    return not_checked(file, what)
