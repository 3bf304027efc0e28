"""The full format, for people: a headline per finding, the line of the file with a caret, and details; in
colour on a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import combining, east_asian_width

from irops.diagnostics.concise import fixed_line
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report

if TYPE_CHECKING:
    from rich.text import Text

Piece: TypeAlias = tuple[str, str]
"""A text and its style."""
STYLES = {"error": "bold red", "warning": "bold yellow"}


def render(reports: Sequence[Report]) -> str:
    return "".join("".join(text for text, _ in line) + "\n" for report in reports for line in _lines(report))


def render_in_colour(reports: Sequence[Report]) -> Text:
    from rich.text import Text

    return Text("\n").join(Text.assemble(*line) for report in reports for line in _lines(report))


def _lines(report: Report) -> Iterator[list[Piece]]:
    for diagnostic in report.fixed:
        place, _, what = fixed_line(diagnostic).partition(": fixed ")
        yield [(printable(f"{place}: "), "bold"), ("fixed ", "bold green"), (printable(what), "")]
    for diagnostic in report:
        severity = str(diagnostic.severity)
        yield [
            (f"{printable(str(diagnostic.location))}: ", "bold"),
            (severity, STYLES[severity]),
            (f" {diagnostic.code} ", "cyan"),
            (printable(diagnostic.message), ""),
        ]
        yield from _excerpt(diagnostic)
        for label, text in _details(diagnostic):
            yield [("    ", ""), (f"{label}: " if label else "", "dim"), (printable(text), "")]


def _excerpt(diagnostic: Diagnostic) -> Iterator[list[Piece]]:
    """The line of the file, and a caret under the column."""
    where = diagnostic.location
    if where.excerpt is None or where.line is None:
        return
    number = str(where.line)
    before, after = (printable(part.replace("\t", " ")) for part in where.excerpt)
    yield [(f"    {number} | ", "dim"), (before + after, "")]
    caret = " " * _width(before) + "^"
    yield [(f"    {' ' * len(number)} | ", "dim"), (caret, STYLES[str(diagnostic.severity)])]


def _width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return sum(
        2 if east_asian_width(character) in "WF" else 1 for character in text if not combining(character)
    )


def _details(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    where = diagnostic.location
    if diagnostic.facts:
        yield "", diagnostic.facts
    elif where.shown_name is not None and where.shown_name not in diagnostic.message:
        yield "", f'layer {where.layer_id} "{where.shown_name}"'
    if where.path:
        path = where.shown_path
        yield (
            "in",
            ", in ".join(
                f'the {body} of "{layer}"' for layer, body in reversed(list(zip(path[::2], path[1::2])))
            ),
        )
    for note in diagnostic.notes:
        yield "note", note
    if diagnostic.fix is not None:
        yield "fix", f"irops check --fix: {diagnostic.fix.what}"
    yield "explain", f"irops explain {diagnostic.constraint or diagnostic.code}"
