"""The json format: {"version": 1, "files": [{"path", "diagnostics": [...], "fixed": [...]}]}."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.pages import page_of
from irops.diagnostics.report import Report

VERSION = 1


def render(reports: Sequence[Report]) -> str:
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
