"""A bar on long work, for a person who looks; nothing in a pipe."""
from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

from irops.cli.streams import looked_at

T = TypeVar("T")


def each(items: Sequence[T], what: str, *, quiet: bool = False) -> Iterator[T]:
    """The items one by one, with a bar on the error stream."""
    if quiet or not looked_at(sys.stderr):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track
    yield from track(items, what, console=Console(stderr=True), transient=True)
