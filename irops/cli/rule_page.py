"""The documentation of a rule or of a band of rules, as text for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irops.cli.page import Page
from irops.diagnostics.printable import paragraphs
from irops.diagnostics.rule import BANDS, Rule


def explain_rule(rule: Rule, page: Page) -> None:
    page.title(f"{rule.code} {rule.name} ({rule.severity})")
    page.lines(rule.summary)
    for paragraph in paragraphs(rule.explanation):
        page.paragraph(paragraph)


def explain_band(prefix: str, band: str, rules: Sequence[Rule], page: Page) -> None:
    """The rules that share a prefix, one line each. band: the name of their band, if it is one"""
    page.title(f"{prefix} {band}".rstrip())
    for rule in rules:
        page.entry(f"{rule.code} {rule.name} ({rule.severity})", rule.summary)
    page.paragraph(f"One of them: irops explain {rules[0].code}")


def rule_as_json(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": str(rule.severity),
        "band": rule.code[:3],
        "summary": rule.summary,
        "explanation": rule.explanation,
        "custom": rule.code[:3] not in BANDS,
    }
