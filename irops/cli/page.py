"""Text for a terminal: headings, paragraphs and lists, wrapped to its width."""

from __future__ import annotations

import sys
from textwrap import wrap

from irops.cli.streams import columns, console, is_interactive, uses_colour
from irops.diagnostics.printable import printable

NARROW, WIDE = 80, 100
"""The width of text that does not go to a terminal, and the largest: longer lines are hard to read."""


class Page:
    """Collects text piece by piece, and prints it at once."""

    def __init__(self) -> None:
        self.width = min(columns() or _terminal_width(), WIDE)
        self._lines: list[tuple[str, str]] = []

    def title(self, text: str) -> None:
        self._space()
        self._put(text, "bold cyan")

    def heading(self, text: str) -> None:
        self._space()
        self._put(text, "bold")

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
            self._put(line, style)

    def entry(self, term: str, text: str) -> None:
        """Add an item of a list: a term and its description."""
        self.lines(f"{term}: {text}" if text else term, 2, 4)

    def verbatim(self, text: str, indent: int = 4) -> None:
        """Add text unwrapped."""
        self._lines.extend((" " * indent + printable(line), "") for line in text.splitlines())

    def show(self) -> None:
        if uses_colour(sys.stdout):
            from rich.text import Text

            console().print(Text("\n").join(Text(text, style) for text, style in self._lines), soft_wrap=True)
        else:
            sys.stdout.write("".join(f"{text}\n" for text, _ in self._lines))

    def _space(self) -> None:
        if self._lines:
            self._put("")

    def _put(self, text: str, style: str = "") -> None:
        self._lines.append((text, style))


def _terminal_width() -> int:
    if not is_interactive(sys.stdout):
        return NARROW
    from shutil import get_terminal_size  # slow to import

    return get_terminal_size().columns
