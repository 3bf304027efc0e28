"""What a rule is: a fault that has a code, a name and a page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault that can be found: code (never reused), name (the fault, not the remedy), severity, and its
    explanation.

    summary: one line, lower case; explanation: what it means, why it matters, what to do, and what OpenVINO
        does.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    explanation: str

    @property
    def band(self) -> str:
        """IR2 of IR203: what the rule is about; see irops.diagnostics.rules."""
        return self.code[:3]
