"""Applies the fixes of findings to the text of a file, and changes no other bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from irops.diagnostics.diagnostic import Diagnostic, applied
from irops.diagnostics.report import Report
from irops.ir.output import Pending, local_target
from irops.ir.storage import open_regular

PASSES = 20
"""The number of passes: applying fixes may reveal findings with further fixes."""


class ChangedMeanwhile(Exception):
    """The file is no longer the one that was checked."""


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text before and after fixing; report: the remaining findings, and in .fixed those that were fixed."""

    before: bytes
    after: bytes
    report: Report


def fixed_text(text: bytes, check: Callable[[bytes], Report]) -> FixedText:
    """A text with all fixes of the findings of check applied, repeatedly until none is left."""
    fixed: list[Diagnostic] = []
    after = text
    for _ in range(PASSES):
        report = check(after)
        by_fix = {d.fix: d for d in reversed(report.diagnostics) if d.fix is not None}
        after, done = applied(after, [d.fix for d in report if d.fix is not None])
        if not done:
            break
        fixed.extend(by_fix[one] for one in done)
    else:
        report = check(after)
    return FixedText(text, after, replace(report, fixed=tuple(fixed)))


def store(path: str, fixed: FixedText) -> None:
    """Replace the content of the file with the fixed text, atomically. A symbolic link is followed.

    Raises:  ChangedMeanwhile, without writing, if the file has changed since it was checked; OSError
    """
    target = local_target(path, of_model=True, may_replace=(path,))
    with Pending(target) as (file,):
        file.write(fixed.after)
        with open_regular(str(target)) as there:
            if there.read(len(fixed.before) + 1) != fixed.before:
                raise ChangedMeanwhile(f"{path} was changed while it was checked; nothing was written")
