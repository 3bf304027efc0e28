"""Annotations of a GitHub workflow: ::error file=...,line=...,col=...,title=...::message."""

from __future__ import annotations

from collections.abc import Sequence

from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report


def render(reports: Sequence[Report]) -> str:
    return "".join(_annotation(diagnostic, report) for report in reports for diagnostic in report)


def _annotation(diagnostic: Diagnostic, report: Report) -> str:
    where = diagnostic.location
    properties = {
        "file": where.file or report.path,
        "line": where.line,
        "col": where.column,
        "title": f"{diagnostic.code} {diagnostic.name}",
    }
    said = ",".join(
        f"{name}={_property(_shown(str(value)))}" for name, value in properties.items() if value is not None
    )
    lines = [diagnostic.message, *((diagnostic.facts,) if diagnostic.facts else ()), *diagnostic.notes]
    return f"::{diagnostic.severity} {said}::{_message(_shown(chr(10).join(lines)))}\n"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _shown(text: str) -> str:
    """The text, and line ends in it, without anything else that would write to a terminal."""
    return "\n".join("\r".join(map(printable, line.split("\r"))) for line in text.split("\n"))


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
