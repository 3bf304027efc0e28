"""The differences of two models as an HTML table."""

from __future__ import annotations

from html import escape
from typing import Any

from irops.diagnostics.printable import printable

_STYLE = """<style>
.irops-diff { border-collapse: collapse; font: 14px/1.4 system-ui, sans-serif; }
.irops-diff td, .irops-diff th {
  padding: 2px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid #8884;
}
.irops-diff { --added: #1a7f37; --removed: #cf222e; --changed: #9a6700; }
@media (prefers-color-scheme: dark) {
  .irops-diff { --added: #3fb950; --removed: #f85149; --changed: #d29922; }
}
.irops-diff .added td:first-child { color: var(--added); }
.irops-diff .removed td:first-child { color: var(--removed); }
.irops-diff :is(.changed, .rewired, .weights) td:first-child { color: var(--changed); }
</style>"""
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
    "<title>{title}</title></head>"
    "<body><h1>{title}</h1>{table}</body></html>\n"
)


def table(difference: Any) -> str:
    """The differences as a table, for a notebook or a page."""
    rows = []
    for text in difference.interface:
        rows.append(_row("changed", "interface", "", "", text))
    for what in ("removed", "added", "changed", "rewired", "renamed", "moved"):
        for change in getattr(difference, what):
            place = "/".join((*change.path, change.name))
            line = f"line {change.line}; " if change.line is not None else ""
            rows.append(_row(what, what, place, change.op, line + "; ".join(change.details)))
    for weight in difference.weights:
        place = "/".join((*weight.path, weight.name))
        rows.append(
            _row(
                "weights", "weights", f"{place}, input {weight.input}", "", f"{weight.kind}: {weight.details}"
            )
        )
    for text in difference.metadata:
        rows.append(_row("metadata", "metadata", "", "", text))
    caption = f"<caption>{escape(difference.summary)}</caption>"
    head = "<tr><th></th><th>layer</th><th>op</th><th></th></tr>"
    return f'{_STYLE}<table class="irops-diff">{caption}{head}{"".join(rows)}</table>'


def page(difference: Any) -> str:
    """The differences as a page of its own, which needs no network."""
    title = escape(printable(f"{difference.a} and {difference.b}"))
    return _PAGE.format(title=title, table=table(difference))


def _row(kind: str, *cells: str) -> str:
    return f'<tr class="{kind}">{"".join(f"<td>{escape(printable(cell))}</td>" for cell in cells)}</tr>'
