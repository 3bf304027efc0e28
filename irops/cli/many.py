"""Checks files, one after the other or in several processes: no file keeps another from being checked."""
from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from irops.checks.run import check
from irops.cli.extensions import registry_of
from irops.cli.processes import Died, Failed, cores, shared_out
from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.limits import Limits
from irops.registry import Registry

MANY = 100
LARGE = 4 << 20
"""From so many files, or bytes of them, on, starting processes takes less time than they save."""
GRACE = 60.0
"""Seconds beyond the limit after which a process is ended."""

Rules = tuple[Sequence[str], Sequence[str]]
"""The rules that are selected and those that are ignored."""


def checked(files: Sequence[str], args: argparse.Namespace, limits: Limits, rules: Rules, registry: Registry | None,
            text: bytes | None = None) -> Iterator[Report]:
    """The report of each file, in order. text: what is checked in place of the one file's content."""
    processes = args.jobs or (cores() if len(files) >= MANY or _bytes_of(files) >= LARGE else 1)
    if processes < 2 or len(files) < 2:
        for file in files:
            one = partial(check, file, args.weights, text=text, registry=registry, limits=limits)
            report = one() if len(files) == 1 or os.environ.get("IROPS_DEBUG") else _survived(one, file)
            yield report.narrowed(*rules)
        return
    done: dict[int, Report] = {}
    following = 0
    for number, result in shared_out(_checker, (args, limits), files, processes, 3 * limits.seconds + GRACE):
        done[number] = result if isinstance(result, Report) else _failure(files[number], result)
        while following in done:
            yield done.pop(following).narrowed(*rules)
            following += 1


def _bytes_of(files: Sequence[str]) -> int:
    total = 0
    for file in files:
        with suppress(OSError):                     # told when it is read
            total += os.stat(file).st_size
    return total


def _checker(args: argparse.Namespace, limits: Limits) -> Callable[[str], Report]:
    """What checks a file in another process."""
    return partial(check, registry=registry_of(args), limits=limits)


def _survived(one: Callable[[], Report], file: str) -> Report:
    try:
        return one()
    except Exception as error:
        return _failure(file, Failed(f"{type(error).__name__}: {error}"))


def _failure(file: str, why: Died | Failed) -> Report:
    what = f"the process that checked it {why}" if isinstance(why, Died) else f"irops failed: {why}"
    return unchecked(file, "unchecked-file", f"{file} was not checked: {what}")


def unchecked(path: str, name: str, message: str) -> Report:
    """The report of what could not be checked."""
    return Report((Diagnostic(rule(name), message, Location(path)),), path)
