"""The output formats of reports."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from irops.diagnostics.report import Report

FORMATS = {
    "full": "full",
    "concise": "concise",
    "json": "json_format",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
}
"""The module of each format, imported on first use."""
FOR_PEOPLE = ("full", "concise")


def render(reports: Sequence[Report], form: str) -> str:
    """The reports as text; form: one of FORMATS."""
    text: str = import_module(f"irops.diagnostics.{FORMATS[form]}").render(reports)
    return text
