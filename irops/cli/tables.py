"""Tables in one style. Those without a title are written without rich where nobody sees the difference, since
rich is slow to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irops.diagnostics.printable import Printable

if TYPE_CHECKING:
    from rich.table import Table
import sys
from collections.abc import Sequence

from irops.cli.streams import UNFOLDED, columns, is_interactive, say, show, uses_colour
from irops.diagnostics.printable import literal, printable


def table(title: Printable, *columns: Printable) -> Table:
    """An empty table. Columns whose names begin with > are aligned to the right."""
    from rich import box
    from rich.table import Table

    out = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        caption_style="dim",
        box=box.SIMPLE_HEAD,
        header_style="dim",
        show_edge=False,
        pad_edge=False,
        padding=(0, 1),
    )
    for column in columns:
        out.add_column(
            column.lstrip(">"), justify="right" if column.startswith(">") else "left", overflow="fold"
        )
    return out


GAP = literal("   ")
"""What separates columns."""


def show_table(names: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> None:
    """Print a table with a caption. It is folded to the terminal, or to COLUMNS."""
    cells = [tuple(map(printable, row)) for row in (names, *rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(names))]
    width = sum(widths) + len(GAP) * (len(names) - 1)
    if uses_colour(sys.stdout) or is_interactive(sys.stdout) or width > (columns() or UNFOLDED):
        _show_folded(cells, printable(caption))
        return
    texts = (caption, *(cell for row in cells for cell in row))
    if not all(text.isascii() and text.isprintable() for text in texts) or len(caption) > width:
        _show_folded(cells, printable(caption))
        return
    lines = [GAP.join(cell.ljust(size) for cell, size in zip(row, widths)).rstrip() for row in cells]
    lines[1:1] = [literal("─") * width]
    say("".join(f"{line}\n" for line in (*lines, printable(caption))), end="")


def _show_folded(cells: Sequence[Sequence[Printable]], caption: Printable) -> None:
    names, *rows = cells
    out = table("", *names)
    out.title = None
    for row in rows:
        out.add_row(*row)
    out.caption = caption
    show(out)
