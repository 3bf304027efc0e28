"""What a rule is: a fault that has a code, a name and a page."""
from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault that can be found: code (never reused), name (the fault, not the remedy), severity, and its explanation.

    summary: one line, lower case; explanation: what it means, why it matters, what to do, and what OpenVINO does.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    explanation: str
