"""The documentation of a rule or of a band of rules, as text for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from irops.cli.page import TextPage
from irops.diagnostics.printable import paragraphs


class RuleText(Protocol):
    """What is documented of a rule."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def explanation(self) -> str: ...


def explain_rule(rule: RuleText, page: TextPage) -> None:
    page.title(f"{rule.code} {rule.name} ({rule.severity})")
    page.lines(rule.summary)
    for paragraph in paragraphs(rule.explanation):
        page.paragraph(paragraph)


def explain_band(prefix: str, band: str, rules: Sequence[RuleText], page: TextPage) -> None:
    """The rules that share a prefix, one line each. band: the name of their band, if it is one"""
    page.title(f"{prefix} {band}".rstrip())
    for rule in rules:
        page.entry(f"{rule.code} {rule.name} ({rule.severity})", rule.summary)
    page.paragraph(f"One of them: irops explain {rules[0].code}")


def rule_as_json(rule: RuleText, bands: Mapping[str, str]) -> dict[str, Any]:
    """bands: those of irops, by their prefix"""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": str(rule.severity),
        "band": rule.code[:3],
        "summary": rule.summary,
        "explanation": rule.explanation,
        "custom": rule.code[:3] not in bands,
    }
