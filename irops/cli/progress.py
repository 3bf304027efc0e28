"""A bar on long work, for a person who looks; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from irops.cli.streams import looked_at

T = TypeVar("T")
Tell = Callable[[int, int, object], None]
"""Takes how much is done, of how much, and what is being done."""
PATIENCE = 1.0
"""Seconds before a bar appears: short work needs none."""


def each(items: Sequence[T], what: str, *, quiet: bool = False) -> Iterator[T]:
    """The items one by one, with a bar on the error stream."""
    with counted(what, quiet=quiet) as tell:
        for number, item in enumerate(items):
            if tell is not None:
                tell(number, len(items), item)
            yield item


@contextmanager
def counted(what: str, *, quiet: bool = False) -> Iterator[Tell | None]:
    """What long work tells its progress to; None where nobody looks."""
    if quiet or not looked_at(sys.stderr):
        yield None
        return
    from time import monotonic

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    from irops.diagnostics.printable import printable

    bar = Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=looked_at(sys.stdout)
    )  # a file gets what is for it
    task = bar.add_task(what, total=None)
    start = monotonic()

    def tell(done: int, of: int, item: object) -> None:
        if not bar.live.is_started and monotonic() - start > PATIENCE:
            bar.start()
        bar.update(task, completed=done, total=of, description=escape(f"{what} {printable(str(item))[:40]}"))

    try:
        yield tell
    finally:
        bar.stop()
