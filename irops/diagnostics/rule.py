"""A rule: a kind of error that has a code, a name and an explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from irops.diagnostics.printable import paragraphs


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


CustomCheck: TypeAlias = Callable[[Any, Any], Iterable[tuple[Any, str]]]
"""Takes an irops.Model and what irops.infer gives for it; gives pairs of a layer (None: the model) and a
message.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of error that irops reports.

    code: never reused; name: states the error, not the remedy; summary: one line, lower case; explanation:
    what the error means, why it matters, how to fix it, and what OpenVINO does; one line per paragraph,
    with blank lines between paragraphs; check: finds the errors of a custom rule, see docs/diagnostics.md.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    explanation: str
    check: CustomCheck | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "explanation", "\n\n".join(paragraphs(self.explanation)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the check: findings are sent between processes, and functions of files cannot be."""
        return Rule, (self.code, self.name, self.severity, self.summary, self.explanation)

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
    "OD1": "errors in definitions and custom rules",
}
"""The groups of rules, by the first letters of their codes."""


# Rules about something else than a model: the arguments of a call, or the files themselves.

USAGE_RULES = frozenset(
    (
        "invalid-input-shape",
        "unknown-input",
        "unknown-backend",
        "unavailable-backend",
        "unfillable-input",
        "malformed-settings",
        "unknown-setting",
        "invalid-setting",
    )
)
"""Rules about the arguments of the command, not about the model."""
PATH_RULES = frozenset(
    ("file-not-found", "not-a-file", "unreadable-file", "unwritten-fixes", "unchecked-file", "out-of-memory")
)
"""Rules about files that could not be read, written or checked."""
TRANSIENT = PATH_RULES | {"checking-time-limit", "changed-weights", "interrupted-write"}
"""Rules about something that may be different the next time, although no file changes."""
