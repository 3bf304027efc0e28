"""A progress bar for long work, shown only at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from irops.cli.streams import is_interactive
from irops.diagnostics.printable import printable

T = TypeVar("T")
ReportProgress = Callable[[int, int, object], None]
"""Called with the number of finished items, the number of all items, and the current item."""
DELAY = 1.0
"""Seconds before the bar appears, so that short work shows none."""


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[ReportProgress | None]:
    """A function that updates a bar on the error stream; None if that is not a terminal."""
    if quiet or not is_interactive(sys.stderr):
        yield None
        return
    from time import monotonic

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    bar = Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=is_interactive(sys.stdout)
    )  # redirected output stays unchanged
    task = bar.add_task(what, total=None)
    start = monotonic()

    def report_progress(done: int, of: int, item: object) -> None:
        if not bar.live.is_started and monotonic() - start > DELAY:
            bar.start()
        bar.update(task, completed=done, total=of, description=escape(f"{what} {printable(str(item))[:40]}"))

    try:
        yield report_progress
    finally:
        bar.stop()
