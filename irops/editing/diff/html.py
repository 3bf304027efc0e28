"""The differences of two models as an HTML table, and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from irops.diagnostics.printable import Markup, abridged, in_html, literal, plural

MAX_ROWS = 500
"""How many rows a table of a page has."""
MAX_NAME = 100
NOTHING = literal("")
_COLOURS: Final = """
.irops-diff {
  --added: #1a7f37; --removed: #b3261e; --changed: #9a6700; --rewired: #7a1fa2; --weights: #0f7577;
}
@media (prefers-color-scheme: dark) {
  .irops-diff {
    --added: #3fb950; --removed: #f85149; --changed: #d29922; --rewired: #c58af9; --weights: #4fb3b5;
  }
}
.irops-diff .added td:first-child { color: var(--added); }
.irops-diff .removed td:first-child { color: var(--removed); }
.irops-diff .changed td:first-child { color: var(--changed); }
.irops-diff .rewired td:first-child { color: var(--rewired); }
.irops-diff .weights td:first-child { color: var(--weights); }
.irops-diff :is(td, th) {
  padding: 2px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid #8884;
  overflow-wrap: anywhere;
}
.irops-diff td:first-child { font-weight: 600; white-space: nowrap; }
.irops-diff td:nth-child(3) { white-space: nowrap; }
.irops-diff ul { margin: 2px 0; padding-left: 18px; }
.irops-diff summary { cursor: pointer; opacity: .75; }
"""
_TABLE: Final = ".irops-diff { border-collapse: collapse; font: 14px/1.4 system-ui, sans-serif; }"
_PAGE_STYLE: Final = """
:root { color-scheme: light dark; --line: #8886; --faint: #57606a; }
@media (prefers-color-scheme: dark) { :root { --faint: #a3acb7; } }
body { font: 14px/1.45 system-ui, sans-serif; margin: 24px; }
h1 { font-size: 18px; overflow-wrap: anywhere; } h2 { font-size: 15px; margin-top: 28px; }
.answer { font-weight: 600; }
.faint { color: var(--faint); }
.drawing { overflow: auto; max-height: 60vh; border: 1px solid var(--line); margin-bottom: 8px; }
"""
_PAGE = literal(
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy"'
    " content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>{title}</title>"
    "<style>{style}</style></head><body>{body}</body></html>\n"
)
_COUNTED = ("removed", "added", "changed", "rewired", "weights")
_OTHERS = ("renamed", "moved")
Row = tuple[str, str, str, str, Sequence[str]]
"""What, layer, op, details, and what follows from it."""


def table(difference: Any) -> Markup:
    """The differences as a table, for a notebook."""
    rows = [*_interface(difference), *_changes(difference, (*_COUNTED, *_OTHERS)), *_metadata(difference)]
    caption = f"<caption>{in_html(difference.summary)}</caption>"
    return f"<style>{_TABLE}{_COLOURS}</style>{_table(rows, caption)}"


def page(difference: Any, drawing: Markup = NOTHING) -> Markup:
    """The differences as a page of its own, which needs no network.

    drawing: the pictures of what changed, as HTML
    """
    title = in_html(f"{difference.a} and {difference.b}")
    style: Markup = f"{_TABLE}{_COLOURS}{_PAGE_STYLE}"
    return _PAGE.format(title=title, style=style, body="\n".join(_body(difference, title, drawing)))


def _body(difference: Any, title: Markup, drawing: Markup) -> Iterator[Markup]:
    yield f"<h1>{title}</h1>"
    answer = literal("the models are the same" if difference.same else "the models differ")
    if not difference.compared:
        answer = literal("the models may be the same: weights could not be computed")
    layers: Markup = " and ".join(plural(count, "layer") for count in difference.layers)
    yield f'<p><span class="answer">{answer}</span>: {in_html(difference.summary)}'
    yield f'<span class="faint"> ({layers})</span></p>'
    if drawing:
        yield f"<h2>Drawing</h2>{drawing}"
    for heading, rows in (
        ("Inputs and results", [*_interface(difference)]),
        ("What differs", [*_changes(difference, _COUNTED)]),
        ("What does not affect results", [*_changes(difference, _OTHERS), *_metadata(difference)]),
    ):
        if rows:
            yield f"<h2>{in_html(heading)}</h2>{_table(rows)}"


def _interface(difference: Any) -> Iterator[Row]:
    following = difference.consequences
    for text in difference.interface:
        yield "changed", "", "", text, ("follows from a change below",) if text in following else ()


def _metadata(difference: Any) -> Iterator[Row]:
    for text in difference.metadata:
        yield "metadata", "", "", text, ()


def _changes(difference: Any, kinds: Iterable[str]) -> Iterator[Row]:
    for what in kinds:
        for change in getattr(difference, what):
            place = "/".join((*change.path, change.name))
            if what == "weights":
                yield what, f"{place}, input {change.input}", "", _of_weight(change), change.follows
                continue
            line = f"line {change.line}; " if change.line is not None else ""
            yield what, place, change.op, line + "; ".join(change.details), change.follows


def _of_weight(change: Any) -> str:
    return change.details if change.kind == "changed" else f"{change.kind}: {change.details}"


def _table(rows: Sequence[Row], caption: Markup = NOTHING) -> Markup:
    head: Final = "<tr><th></th><th>layer</th><th>op</th><th></th></tr>"
    more = len(rows) - MAX_ROWS
    end: Markup = f'<p class="faint">and {more:,} more</p>' if more > 0 else literal("")
    content = "".join(map(_row, rows[:MAX_ROWS]))
    return f'<table class="irops-diff">{caption}{head}{content}</table>{end}'


def _row(row: Row) -> Markup:
    what, layer, op, details, follows = row
    cells = (what, abridged(layer, MAX_NAME), op)
    listed = "".join(f"<td>{in_html(cell)}</td>" for cell in cells)
    return f'<tr class="{in_html(what)}">{listed}<td>{in_html(details)}{_following(follows)}</td></tr>'


def _following(follows: Sequence[str]) -> Markup:
    """What follows from a change, folded where it is much."""
    if not follows:
        return NOTHING
    items = "".join(f"<li>{in_html(text)}</li>" for text in follows[:MAX_ROWS])
    if len(follows) > MAX_ROWS:
        items += f"<li>and {len(follows) - MAX_ROWS:,} more</li>"
    if len(follows) == 1:
        return f"<ul>{items}</ul>"
    return f"<details><summary>{plural(len(follows), 'consequence')}</summary><ul>{items}</ul></details>"
