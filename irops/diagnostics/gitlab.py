"""The gitlab format: a Code Quality report, which GitLab shows in merge requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from irops.diagnostics.fingerprint import fingerprints
from irops.diagnostics.pages import page_of
from irops.diagnostics.report import Report
from irops.diagnostics.rule import Rule
from irops.urls import is_url

SEVERITIES = {"error": "major", "warning": "minor"}


def render(reports: Sequence[Report]) -> str:
    issues = [issue for report in reports for issue in _issues(report)]
    return json.dumps(issues, indent=2) + "\n"


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    for diagnostic, fingerprint in zip(report, fingerprints(report), strict=True):
        where = diagnostic.location
        path = where.file or report.path or "model"
        path = path if is_url(path) else Path(path).as_posix()
        yield {
            "description": "\n".join(filter(None, (diagnostic.message, diagnostic.facts, *diagnostic.notes))),
            "check_name": f"{diagnostic.code} {diagnostic.name}",
            "fingerprint": sha256(f"{path}\n{fingerprint}".encode("utf-8", "surrogatepass")).hexdigest(),
            "severity": SEVERITIES[str(diagnostic.severity)],
            "content": {"body": _body(diagnostic.rule)},
            "location": {"path": path, "lines": {"begin": where.line or 1}},
        }


def _body(rule: Rule) -> str:
    """What the rule means, in Markdown, with a link to its page or the command that shows it."""
    page = page_of(rule)
    more = f"[{rule.code}]({page})" if page else f"`irops explain {rule.code}`"
    return f"{rule.explanation}\n\n{more}"
