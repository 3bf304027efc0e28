"""Check files, one after the other or in several processes; a failure on one file does not affect others."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from irops.analysis.checks.custom import load_rules
from irops.analysis.checks.fixing import ChangedMeanwhile, FixedText, fixed_text, store
from irops.analysis.checks.run import check
from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.baseline import Baseline
from irops.cli.extensions import registry_of
from irops.cli.processes import Died, Failed, cores, run_in_processes
from irops.debugging.origins.violations import with_reasons
from irops.diagnostics.diagnostic import Diagnostic, Location, ReadError
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.ir.read import bytes_of
from irops.limits import Limits
from irops.reading import load
from irops.registry import Registry

MANY = 100
LARGE = 4 << 20
"""From this many files, or bytes in them, parallel processes save more time than they take to start."""
GRACE = 60.0
"""Seconds beyond the limit after which a process is killed."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check each file. fixing: "fix" to write fixes, "diff" to show them, "" for neither.

    rules: modules of custom rules; target: a release of OpenVINO; why: whether violated constraints are
    explained.
    """

    weights: str | None
    limits: Limits
    select: Sequence[str]
    ignore: Sequence[str]
    baseline: Baseline | None
    fixing: str = ""
    rules: Sequence[str] = ()
    target: str | None = None
    why: bool = False


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The result for one file. accepted_count: findings left out by the baseline; diff: what fixes change."""

    report: Report
    accepted_count: int = 0
    diff: str = ""


def check_files(
    files: Sequence[str],
    options: CheckOptions,
    args: argparse.Namespace,
    registry: Registry | None,
    text: bytes | None = None,
) -> Iterator[CheckedFile]:
    """The result for each file, in order. text: checked instead of the content of the only file."""
    processes = args.jobs or (cores() if len(files) >= MANY or _bytes_of(files) >= LARGE else 1)
    if processes < 2 or len(files) < 2:
        for file in files:
            call = partial(check_file, file, options, registry, text)
            yield call() if len(files) == 1 or os.environ.get("IROPS_DEBUG") else _guarded(call, file)
        return
    finished: dict[int, CheckedFile] = {}
    next_number = 0
    for number, result in run_in_processes(
        _worker, (args, options), files, processes, 3 * options.limits.seconds + GRACE
    ):
        finished[number] = result if isinstance(result, CheckedFile) else _failure(files[number], result)
        while next_number in finished:
            yield finished.pop(next_number)
            next_number += 1


def _worker(args: argparse.Namespace, options: CheckOptions) -> Callable[[str], CheckedFile]:
    """The function that checks files in a child process."""
    registry = registry_of(args)
    for source in options.rules:
        load_rules(source)
    return lambda file: check_file(file, options, registry)


def check_file(
    file: str, options: CheckOptions, registry: Registry | None, text: bytes | None = None
) -> CheckedFile:
    """Check one file, and fix it if the options ask for it."""
    accepted_count = 0

    def report(limits: Limits, content: bytes | None) -> Report:
        nonlocal accepted_count
        whole = check(
            file, options.weights, text=content, registry=registry, limits=limits, target=options.target
        ).narrowed(options.select, options.ignore)
        if options.why:
            whole = _explained(whole, file, options, registry, content)
        new = whole if options.baseline is None else options.baseline.new_in(whole)
        accepted_count = len(whole) - len(new)
        return new

    try:
        if not options.fixing:
            return CheckedFile(report(options.limits, text), accepted_count)
        fixed = fixed_text(
            bytes_of(file, options.limits) if text is None else text,
            partial(report, replace(options.limits, findings=inf)),
        )
    except ReadError:
        return CheckedFile(report(options.limits, text), accepted_count)
    except MemoryError:
        return unchecked_file(file, "out-of-memory", f"not enough memory to check {file}")
    if options.fixing == "diff":
        return CheckedFile(fixed.report, accepted_count, _diff(file, fixed))
    if fixed.after != fixed.before:
        try:
            store(file, fixed)
        except (ChangedMeanwhile, OSError) as error:
            why = error.strerror or error if isinstance(error, OSError) else error
            count = len(fixed.report.fixed)
            message = f"{count} fix{'es were' if count > 1 else ' was'} not written to {file}: {why}"
            return CheckedFile(unchecked_file(file, "unwritten-fixes", message).report)
    return CheckedFile(fixed.report, accepted_count)


def _explained(
    report: Report, file: str, options: CheckOptions, registry: Registry | None, content: bytes | None
) -> Report:
    """The report, with notes about where the facts that violate constraints come from."""
    try:
        model, _ = load(file, options.weights, text=content, limits=options.limits)
    except ReadError:
        return report
    return with_reasons(report, ModelAnalysis(model, registry, options.limits))


def _diff(file: str, fixed: FixedText) -> str:
    from difflib import unified_diff

    before, after = (
        re.findall("[^\n]*\n|[^\n]+", text.decode("utf-8", "backslashreplace"))
        for text in (fixed.before, fixed.after)
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(before, after, printable(file), printable(file))
    )


def _bytes_of(files: Sequence[str]) -> int:
    total = 0
    for file in files:
        with suppress(OSError):  # reported when the file is read
            total += os.stat(file).st_size
    return total


def _guarded(call: Callable[[], CheckedFile], file: str) -> CheckedFile:
    try:
        return call()
    except Exception as error:
        return _failure(file, Failed(f"{type(error).__name__}: {error}"))


def _failure(file: str, why: Died | Failed) -> CheckedFile:
    what = f"the process that checked it {why}" if isinstance(why, Died) else f"irops failed: {why}"
    return unchecked_file(file, "unchecked-file", f"{file} was not checked: {what}")


def unchecked_file(path: str, name: str, message: str) -> CheckedFile:
    """The result for a file that could not be checked or fixed."""
    return CheckedFile(Report((Diagnostic(rule(name), message, Location(path)),), path))
