"""The width of text in a picture, and texts that are cut to fit.

Widths are those of monospaced fonts, so that text fits its box whatever font the reader has.
"""

from __future__ import annotations

from unicodedata import east_asian_width

from irops.diagnostics.printable import printable

TITLE, BODY, SMALL = 13.0, 11.0, 10.0
"""Font sizes."""
ADVANCE = 0.61
"""The width of a character in monospaced fonts, as a share of the font size."""
NAME_WIDTH = 34
"""How many characters of a name are shown."""


def cells(text: str) -> int:
    """How many character cells a text takes."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def width(text: str, size: float) -> float:
    return round(cells(text) * size * ADVANCE, 1)


def head(text: str, limit: int) -> str:
    """The start of a text, on one line of at most limit cells."""
    line = printable(text[: limit + 1])
    if cells(line) <= limit:
        return line
    while cells(line) > limit - 1:
        line = line[:-1]
    return f"{line}…"


def tail(text: str, limit: int = NAME_WIDTH) -> str:
    """The end of a text, where names of layers differ, on one line of at most limit cells."""
    line = printable(text[-limit - 1 :])
    if len(text) <= limit and cells(line) <= limit:
        return line
    while cells(line) > limit - 1:
        line = line[1:]
    part = min(
        (k for k in map(line.find, "/.") if 0 <= k < 12), default=-1
    )  # whole parts of a name read better
    return f"…{line[part + 1 :]}"
