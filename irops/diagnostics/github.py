"""The github format: workflow annotations, ::error file=...,line=...,col=...,title=...::message."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report


def render(reports: Sequence[Report]) -> str:
    return "".join(_annotation(diagnostic, report) for report in reports for diagnostic in report)


def _annotation(diagnostic: Diagnostic, report: Report) -> str:
    where = diagnostic.location
    file = where.file or report.path
    properties = {
        "file": None if file is None else Path(file).as_posix(),
        "line": where.line,
        "col": where.column,
        "title": f"{diagnostic.code} {diagnostic.name}",
    }
    head = ",".join(
        f"{name}={_property(_escaped(str(value)))}" for name, value in properties.items() if value is not None
    )
    lines = [diagnostic.message, *((diagnostic.facts,) if diagnostic.facts else ()), *diagnostic.notes]
    return f"::{diagnostic.severity} {head}::{_message(_escaped(chr(10).join(lines)))}\n"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped(text: str) -> str:
    """The text with its line ends, all other control characters escaped."""
    return "\n".join("\r".join(map(printable, line.split("\r"))) for line in text.split("\n"))


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
