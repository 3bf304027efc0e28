"""How irops check checks and fixes files: one after the other, or in parallel processes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from irops.analysis.checks.fixing import ChangedMeanwhile, FixedText, fixed_text, store
from irops.analysis.checks.run import check
from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.baseline import Baseline
from irops.cli.extension_options import has_extensions
from irops.cli.extensions import registry_of
from irops.diagnostics.diagnostic import Diagnostic, Location, ReadError
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.ir.read import bytes_of
from irops.limits import Limits
from irops.processes.outcomes import Died, Failed
from irops.reading import load
from irops.spec.custom_rules import load_rules
from irops.spec.plugins import OPS, RULES, is_registered
from irops.urls import without_credentials

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


def unchecked_file(path: str, name: str, message: str) -> CheckedFile:
    """The result for a file that could not be checked or fixed."""
    path = without_credentials(path)
    return CheckedFile(Report((Diagnostic(rule(name), message, Location(path)),), path))


def not_checked(file: str, why: str) -> CheckedFile:
    """The result for a file of which the check failed."""
    return unchecked_file(file, "unchecked-file", f"{without_credentials(file)} was not checked: {why}")


def without_accepted(report: Report, options: CheckOptions) -> CheckedFile:
    """The result for a report: without the findings that the baseline accepts."""
    new = report if options.baseline is None else options.baseline.new_in(report)
    return CheckedFile(new, len(report) - len(new))


class Checker:
    """Checks files, one after the other. Processes that check files in parallel have one each."""

    def __init__(self, args: argparse.Namespace, options: CheckOptions) -> None:
        self._options, self._registry = options, registry_of(args)
        for source in options.rules:
            load_rules(source)

    def __call__(self, file: str) -> CheckedFile:
        return self.check(file)

    def check(self, file: str, text: bytes | None = None) -> CheckedFile:
        """Check one file, and fix it if the options ask for it.

        text: checked in place of the file's content
        """
        try:
            if self._options.fixing:
                return self._fixed(file, text)
            return without_accepted(self._report(file, text, self._options.limits), self._options)
        except MemoryError:
            return unchecked_file(
                file, "out-of-memory", f"not enough memory to check {without_credentials(file)}"
            )

    def guarded(self, file: str, text: bytes | None = None) -> CheckedFile:
        """The same; an internal error is the result for this file."""
        try:
            return self.check(file, text)
        except Exception as error:
            return not_checked(file, f"irops failed: {type(error).__name__}: {error}")

    def _report(self, file: str, text: bytes | None, limits: Limits) -> Report:
        options = self._options
        whole = check(
            file, options.weights, text=text, registry=self._registry, limits=limits, target=options.target
        )
        report = whole.narrowed(options.select, options.ignore)
        return self._explained(report, file, text) if options.why else report

    def _explained(self, report: Report, file: str, text: bytes | None) -> Report:
        """The report, with notes about where the facts that violate constraints come from."""
        from irops.debugging.origins.violations import with_reasons  # as slow to import as half of a check

        try:
            model, _ = load(file, self._options.weights, text=text, limits=self._options.limits)
        except ReadError:
            return report
        return with_reasons(report, ModelAnalysis(model, self._registry, self._options.limits))

    def _fixed(self, file: str, text: bytes | None) -> CheckedFile:
        accepted_count = 0

        def report(content: bytes) -> Report:
            nonlocal accepted_count
            limits = replace(self._options.limits, findings=inf)
            checked = without_accepted(self._report(file, content, limits), self._options)
            accepted_count = checked.accepted_count
            return checked.report

        try:
            fixed = fixed_text(bytes_of(file, self._options.limits) if text is None else text, report)
        except ReadError:
            return without_accepted(self._report(file, text, self._options.limits), self._options)
        if self._options.fixing == "diff":
            return CheckedFile(fixed.report, accepted_count, _diff(file, fixed))
        return _stored(file, fixed) or CheckedFile(fixed.report, accepted_count)


def _stored(file: str, fixed: FixedText) -> CheckedFile | None:
    """Write what fixes changed. The result where that is not possible, else None."""
    if fixed.after == fixed.before:
        return None
    try:
        store(file, fixed)
    except (ChangedMeanwhile, OSError) as error:
        why = error.strerror or error if isinstance(error, OSError) else error
        count = len(fixed.report.fixed)
        message = f"{count} fix{'es were' if count > 1 else ' was'} not written to {file}: {why}"
        return unchecked_file(file, "unwritten-fixes", message)
    return None


def _diff(file: str, fixed: FixedText) -> str:
    from difflib import unified_diff

    before, after = (
        re.findall("[^\n]*\n|[^\n]+", text.decode("utf-8", "backslashreplace"))
        for text in (fixed.before, fixed.after)
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(
            before, after, printable(without_credentials(file)), printable(without_credentials(file))
        )
    )


def check_in_processes(
    files: Sequence[str], options: CheckOptions, args: argparse.Namespace
) -> Iterator[CheckedFile]:
    """The result for each file, in order, as soon as it and those before it are checked."""
    from irops.processes.pool import cores, run_in_processes  # imports multiprocessing; few calls need it

    finished: dict[int, CheckedFile] = {}
    next_number = 0
    for number, result in run_in_processes(
        Checker,
        (args, options),
        files,
        args.jobs or cores(),
        3 * options.limits.seconds + GRACE,
        copied=not (has_extensions(args) or options.rules or is_registered(OPS) or is_registered(RULES)),
    ):
        finished[number] = result if isinstance(result, CheckedFile) else _failure(files[number], result)
        while next_number in finished:
            yield finished.pop(next_number)
            next_number += 1


def _failure(file: str, why: Died | Failed) -> CheckedFile:
    what = f"the process that checked it {why}" if isinstance(why, Died) else f"irops failed: {why}"
    return not_checked(file, what)
