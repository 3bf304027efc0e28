"""The documentation of a rule or of a band of rules, as text for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irops.cli.page import Page
from irops.diagnostics.printable import paragraphs
from irops.diagnostics.rule import BANDS, Rule
from irops.diagnostics.rules import all_rules


def rules_with_prefix(prefix: str) -> tuple[Rule, ...]:
    """The rules whose codes begin with a prefix of at least two letters, in any case."""
    start = prefix.upper()
    return tuple(one for one in all_rules() if len(start) > 1 and one.code.startswith(start))


def explain_rule(rule: Rule, page: Page) -> None:
    page.title(f"{rule.code} {rule.name} ({rule.severity})")
    page.lines(rule.summary)
    for paragraph in paragraphs(rule.explanation):
        page.paragraph(paragraph)


def explain_band(prefix: str, rules: Sequence[Rule], page: Page) -> None:
    """The rules that share a prefix, one line each, under the name of their band."""
    page.title(f"{prefix} {band_name(prefix)}".rstrip())
    for rule in rules:
        page.entry(f"{rule.code} {rule.name} ({rule.severity})", rule.summary)
    page.paragraph(f"One of them: irops explain {rules[0].code}")


def band_name(prefix: str) -> str:
    """The name of the band that a prefix lies in; empty where it covers several bands or none."""
    return BANDS.get(prefix[:3], "")


def rule_as_json(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": str(rule.severity),
        "band": rule.band,
        "summary": rule.summary,
        "explanation": rule.explanation,
        "custom": rule.band not in BANDS,
    }
