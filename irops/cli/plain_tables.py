"""Tables without a title, written without rich where nobody sees the difference: rich is slow to import."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from irops.cli.streams import UNFOLDED, columns, is_interactive, show, uses_colour
from irops.cli.tables import table

GAP = "   "
"""What separates columns."""


def show_table(names: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> None:
    """Print a table with a caption. It is folded to the terminal, or to COLUMNS."""
    cells = [names, *rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(names))]
    width = sum(widths) + len(GAP) * (len(names) - 1)
    if uses_colour(sys.stdout) or is_interactive(sys.stdout) or width > (columns() or UNFOLDED):
        _show_folded(names, rows, caption)
        return
    texts = (caption, *(cell for row in cells for cell in row))
    if not all(text.isascii() and text.isprintable() for text in texts) or len(caption) > width:
        _show_folded(names, rows, caption)
        return
    lines = [GAP.join(cell.ljust(size) for cell, size in zip(row, widths)).rstrip() for row in cells]
    lines[1:1] = ["─" * width]
    sys.stdout.write("".join(f"{line}\n" for line in (*lines, caption)))


def _show_folded(names: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> None:
    out = table("", *names)
    out.title = None
    for row in rows:
        out.add_row(*row)
    out.caption = caption
    show(out)
