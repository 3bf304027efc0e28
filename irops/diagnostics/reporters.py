"""The formats in which reports are told."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from irops.diagnostics.report import Report

FORMATS = {"full": "full", "concise": "concise", "json": "json_format", "sarif": "sarif", "github": "github"}
"""Format to the module of it, imported when it is asked for."""
FOR_PEOPLE = ("full", "concise")


def render(reports: Sequence[Report], form: str) -> str:
    """The reports as text in one of FORMATS."""
    text: str = import_module(f"irops.diagnostics.{FORMATS[form]}").render(reports)
    return text
