"""The output formats of reports: for people, for programs, and for services that show findings in changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import combining, east_asian_width
from urllib.parse import quote

import irops
from irops.diagnostics.diagnostic import Diagnostic, Fix
from irops.diagnostics.printable import (
    Commands,
    Escaped,
    Json,
    OwnText,
    Printable,
    as_property,
    in_command,
    json_text,
    literal,
    plural,
    printable,
)
from irops.diagnostics.report import Report, fingerprints
from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import page_of
from irops.files.urls import is_url

if TYPE_CHECKING:
    from rich.text import Text


def render_concise(reports: Sequence[Report]) -> Printable:
    return "".join(
        f"{printable(line)}\n"
        for report in reports
        for line in (*map(fixed_line, report.fixed), *map(str, report))
    )


def fixed_line(diagnostic: Diagnostic) -> str:
    """The line for a finding that was fixed, with the location that it had before the fix."""
    return (
        f"{diagnostic.location}: fixed {diagnostic.code}"
        f" {diagnostic.fix.what if diagnostic.fix else diagnostic.message}"
    )


# The full format, for people: a headline per finding, the line of the file with a caret, and details; in
# colour on a terminal.

Piece: TypeAlias = tuple[Printable, str]
"""A text and its style."""
SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow"}


def render_full(reports: Sequence[Report]) -> Printable:
    return "".join(
        "".join(text for text, _ in line) + "\n" for report in reports for line in _full_lines(report)
    )


def render_in_colour(reports: Sequence[Report]) -> Text:
    from rich.text import Text

    return Text("\n").join(Text.assemble(*line) for report in reports for line in _full_lines(report))


def _full_lines(report: Report) -> Iterator[list[Piece]]:
    for diagnostic in report.fixed:
        place, _, what = fixed_line(diagnostic).partition(": fixed ")
        yield [(printable(f"{place}: "), "bold"), (literal("fixed "), "bold green"), (printable(what), "")]
    for diagnostic in report:
        severity = printable(str(diagnostic.severity))
        yield [
            (f"{printable(str(diagnostic.location))}: ", "bold"),
            (severity, SEVERITY_STYLES[severity]),
            (f" {printable(diagnostic.code)} ", "cyan"),
            (printable(diagnostic.message), ""),
        ]
        yield from _full_excerpt(diagnostic)
        for label, text in _full_details(diagnostic):
            head: Printable = f"{label}: " if label else label
            yield [(literal("    "), ""), (head, "dim"), (printable(text), "")]


def _full_excerpt(diagnostic: Diagnostic) -> Iterator[list[Piece]]:
    """The line of the file, and a caret under the column."""
    where = diagnostic.location
    if where.excerpt is None or where.line is None:
        return
    number: Printable = f"{where.line}"
    before, after = (printable(part.replace("\t", " ")) for part in where.excerpt)
    yield [(f"    {number} | ", "dim"), (before + after, "")]
    caret: Printable = " " * _width(before) + "^"
    yield [(f"    {' ' * len(number)} | ", "dim"), (caret, SEVERITY_STYLES[str(diagnostic.severity)])]


def _width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return sum(
        2 if east_asian_width(character) in "WF" else 1 for character in text if not combining(character)
    )


def _full_details(diagnostic: Diagnostic) -> Iterator[tuple[OwnText, str]]:
    where = diagnostic.location
    if diagnostic.facts:
        yield literal(""), diagnostic.facts
    elif where.shown_name is not None and where.shown_name not in diagnostic.message:
        yield literal(""), f'layer {where.layer_id} "{where.shown_name}"'
    if where.path:
        path = where.shown_path
        yield (
            literal("in"),
            ", in ".join(
                f'the {body} of "{layer}"' for layer, body in reversed(list(zip(path[::2], path[1::2])))
            ),
        )
    if where.element is not None:
        span = "" if where.bytes is None else f", bytes {where.bytes[0]} to {where.bytes[1]}"
        yield literal("at"), f"{where.element}{span}"
    for note in diagnostic.notes:
        yield literal("note"), note
    if diagnostic.fix is not None:
        yield literal("fix"), f"irops check --fix: {diagnostic.fix.what}"
    yield literal("explain"), f"irops explain {diagnostic.constraint or diagnostic.code}"


# The summary line: the number of findings and of files.


def summary(reports: Sequence[Report], known: int = 0, others: int = 0) -> Printable:
    """2 errors, 1 warning in model.xml · no findings in 3 files

    known: the number of findings omitted because the baseline accepts them; others: the number of skipped
    files that are not models.
    """
    errors, warnings = (
        sum(len(findings) for findings in side) for side in zip(*((r.errors, r.warnings) for r in reports))
    )
    fixed = sum(len(report.fixed) for report in reports)
    counts = ((errors, literal("error")), (warnings, literal("warning")))
    counted: list[Printable] = [plural(n, word) for n, word in counts if n]
    if fixed:
        counted.insert(0, f"{fixed} fixed")
    affected = [report for report in reports if len(report) or report.fixed] or reports
    if len(reports) == 1:
        where: Printable = printable(reports[0].path or "the model")
    elif len(affected) < len(reports):
        where = f"{len(affected)} of {plural(len(reports), 'file')}"
    else:
        where = plural(len(reports), "file")
    omitted: list[Printable] = [plural(known, "known finding")] if known else []
    if others:
        omitted.append(f"{plural(others, 'other .xml file')} in folders")
    if not errors and not warnings:
        counted.append(literal("no findings"))
    rest: Printable = f"; omitted: {', '.join(omitted)}" if omitted else literal("")
    return f"{', '.join(counted)} in {where}{rest}"


# The json format: {"version": 1, "files": [{"path", "diagnostics": [...], "fixed": [...]}]}.

JSON_VERSION = 1


def render_json(reports: Sequence[Report]) -> Json:
    files = [
        {
            "path": report.path,
            "diagnostics": list(map(as_json, report)),
            "fixed": list(map(as_json, report.fixed)),
        }
        for report in reports
    ]
    return json_text({"version": JSON_VERSION, "files": files})


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    where = diagnostic.location
    has_layer = where.layer_name is not None or where.layer_id is not None
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "line": where.line,
        "column": where.column,
        "layer": {"id": where.layer_id, "name": where.shown_name, "path": list(where.shown_path)}
        if has_layer
        else None,
        "constraint": diagnostic.constraint,
        "facts": diagnostic.facts,
        "notes": list(diagnostic.notes),
        "url": page_of(diagnostic.rule),
        "fix": None if diagnostic.fix is None else diagnostic.fix.what,
    }


# SARIF 2.1.0, the exchange format of static analysis: for code scanning services and editors.

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

RESERVED = ":/?#[]@!$&'()*+,;=%"
"""Characters that mean something in a URL."""


def render_sarif(reports: Sequence[Report]) -> Json:
    rules = sorted(
        {diagnostic.rule for report in reports for diagnostic in report}, key=lambda rule: rule.code
    )
    indices = {rule.code: k for k, rule in enumerate(rules)}
    results = [
        _result(diagnostic, report, indices, fingerprint)
        for report in reports
        for diagnostic, fingerprint in zip(report, fingerprints(report))
    ]
    driver = {"name": "irops", "version": irops.__version__, "rules": [_rule(rule) for rule in rules]}
    complete = not any(diagnostic.name == "unchecked-file" for report in reports for diagnostic in report)
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": complete}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json_text({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, Any]:
    page = page_of(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.explanation},
        "help": {
            "text": f"{rule.explanation}\n\nirops explain {rule.code}",
            "markdown": f"{rule.explanation}\n\n`irops explain {rule.code}`",
        },
        **({} if page is None else {"helpUri": page}),
        "defaultConfiguration": {"level": str(rule.severity)},
    }


def _result(
    diagnostic: Diagnostic, report: Report, indices: dict[str, int], fingerprint: str
) -> dict[str, Any]:
    properties = {"constraint": diagnostic.constraint, "facts": diagnostic.facts}
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": indices[diagnostic.code],
        "level": str(diagnostic.severity),
        "message": {"text": _text(". ".join((diagnostic.message, *diagnostic.notes)))},
        "locations": [_location(diagnostic, report)],
        "properties": {name: _text(text) for name, text in properties.items() if text is not None},
        "partialFingerprints": {"iropsFinding/v1": fingerprint},
        **({} if diagnostic.fix is None else {"fixes": [_fix(diagnostic.fix, diagnostic, report)]}),
    }


def _fix(fix: Fix, diagnostic: Diagnostic, report: Report) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {"byteOffset": edit.start, "byteLength": edit.end - edit.start},
            "insertedContent": {"text": edit.text},
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": _text(fix.what)},
        "artifactChanges": [
            {
                "artifactLocation": _location(diagnostic, report)["physicalLocation"]["artifactLocation"],
                "replacements": replacements,
            }
        ],
    }


def _location(diagnostic: Diagnostic, report: Report) -> dict[str, Any]:
    where = diagnostic.location
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(where.file or report.path or "model")}}
    if where.line is not None:
        physical["region"] = {"startLine": where.line, "startColumn": where.column or 1}
    elif where.bytes is not None:
        start, end = where.bytes
        physical["region"] = {"byteOffset": start, "byteLength": end - start}
    location: dict[str, Any] = {"physicalLocation": physical}
    name = where.shown_name
    if name is not None:
        location["logicalLocations"] = [
            {
                "name": _text(name),
                "fullyQualifiedName": _text("/".join((*where.shown_path, name))),
                "kind": "element",
            }
        ]
    if where.element is not None:
        element = {"fullyQualifiedName": _text(where.element), "kind": "element"}
        location.setdefault("logicalLocations", []).append(element)
    return location


def _uri(path: str) -> str:
    if is_url(path):
        return quote(os.fsencode(path), safe=RESERVED)
    return Path(path).as_uri() if Path(path).is_absolute() else quote(os.fsencode(Path(path).as_posix()))


def _text(text: str) -> str:
    """Text that every JSON reader accepts: lone surrogates, from file names that are not UTF-8, escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


# The github format: workflow annotations, ::error file=...,line=...,col=...,title=...::message.


def render_github(reports: Sequence[Report]) -> Commands:
    return "".join(_annotation(diagnostic, report) for report in reports for diagnostic in report)


def _annotation(diagnostic: Diagnostic, report: Report) -> Commands:
    where = diagnostic.location
    file = where.file or report.path
    properties: dict[OwnText, object] = {
        literal("file"): None if file is None else Path(file).as_posix(),
        literal("line"): where.line,
        literal("col"): where.column,
        literal("title"): f"{diagnostic.code} {diagnostic.name}",
    }
    head = ",".join(
        f"{name}={as_property(in_command(str(value)))}"
        for name, value in properties.items()
        if value is not None
    )
    lines = [diagnostic.message, *((diagnostic.facts,) if diagnostic.facts else ()), *diagnostic.notes]
    return f"::{diagnostic.severity} {head}::{in_command(chr(10).join(lines))}\n"


# The gitlab format: a Code Quality report, which GitLab shows in merge requests.

GITLAB_SEVERITIES = {"error": "major", "warning": "minor"}


def render_gitlab(reports: Sequence[Report]) -> Json:
    issues = [issue for report in reports for issue in _issues(report)]
    return json_text(issues)


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    for diagnostic, fingerprint in zip(report, fingerprints(report), strict=True):
        where = diagnostic.location
        path = where.file or report.path or "model"
        path = path if is_url(path) else Path(path).as_posix()
        yield {
            "description": "\n".join(filter(None, (diagnostic.message, diagnostic.facts, *diagnostic.notes))),
            "check_name": f"{diagnostic.code} {diagnostic.name}",
            "fingerprint": sha256(f"{path}\n{fingerprint}".encode("utf-8", "surrogatepass")).hexdigest(),
            "severity": GITLAB_SEVERITIES[str(diagnostic.severity)],
            "content": {"body": _body(diagnostic.rule)},
            "location": {"path": path, "lines": {"begin": where.line or 1}},
        }


def _body(rule: Rule) -> str:
    """What the rule means, in Markdown, with a link to its page, or the command that shows it."""
    page = page_of(rule)
    more = f"`irops explain {rule.code}`" if page is None else f"[{rule.code}]({page})"
    return f"{rule.explanation}\n\n{more}"


FORMATS: dict[str, Callable[[Sequence[Report]], Escaped]] = {
    "full": render_full,
    "concise": render_concise,
    "json": render_json,
    "sarif": render_sarif,
    "github": render_github,
    "gitlab": render_gitlab,
}
FOR_PEOPLE = ("full", "concise")


def render(reports: Sequence[Report], form: str) -> Escaped:
    """The reports as text; form: one of FORMATS."""
    return FORMATS[form](reports)
