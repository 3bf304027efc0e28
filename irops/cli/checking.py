"""Check a file, and fix it; see irops.cli.check."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from math import inf

from irops.analysis.checks.fixing import ChangedMeanwhile, FixedText, fixed_text, store
from irops.analysis.checks.run import check
from irops.cli import check_cache
from irops.cli.check_options import CheckedFile, CheckOptions, not_checked, unchecked_file, without_accepted
from irops.cli.extensions import registry_of
from irops.diagnostics.diagnostic import ReadError
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report
from irops.files.limits import Limits
from irops.files.urls import address, without_credentials
from irops.ir.read import bytes_of
from irops.spec.extension import load_rules


class Checker:
    """Checks files, one after the other. Processes that check files in parallel have one each."""

    def __init__(self, args: argparse.Namespace, options: CheckOptions) -> None:
        self._options, self._registry = options, registry_of(args)
        for source in options.rules:
            load_rules(source)

    def __call__(self, file: str) -> CheckedFile:
        return self.check(file)

    def check(self, file: str, text: bytes | None = None) -> CheckedFile:
        """Check one file, or take the result that is kept, and fix the file if the options ask for it.

        text: checked in place of the file's content
        """
        try:
            if self._options.fixing:
                return self._fixed(file, text)
            return without_accepted(self._report(file, text), self._options)
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

    def _report(self, file: str, text: bytes | None) -> Report:
        subject = check_cache.subject_of(file, self._options, text)
        kept = None if subject is None else check_cache.kept_report(subject)
        if kept is not None:
            return kept
        whole, report = self._made(file, text, self._options.limits)
        if subject is not None:
            check_cache.keep_report(subject, self._options, whole, report)
        return report

    def _made(self, file: str, text: bytes | None, limits: Limits) -> tuple[Report, Report]:
        """The findings of all rules, and those of the rules that the options select."""
        options = self._options
        whole = check(
            file, options.weights, text=text, registry=self._registry, limits=limits, target=options.target
        )
        report = whole.narrowed(options.select, options.ignore)
        if options.why:
            from irops.cli.reasons import explained  # as slow to import as the half of a small check

            report = explained(report, file, options, self._registry, text)
        return whole, report

    def _fixed(self, file: str, text: bytes | None) -> CheckedFile:
        accepted_count = 0

        def report(content: bytes) -> Report:
            nonlocal accepted_count
            limits = replace(self._options.limits, findings=inf)
            checked = without_accepted(self._made(file, content, limits)[1], self._options)
            accepted_count = checked.accepted_count
            return checked.report

        try:
            fixed = fixed_text(
                bytes_of(address(file), self._options.limits) if text is None else text, report
            )
        except ReadError:
            return without_accepted(self._made(file, text, self._options.limits)[1], self._options)
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

    shown = printable(without_credentials(file))
    before, after = (
        re.findall("[^\n]*\n|[^\n]+", text.decode("utf-8", "backslashreplace"))
        for text in (fixed.before, fixed.after)
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(before, after, shown, shown)
    )
