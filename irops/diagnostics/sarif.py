"""SARIF 2.1.0, the exchange format of static analysis: for code scanning services and editors."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import irops
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.fingerprint import fingerprints
from irops.diagnostics.fix import Fix
from irops.diagnostics.printable import paragraphs
from irops.diagnostics.report import Report
from irops.diagnostics.rule import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(reports: Sequence[Report]) -> str:
    rules = sorted(
        {diagnostic.rule for report in reports for diagnostic in report}, key=lambda rule: rule.code
    )
    place = {rule.code: k for k, rule in enumerate(rules)}
    results = [
        _result(diagnostic, report, place, mark)
        for report in reports
        for diagnostic, mark in zip(report, fingerprints(report))
    ]
    driver = {"name": "irops", "version": irops.__version__, "rules": [_rule(rule) for rule in rules]}
    whole = not any(diagnostic.name == "unchecked-file" for report in reports for diagnostic in report)
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": whole}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    explanation = "\n\n".join(paragraphs(rule.explanation))
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": explanation},
        "help": {
            "text": f"{explanation}\n\nirops explain {rule.code}",
            "markdown": f"{explanation}\n\n`irops explain {rule.code}`",
        },
        "defaultConfiguration": {"level": str(rule.severity)},
    }


def _result(diagnostic: Diagnostic, report: Report, place: dict[str, int], mark: str) -> dict[str, Any]:
    more = {"constraint": diagnostic.constraint, "facts": diagnostic.facts}
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": place[diagnostic.code],
        "level": str(diagnostic.severity),
        "message": {"text": _text(". ".join((diagnostic.message, *diagnostic.notes)))},
        "locations": [_location(diagnostic, report)],
        "properties": {name: _text(text) for name, text in more.items() if text is not None},
        "partialFingerprints": {"iropsFinding/v1": mark},
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
    if where.layer_name is not None:
        location["logicalLocations"] = [
            {
                "name": _text(where.layer_name),
                "fullyQualifiedName": _text("/".join((*where.path, where.layer_name))),
                "kind": "element",
            }
        ]
    return location


def _uri(path: str) -> str:
    return Path(path).as_uri() if Path(path).is_absolute() else quote(os.fsencode(Path(path).as_posix()))


def _text(text: str) -> str:
    """A text that every reader of JSON takes: halves of characters, from names of files that are no UTF-8,
    are escaped.
    """
    return text.encode("utf-8", "backslashreplace").decode()
