"""A rule: a kind of error that has a code, a name and an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from irops.diagnostics.printable import paragraphs


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of error that irops reports.

    code: never reused; name: states the error, not the remedy; summary: one line, lower case; explanation:
    what the error means, why it matters, how to fix it, and what OpenVINO does; one line per paragraph,
    with blank lines between paragraphs.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    explanation: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "explanation", "\n\n".join(paragraphs(self.explanation)))

    @property
    def band(self) -> str:
        """The first three characters of the code, IR2 of IR203: the group of the rule; see rules/."""
        return self.code[:3]


BANDS = {
    "IR0": "text",
    "IR1": "structure",
    "IR2": "graph",
    "IR3": "definitions",
    "IR4": "types and shapes",
    "IR5": "weights",
    "IR6": "evaluation",
    "IR7": "settings",
    "IR8": "building graphs",
    "IR9": "other formats, translation, releases",
    "OD1": "errors in definitions",
}
"""The groups of rules, by the first letters of their codes."""
