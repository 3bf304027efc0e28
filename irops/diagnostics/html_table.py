"""Tables and lines that notebooks show for a model, a graph, inferred Facts, a report, a definition."""

from collections.abc import Iterable, Sequence
from html import escape

from irops.diagnostics.printable import printable_lines

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
.irops-table th { cursor: pointer; }
.irops-error, .irops-fail, .irops-crash, .irops-wrong { color: #d33; font-weight: 600; }
.irops-warning { color: #a60; font-weight: 600; }
</style>"""
_SORT = (
    "const k=this.cellIndex,n=this.parentNode.cells.length,body=this.closest('tbody'),"
    "up=this.dataset.up=this.dataset.up==1?-1:1,text=row=>row.cells[k].innerText;"
    "[...body.rows].slice(1).sort((a,b)=>(a.cells.length<n)-(b.cells.length<n)"
    "||up*text(a).localeCompare(text(b),undefined,{numeric:true})).forEach(row=>body.append(row))"
)
"""Sorts the rows by the column whose title is clicked, numbers by size; a second click turns the order round.
"""
COLOURED = ("error", "warning", "fail", "crash", "wrong")
"""Cells that have a colour, as they have in the terminal."""


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption, sorted by the title that is clicked; all texts are escaped, and rows and texts
    are bounded.
    """
    shown: list[Sequence[object]] = []
    more = 0
    for row in rows:
        if len(shown) < MAX_ROWS:
            shown.append(row)
        else:
            more += 1
    titles = "".join(f'<th onclick="{_SORT}">{escape(title)}</th>' for title in head)
    titles = f"<tr>{titles}</tr>" if any(head) and shown else ""
    body = "".join(f"<tr>{''.join(map(_column, row))}</tr>" for row in shown)
    rest = f'<tr><td colspan="{len(head)}">and {more} more</td></tr>' if more else ""
    return (
        f'{_STYLE}<table class="irops-table"><caption>{_cell(caption)}</caption>{titles}{body}{rest}</table>'
    )


def html_lines(text: str) -> str:
    """The lines of a text, as the terminal has them."""
    return "<pre>" + escape(printable_lines(text + "\n")) + "</pre>"


def _column(value: object) -> str:
    text = _cell(value)
    return f'<td class="irops-{text}">{text}</td>' if text in COLOURED else f"<td>{text}</td>"


def _cell(value: object) -> str:
    text = str(value)
    text = text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return escape(clean)
