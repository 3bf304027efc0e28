"""SARIF 2.1.0, the exchange format of static analysis: for code scanning services and editors."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sys
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.fingerprint import fingerprints
from irops.diagnostics.fix import Fix
from irops.diagnostics.pages import page_of
from irops.diagnostics.report import Report
from irops.diagnostics.rule import Rule
from irops.urls import is_url

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

RESERVED = ":/?#[]@!$&'()*+,;=%"
"""Characters that mean something in a URL."""


def render(reports: Sequence[Report]) -> str:
    rules = sorted(
        {diagnostic.rule for report in reports for diagnostic in report}, key=lambda rule: rule.code
    )
    indices = {rule.code: k for k, rule in enumerate(rules)}
    results = [
        _result(diagnostic, report, indices, fingerprint)
        for report in reports
        for diagnostic, fingerprint in zip(report, fingerprints(report))
    ]
    driver = {"name": "irops", "version": vars(sys.modules["irops"])["__version__"], "rules": [_rule(rule) for rule in rules]}
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
    if is_url(path):
        return quote(os.fsencode(path), safe=RESERVED)
    return Path(path).as_uri() if Path(path).is_absolute() else quote(os.fsencode(Path(path).as_posix()))


def _text(text: str) -> str:
    """Text that every JSON reader accepts: lone surrogates, from file names that are not UTF-8, escaped."""
    return text.encode("utf-8", "backslashreplace").decode()
