"""A bar on long work, for a person who looks; nothing in a pipe."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from irops.cli.streams import looked_at

if TYPE_CHECKING:
    from irops.ir.model import Layer

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds before a bar appears: short work needs none."""


def each(items: Sequence[T], what: str, *, quiet: bool = False) -> Iterator[T]:
    """The items one by one, with a bar on the error stream."""
    if quiet or not looked_at(sys.stderr):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track
    yield from track(items, what, console=Console(stderr=True), transient=True)


@contextmanager
def layer_bar(*, quiet: bool = False) -> Iterator[Callable[[int, int, Layer], None] | None]:
    """What an evaluation tells its progress to; None where nobody looks. The bar appears when the work takes long."""
    if quiet or not looked_at(sys.stderr):
        yield None
        return
    from time import monotonic

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    from irops.diagnostics.printable import printable
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None)
    start = monotonic()

    def tell(done: int, of: int, layer: Layer) -> None:
        if not bar.live.is_started and monotonic() - start > PATIENCE:
            bar.start()
        bar.update(task, completed=done, total=of, description=escape(printable(layer.name)[:30]))
    try:
        yield tell
    finally:
        bar.stop()
