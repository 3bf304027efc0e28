"""The differences of two models as an HTML table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from irops.html_table import html_table
from irops.pages.render import render


def table(difference: Any) -> str:
    """The differences as a table for a notebook."""
    return html_table(difference.summary, ("", "layer", "op", ""), _rows(difference))


def page(difference: Any) -> str:
    """The differences as a page of its own. Raises: MissingExtraError"""
    title = f"{difference.a} and {difference.b}"
    return render("diff.html", title=title, summary=difference.summary, rows=_rows(difference))


def _rows(difference: Any) -> Iterator[tuple[str, str, str, str]]:
    """What differs, place, op, details."""
    for text in difference.interface:
        yield "interface", "", "", text
    for what in ("removed", "added", "changed", "rewired", "renamed", "moved"):
        for change in getattr(difference, what):
            line = () if change.line is None else (f"line {change.line}",)
            yield what, "/".join((*change.path, change.name)), change.op, "; ".join((*line, *change.details))
    for weight in difference.weights:
        place = f"{'/'.join((*weight.path, weight.name))}, input {weight.input}"
        yield "weights", place, "", f"{weight.kind}: {weight.details}"
    for text in difference.metadata:
        yield "metadata", "", "", text
