"""What was found of a backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    PASSED = "passed"
    DECLINED = "declined"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one case. fault: which kind of failure (wrong result, crash …); reason: what exactly, or why it was
    declined.
    """

    status: Status
    reason: str = ""
    fault: str = ""


KINDS = ("example", "counterexample", "generated")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict and its case, or how many generated cases it is that of. snippet: the case as a program that
    can be pasted.
    """

    kind: str
    case: str
    verdict: Verdict
    snippet: str = ""
    count: int = 1

    @property
    def status(self) -> Status:
        return self.verdict.status


@dataclass(frozen=True, slots=True)
class OpReport:
    """What was found of one op. note: why there is less than might be expected."""

    op: str
    outcomes: tuple[Outcome, ...] = ()
    note: str = ""

    def count(self, kind: str | None = None, status: Status | None = None) -> int:
        """How many cases there were, of a kind, with a status."""
        return sum(o.count for o in self.outcomes if kind in (None, o.kind) and status in (None, o.status))

    @property
    def failures(self) -> tuple[Outcome, ...]:
        return tuple(o for o in self.outcomes if o.status is Status.FAILED)

    @property
    def declined(self) -> Counter[str]:
        """The reasons for which cases were declined, and how many."""
        reasons: Counter[str] = Counter()
        for outcome in self.outcomes:
            if outcome.status is Status.DECLINED:
                reasons[outcome.verdict.reason] += outcome.count
        return reasons


@dataclass(frozen=True, slots=True)
class Report:
    """What was found of a backend; ok where nothing failed."""

    backend: str
    ops: tuple[OpReport, ...] = field(default_factory=tuple)

    @property
    def ok(self) -> bool:
        return not any(op.failures for op in self.ops)

    def failures(self) -> Iterator[tuple[OpReport, Outcome]]:
        for op in self.ops:
            for outcome in op.failures:
                yield op, outcome

    def __str__(self) -> str:
        told = [
            f"{op.op}, {outcome.case}: {outcome.verdict.reason}\n{outcome.snippet}"
            for op, outcome in self.failures()
        ]
        return (
            "\n".join(told)
            or f"backend {self.backend} conforms on {sum(op.count() for op in self.ops)} cases"
        )
