"""Text for a terminal: headings, paragraphs and lists, wrapped to its width."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from textwrap import wrap
from typing import Any, Protocol

from irops.cli.streams import columns, is_interactive, say, show_wide, uses_colour
from irops.diagnostics.printable import Printable, printable

NARROW, WIDE = 80, 100
"""The width of text that does not go to a terminal, and the largest: longer lines are hard to read."""


class Writer(Protocol):
    """What the documentation of an op is written to."""

    def title(self, text: str) -> None: ...
    def heading(self, text: str) -> None: ...
    def paragraph(self, text: str, indent: int = 0) -> None: ...
    def lines(self, text: str, indent: int = 0, hanging: int = 0, style: str = "") -> None: ...
    def entry(self, term: str, text: str) -> None: ...
    def verbatim(self, text: str, indent: int = 4) -> None: ...


class Recording:
    """A Writer that records its calls as data: a page is as wide as the terminal that it is made for."""

    def __init__(self) -> None:
        self.calls: list[list[Any]] = []

    def title(self, text: str) -> None:
        self.calls.append(["title", text])

    def heading(self, text: str) -> None:
        self.calls.append(["heading", text])

    def paragraph(self, text: str, indent: int = 0) -> None:
        self.calls.append(["paragraph", text, indent])

    def lines(self, text: str, indent: int = 0, hanging: int = 0, style: str = "") -> None:
        self.calls.append(["lines", text, indent, hanging, style])

    def entry(self, term: str, text: str) -> None:
        self.calls.append(["entry", term, text])

    def verbatim(self, text: str, indent: int = 4) -> None:
        self.calls.append(["verbatim", text, indent])


class TextPage:
    """Collects text piece by piece, and prints it at once."""

    def __init__(self) -> None:
        self.width = min(columns() or _terminal_width(), WIDE)
        self._lines: list[tuple[Printable, str]] = []

    def title(self, text: str) -> None:
        self._space()
        self._put(printable(text), "bold cyan")

    def heading(self, text: str) -> None:
        self._space()
        self._put(printable(text), "bold")

    def paragraph(self, text: str, indent: int = 0) -> None:
        """Add a paragraph; line breaks in the text are ignored."""
        self._space()
        self.lines(text, indent)

    def lines(self, text: str, indent: int = 0, hanging: int = 0, style: str = "") -> None:
        """Add text without a blank line before it; hanging: extra indent of all lines but the first."""
        margin = " " * indent
        wrapped = wrap(
            printable(" ".join(text.split())),
            self.width,
            initial_indent=margin,
            subsequent_indent=margin + " " * hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in wrapped:
            self._put(printable(line), style)

    def entry(self, term: str, text: str) -> None:
        """Add an item of a list: a term and its description."""
        self.lines(f"{term}: {text}" if text else term, 2, 4)

    def verbatim(self, text: str, indent: int = 4) -> None:
        """Add text unwrapped."""
        self._lines.extend((" " * indent + printable(line), "") for line in text.splitlines())

    def replay(self, calls: Iterable[list[Any]]) -> None:
        """Add what a Recording recorded."""
        for name, *arguments in calls:
            getattr(self, name)(*arguments)

    def show(self) -> None:
        if uses_colour(sys.stdout):
            from rich.text import Text

            show_wide(Text("\n").join(Text(text, style) for text, style in self._lines))
        else:
            say("".join(f"{text}\n" for text, _ in self._lines), end="")

    def _space(self) -> None:
        if self._lines:
            self._put("")

    def _put(self, text: Printable, style: str = "") -> None:
        self._lines.append((text, style))


def _terminal_width() -> int:
    if not is_interactive(sys.stdout):
        return NARROW
    from shutil import get_terminal_size  # slow to import

    return get_terminal_size().columns
