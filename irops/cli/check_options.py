"""How irops check checks files, and what it gives for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from irops.cli.baseline import Baseline
from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.limits import Limits
from irops.urls import without_credentials


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check each file. fixing: "fix" to write fixes, "diff" to show them, "" for neither.

    rules: modules of custom rules; target: a release of OpenVINO; why: whether violated constraints are
    explained; cached: whether results are kept, and taken from earlier checks.
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
    cached: bool = False


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
