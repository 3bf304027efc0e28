"""Puts right what has one right answer: in the text, at exact places, and in nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.fix import applied
from irops.diagnostics.report import Report
from irops.ir.pending import Pending
from irops.ir.regular import open_regular

PASSES = 20
"""What was put right may show what else can be, so often at most."""


class ChangedMeanwhile(Exception):
    """The file is no longer the one that was checked."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text before and after; report: what is left to say of it, and in .fixed what was put right."""

    before: bytes
    after: bytes
    report: Report


def mended(text: bytes, check: Callable[[bytes], Report]) -> Mended:
    """A text with all fixes of what check finds, applied again and again until none is left."""
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
    return Mended(text, after, replace(report, fixed=tuple(fixed)))


def store(path: str, found: Mended) -> None:
    """Write the text that was put right over the file, whole or not at all; a link stays one, what it leads
    to is written.

    Raises:  ChangedMeanwhile, and nothing is written, where the file is another than before; OSError
    """
    target = Path(os.path.realpath(path))
    with Pending(target) as (file,):
        file.write(found.after)
        with open_regular(str(target)) as there:
            if there.read(len(found.before) + 1) != found.before:
                raise ChangedMeanwhile(f"{path} was changed while it was checked; nothing was written")
