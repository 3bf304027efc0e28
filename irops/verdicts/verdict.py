"""What is said of two results of one layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from typing import Any

from irops.verdicts.metrics import Metrics


class Verdict(StrEnum):
    """Why two results are equal or differ."""

    EQUAL = "equal"
    ROUNDING = "rounding"
    TIE = "tie"
    RANDOM = "random"
    SKIPPED = "skipped"
    SATURATION = "saturation"
    OVERFLOW = "overflow"
    NOT_FINITE = "not finite"
    WRONG = "wrong"
    FAILED = "failed"

    @property
    def is_fault(self) -> bool:
        """Whether one of the two results must be wrong."""
        return self in FAULTS

    @property
    def severity(self) -> int:
        """Greater for what a reader wants to see first."""
        return SEVERITY.index(self)


SEVERITY = (
    Verdict.EQUAL,
    Verdict.SKIPPED,
    Verdict.ROUNDING,
    Verdict.RANDOM,
    Verdict.TIE,
    Verdict.SATURATION,
    Verdict.OVERFLOW,
    Verdict.NOT_FINITE,
    Verdict.WRONG,
    Verdict.FAILED,
)
FAULTS = frozenset(SEVERITY[SEVERITY.index(Verdict.SATURATION) :])


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one output of a layer. reason: a sentence without a subject; metrics: None where there are
    no two results; output: the index of the output.
    """

    verdict: Verdict
    reason: str = ""
    metrics: Metrics | None = None
    output: int = 0

    @property
    def is_fault(self) -> bool:
        return self.verdict.is_fault

    def to_json(self) -> dict[str, Any]:
        """The judgement for machines."""
        measured = {} if self.metrics is None else {"metrics": self.metrics.to_json()}
        return {"verdict": str(self.verdict), "reason": self.reason, "output": self.output, **measured}


def noted(judgement: Judgement, note: str) -> Judgement:
    """The judgement with a note behind its reason, which makes no fault."""
    return replace(judgement, reason="; ".join(filter(None, (judgement.reason, note))))


def worst(judgements: tuple[Judgement, ...]) -> Judgement:
    """The judgement that decides on a layer; equal where there is none."""
    return max(judgements, key=_gravity, default=Judgement(Verdict.EQUAL))


def _gravity(judgement: Judgement) -> tuple[int, float, bool]:
    metrics = judgement.metrics
    error = 0.0 if metrics is None else metrics.max_abs
    if metrics is not None and metrics.not_finite:
        error = inf
    return judgement.verdict.severity, error, bool(judgement.reason)
