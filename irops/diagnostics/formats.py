"""The formats of reports: for people, for programs, and for services that show code."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import combining, east_asian_width
from urllib.parse import quote

from irops.diagnostics import addresses
from irops.diagnostics.diagnostic import Diagnostic, Fix, Rule
from irops.diagnostics.printable import MAX_NAME, printable
from irops.diagnostics.report import Report
from irops.diagnostics.rules import own_rules
from irops.files.urls import Place

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from rich.text import Text


def page_of(rule: Rule) -> str | None:
    """The page about a rule, in the version of irops that reports it; None without one."""
    if not addresses.SITE or rule.code not in _own_codes():
        return None
    return f"{addresses.SITE}/{_version()}/rules/{rule.code}.html"


def _version() -> str:
    version: str = vars(sys.modules["irops"])["__version__"]  # to import irops would make a circle
    return version


@cache
def _own_codes() -> frozenset[str]:
    return frozenset(rule.code for rule in own_rules())


_NUMBER = re.compile(r"\d+")


def fingerprints(report: Report) -> tuple[str, ...]:
    """A fingerprint for each finding of a report, independent of file name, lines, columns and layer ids.

    Findings that agree in everything else are numbered in order.
    """
    seen: Counter[str] = Counter()
    return tuple(_numbered(_digest(diagnostic), seen) for diagnostic in report)


def _numbered(digest: str, seen: Counter[str]) -> str:
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


@lru_cache(1024)
def _identifying(name: str) -> str:
    """The name, or its hash if it is long: the same name may occur in a thousand findings."""
    return name if len(name) <= MAX_NAME else _sha256(name)


def _digest(diagnostic: Diagnostic) -> str:
    where = diagnostic.location
    subject = (
        _NUMBER.sub("#", diagnostic.message) if where.layer_name is None else _identifying(where.layer_name)
    )
    identity = (diagnostic.code, diagnostic.constraint, tuple(map(_identifying, where.path)), subject)
    return _sha256(repr(identity))[:32]  # 128 bits tell findings apart


def _sha256(text: str) -> str:
    from hashlib import sha256  # loads OpenSSL; most formats show no fingerprints

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _concise(reports: Sequence[Report]) -> str:
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


Piece: TypeAlias = tuple[str, str]
"""A text and its style."""
STYLES = {"error": "bold red", "warning": "bold yellow"}


def _full(reports: Sequence[Report]) -> str:
    return "".join("".join(text for text, _ in line) + "\n" for report in reports for line in _lines(report))


def render_in_colour(reports: Sequence[Report]) -> "Text":
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


def _github(reports: Sequence[Report]) -> str:
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


SEVERITIES = {"error": "major", "warning": "minor"}


def _gitlab(reports: Sequence[Report]) -> str:
    issues = [issue for report in reports for issue in _issues(report)]
    return json.dumps(issues, indent=2) + "\n"


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    for diagnostic, fingerprint in zip(report, fingerprints(report), strict=True):
        where = diagnostic.location
        path = where.file or report.path or "model"
        path = path if Place.of(path).is_remote else Path(path).as_posix()
        yield {
            "description": "\n".join(filter(None, (diagnostic.message, diagnostic.facts, *diagnostic.notes))),
            "check_name": f"{diagnostic.code} {diagnostic.name}",
            "fingerprint": _sha256(f"{path}\n{fingerprint}"),
            "severity": SEVERITIES[str(diagnostic.severity)],
            "content": {"body": _body(diagnostic.rule)},
            "location": {"path": path, "lines": {"begin": where.line or 1}},
        }


def _body(rule: Rule) -> str:
    """The meaning of the rule, in Markdown, with a link to its page or the command that shows it."""
    page = page_of(rule)
    more = f"[{rule.code}]({page})" if page else f"`irops explain {rule.code}`"
    return f"{rule.explanation}\n\n{more}"


VERSION = 1


def _json(reports: Sequence[Report]) -> str:
    files = [
        {
            "path": report.path,
            "diagnostics": list(map(as_json, report)),
            "fixed": list(map(as_json, report.fixed)),
        }
        for report in reports
    ]
    return json.dumps({"version": VERSION, "files": files}, indent=2) + "\n"


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


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

RESERVED = ":/?#[]@!$&'()*+,;=%"
"""Characters that mean something in a URL."""


def _sarif(reports: Sequence[Report]) -> str:
    rules = sorted(
        {diagnostic.rule for report in reports for diagnostic in report}, key=lambda rule: rule.code
    )
    indices = {rule.code: k for k, rule in enumerate(rules)}
    results = [
        _result(diagnostic, report, indices, fingerprint)
        for report in reports
        for diagnostic, fingerprint in zip(report, fingerprints(report))
    ]
    driver = {"name": "irops", "version": _version(), "rules": [_rule(rule) for rule in rules]}
    complete = not any(diagnostic.name == "unchecked-file" for report in reports for diagnostic in report)
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": complete}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


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
        "message": {"text": _without_links(". ".join((diagnostic.message, *diagnostic.notes)))},
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
        "description": {"text": _without_links(fix.what)},
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
    return location


def _uri(path: str) -> str:
    if Place.of(path).is_remote:
        return quote(os.fsencode(path), safe=RESERVED)
    return Path(path).as_uri() if Path(path).is_absolute() else quote(os.fsencode(Path(path).as_posix()))


def _without_links(text: str) -> str:
    """The text of a message of SARIF, where [text](address) would be a link."""
    return re.sub(r"\[(?=[^\]]*\]\()", r"\\[", _text(text))


def _text(text: str) -> str:
    """Text that every JSON reader accepts: lone surrogates, from file names that are not UTF-8, escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """A test case. failure: kind, reason and text of one that failed; skipped: why it was not judged;
    output: a note about one that passed
    """

    of: str
    name: str
    failure: tuple[str, str, str] | None = None
    skipped: str | None = None
    output: str = ""


def suite_of(name: str, cases: Sequence[JUnitCase], **properties: str) -> "Element":
    """A suite. Control characters of all texts are escaped; lines of the text of a failure are kept."""
    from xml.etree.ElementTree import Element, SubElement  # slow to import

    counts = {
        "tests": len(cases),
        "failures": sum(case.failure is not None for case in cases),
        "skipped": sum(case.skipped is not None for case in cases),
        "errors": 0,
    }
    attributes = {"name": printable(name), **{key: str(count) for key, count in counts.items()}}
    suite = Element("testsuite", attributes)
    if properties:
        listed = SubElement(suite, "properties")
        for key, value in properties.items():
            SubElement(listed, "property", name=key, value=printable(value))
    for case in cases:
        at = SubElement(suite, "testcase", classname=printable(case.of), name=printable(case.name))
        if case.failure is not None:
            kind, reason, text = case.failure
            failure = SubElement(at, "failure", type=printable(kind), message=printable(reason))
            failure.text = "\n".join(map(printable, text.split("\n")))
        elif case.skipped is not None:
            SubElement(at, "skipped", message=printable(case.skipped))
        elif case.output:
            SubElement(at, "system-out").text = printable(case.output)
    return suite


def file_of(root: "Element") -> str:
    """The text of a file. root: a suite, or testsuites"""
    from xml.etree.ElementTree import indent, tostring

    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


FORMATS = {
    "full": _full,
    "concise": _concise,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
}
FOR_PEOPLE = ("full", "concise")


def render(reports: Sequence[Report], form: str) -> str:
    """The reports as text; form: one of FORMATS."""
    return FORMATS[form](reports)
