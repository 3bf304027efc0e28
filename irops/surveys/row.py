"""Rows of the table of a survey: one for each cell, which is a model and a task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STATUSES = ("pass", "warn", "unsupported", "fail", "error", "timeout", "memory", "crash", "lost")
"""The best first: pass; warn: only warnings; unsupported: a source declines the model; fail: findings that
are errors, values that differ, a release that does not read it; error: not judged; timeout, memory, crash:
how a bounded process ended; lost: the workers were lost again and again.
"""
SOUND = ("pass", "warn")
"""The statuses of models without a fault."""


@dataclass(frozen=True, slots=True)
class Row:
    """The result of one cell.

    model: its path or URL as it was given; seconds, bytes: what the cell took and read, None where that is
    not known; detail: JSON; key: a digest of all that the result depends on, "" for a result that may be
    another one the next time; irops, runtime: versions of what computed it.
    """

    model: str
    task: str
    status: str
    seconds: float | None
    bytes: int | None
    detail: str
    key: str = ""
    irops: str = ""
    runtime: str = ""

    @property
    def details(self) -> dict[str, Any]:
        """The detail as an object: findings, counts of findings by rule, ops, a message …"""
        content: dict[str, Any] = json.loads(self.detail)
        return content

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings by rule, those that are not listed included."""
        counts: dict[str, int] = self.details.get("counts", {}) if '"counts":' in self.detail else {}
        return counts

    @property
    def is_sound(self) -> bool:
        """Whether the status is pass or warn."""
        return self.status in SOUND

    @property
    def place(self) -> tuple[str, str]:
        """What identifies the cell: model and task."""
        return self.model, self.task

    def __repr__(self) -> str:
        return f"<{self.status}: {self.task} of {self.model}>"


def detail_text(detail: Mapping[str, Any]) -> str:
    """The detail of a row as text: equal for equal content."""
    return json.dumps(detail, sort_keys=True, separators=(",", ":"))


def rank(status: str) -> int:
    """The place of a status among all; the best is 0."""
    return STATUSES.index(status)
