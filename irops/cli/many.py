"""Checks files, one after the other or in several processes: no file keeps another from being checked."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from irops.analysis.checks.fixing import ChangedMeanwhile, FixedText, fixed_text, store
from irops.analysis.checks.run import check
from irops.cli.baseline import Baseline
from irops.cli.extensions import registry_of
from irops.cli.processes import Died, Failed, cores, shared_out
from irops.diagnostics.diagnostic import Diagnostic, Location, ReadError
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.ir.read import bytes_of
from irops.limits import Limits
from irops.registry import Registry

MANY = 100
LARGE = 4 << 20
"""From so many files, or bytes of them, on, starting processes takes less time than they save."""
GRACE = 60.0
"""Seconds beyond the limit after which a process is ended."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of each file. fixing: "fix" to write what was put right, "diff" to show it, "" for
    neither.
    """

    weights: str | None
    limits: Limits
    select: Sequence[str]
    ignore: Sequence[str]
    accepted: Baseline | None
    fixing: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A file's report; known: how many findings are left out since they are accepted; diff: what fixes
    change.
    """

    report: Report
    known: int = 0
    diff: str = ""


def answers(
    files: Sequence[str],
    asked: Asked,
    args: argparse.Namespace,
    registry: Registry | None,
    text: bytes | None = None,
) -> Iterator[Answer]:
    """The answer for each file, in order. text: what is checked in place of the one file's content."""
    processes = args.jobs or (cores() if len(files) >= MANY or _bytes_of(files) >= LARGE else 1)
    if processes < 2 or len(files) < 2:
        for file in files:
            one = partial(answer, file, asked, registry, text)
            yield one() if len(files) == 1 or os.environ.get("IROPS_DEBUG") else _survived(one, file)
        return
    done: dict[int, Answer] = {}
    following = 0
    for number, result in shared_out(
        _worker, (args, asked), files, processes, 3 * asked.limits.seconds + GRACE
    ):
        done[number] = result if isinstance(result, Answer) else _failure(files[number], result)
        while following in done:
            yield done.pop(following)
            following += 1


def _worker(args: argparse.Namespace, asked: Asked) -> Callable[[str], Answer]:
    """What checks files in another process."""
    registry = registry_of(args)
    return lambda file: answer(file, asked, registry)


def answer(file: str, asked: Asked, registry: Registry | None, text: bytes | None = None) -> Answer:
    """Check one file, and put right what is to be."""
    known = 0

    def report(limits: Limits, content: bytes | None) -> Report:
        nonlocal known
        whole = check(file, asked.weights, text=content, registry=registry, limits=limits).narrowed(
            asked.select, asked.ignore
        )
        new = whole if asked.accepted is None else asked.accepted.new_in(whole)
        known = len(whole) - len(new)
        return new

    try:
        if not asked.fixing:
            return Answer(report(asked.limits, text), known)
        found = fixed_text(
            bytes_of(file, asked.limits) if text is None else text,
            partial(report, replace(asked.limits, findings=inf)),
        )
    except ReadError:
        return Answer(report(asked.limits, text), known)
    except MemoryError:
        return unchecked(file, "out-of-memory", f"this machine has not the memory to check {file}")
    if asked.fixing == "diff":
        return Answer(found.report, known, _diff(file, found))
    if found.after != found.before:
        try:
            store(file, found)
        except (ChangedMeanwhile, OSError) as error:
            why = error.strerror or error if isinstance(error, OSError) else error
            count = len(found.report.fixed)
            message = f"{count} fix{'es were' if count > 1 else ' was'} not written to {file}: {why}"
            return Answer(unchecked(file, "unwritten-fixes", message).report)
    return Answer(found.report, known)


def _diff(file: str, found: FixedText) -> str:
    from difflib import unified_diff

    before, after = (
        re.findall("[^\n]*\n|[^\n]+", text.decode("utf-8", "backslashreplace"))
        for text in (found.before, found.after)
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(before, after, printable(file), printable(file))
    )


def _bytes_of(files: Sequence[str]) -> int:
    total = 0
    for file in files:
        with suppress(OSError):  # told when it is read
            total += os.stat(file).st_size
    return total


def _survived(one: Callable[[], Answer], file: str) -> Answer:
    try:
        return one()
    except Exception as error:
        return _failure(file, Failed(f"{type(error).__name__}: {error}"))


def _failure(file: str, why: Died | Failed) -> Answer:
    what = f"the process that checked it {why}" if isinstance(why, Died) else f"irops failed: {why}"
    return unchecked(file, "unchecked-file", f"{file} was not checked: {what}")


def unchecked(path: str, name: str, message: str) -> Answer:
    """The answer for what could not be checked, or not be put right."""
    return Answer(Report((Diagnostic(rule(name), message, Location(path)),), path))
