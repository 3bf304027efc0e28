"""The common style of all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def table(title: str, *columns: str) -> Table:
    """An empty table; title: may be empty. Columns whose names begin with > are aligned to the right."""
    from rich import box
    from rich.table import Table

    out = Table(
        title=title or None,
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
