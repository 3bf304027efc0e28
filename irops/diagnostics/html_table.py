"""Tables that notebooks show for a model, a graph, inferred Facts, a report, a definition."""

from collections.abc import Iterable, Sequence
from html import escape

MAX_ROWS = 100
"""Further rows are counted, not shown."""
MAX_CELL = 400
"""Longer texts are cut off."""
# The class is named twice, so that these rules precede those of notebooks, which align cells to the right.
_STYLE = """<style>
.irops-table { border-collapse: collapse; font: 13px/1.4 system-ui, sans-serif; margin: 4px 0; }
.irops-table.irops-table caption { text-align: left; font-weight: 600; padding: 4px 0; white-space: nowrap; }
.irops-table.irops-table td, .irops-table.irops-table th {
  padding: 2px 12px 2px 0; text-align: left; vertical-align: top; border-bottom: 1px solid #8884;
}
</style>"""


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption; all texts are escaped, and rows and texts are bounded."""
    shown: list[Sequence[object]] = []
    more = 0
    for row in rows:
        if len(shown) < MAX_ROWS:
            shown.append(row)
        else:
            more += 1
    titles = (
        f"<tr>{''.join(f'<th>{escape(title)}</th>' for title in head)}</tr>" if any(head) and shown else ""
    )
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in shown)
    rest = f'<tr><td colspan="{len(head)}">and {more} more</td></tr>' if more else ""
    return (
        f'{_STYLE}<table class="irops-table"><caption>{_cell(caption)}</caption>{titles}{body}{rest}</table>'
    )


def _cell(value: object) -> str:
    text = str(value)
    text = text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return escape(clean)
