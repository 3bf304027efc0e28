"""Layouts such as NCHW, [batch,...,channels] or N...C: names of the axes of a tensor."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from irops.diagnostics.printable import shortened

SCALAR = "**SCALAR**"
ELLIPSIS = "..."
_NAME = re.compile(r"[A-Za-z0-9_]*[A-Za-z0-9][A-Za-z0-9_]*")


class Layout(NamedTuple):
    """rank: the number of axes, the least one if open; open: whether there is an ellipsis."""

    rank: int
    open: bool = False

    def fits(self, rank: int) -> bool:
        return rank >= self.rank if self.open else rank == self.rank


def parse_layout(text: str) -> Layout | None:
    """The layout that a text describes; None if it describes none.

    Raises:  ValueError with what is wrong
    """
    text = text.strip()
    if not text:
        return None
    if text == SCALAR:
        return Layout(0)
    bracketed = text.startswith("[") and text.endswith("]")
    axes = [part.strip() for part in text[1:-1].split(",")] if bracketed else _letters(text)
    if axes.count(ELLIPSIS) > 1:
        raise ValueError("it has more than one ellipsis")
    names = [axis.lower() for axis in axes if axis not in ("?", ELLIPSIS)]
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{shortened(name)!r} is not a name of letters, digits and _")
    repeated, times = next(iter(Counter(names).most_common(1)), ("", 0))
    if times > 1:
        raise ValueError(f"the axis {shortened(repeated)!r} occurs twice")
    return Layout(len(axes) - axes.count(ELLIPSIS), ELLIPSIS in axes)


def _letters(text: str) -> list[str]:
    """The axes of a layout without brackets: one letter each, or an ellipsis."""
    return re.findall(r"\.\.\.|.", text, re.DOTALL)
