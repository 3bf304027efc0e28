"""What is said of two results of one layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, isnan
from typing import Any, Protocol

from irops.verdicts.metrics import Metrics, number
from irops.verdicts.tolerances import DEFINITE, FAR


class Verdict(StrEnum):
    """Why two results are equal or differ."""

    EQUAL = "equal"
    ROUNDING = "rounding"
    TIE = "tie"
    NO_EFFECT = "no effect"
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
    Verdict.NO_EFFECT,
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
    no two results; output: the index of the output; excess: the greatest quotient of difference and allowed
    difference: at most 1 for rounding, above 1 for a fault, inf where no difference is allowed (integers,
    NaN); 1 for ties, 0 for other verdicts.
    """

    verdict: Verdict
    reason: str = ""
    metrics: Metrics | None = None
    output: int = 0
    excess: float = 0.0

    @property
    def is_fault(self) -> bool:
        return self.verdict.is_fault

    def to_json(self) -> dict[str, Any]:
        """The judgement for machines."""
        measured = {} if self.metrics is None else {"metrics": self.metrics.to_json()}
        return {
            "verdict": str(self.verdict),
            "reason": self.reason,
            "output": self.output,
            "excess": number(self.excess),
            **measured,
        }


def worst(judgements: tuple[Judgement, ...]) -> Judgement:
    """The judgement that decides on a layer; equal where there is none."""
    return max(judgements, key=_gravity, default=Judgement(Verdict.EQUAL))


def _gravity(judgement: Judgement) -> tuple[int, float]:
    error = 0.0 if judgement.metrics is None else judgement.metrics.max_abs
    return judgement.verdict.severity, 0.0 if isnan(error) else error


def is_as_large(excess: float, whole: float) -> bool:
    """Whether a difference within a part of a model may be why the results of the whole one differ."""
    return excess >= (whole / FAR if isfinite(whole) else DEFINITE)


class HasJudgement(Protocol):
    """What a judgement was made of."""

    @property
    def judgement(self) -> Judgement: ...


class Judged:
    """The parts of the judgement of a layer or a result."""

    __slots__ = ()

    @property
    def verdict(self: HasJudgement) -> Verdict:
        return self.judgement.verdict

    @property
    def reason(self: HasJudgement) -> str:
        return self.judgement.reason

    @property
    def metrics(self: HasJudgement) -> Metrics | None:
        return self.judgement.metrics

    @property
    def is_fault(self: HasJudgement) -> bool:
        return self.judgement.is_fault
