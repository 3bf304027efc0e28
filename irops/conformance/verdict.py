"""The results of testing a backend."""

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
    """The result of one case. fault: the kind of failure (wrong result, crash …); reason: its description, or
    why the case was declined.
    """

    status: Status
    reason: str = ""
    fault: str = ""


KINDS = ("example", "counterexample", "generated")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict with its case, or with the number of generated cases that share it. snippet: the case as a
    self-contained program.
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
    """The results for one op. note: why cases are missing."""

    op: str
    outcomes: tuple[Outcome, ...] = ()
    note: str = ""

    def count(self, kind: str | None = None, status: Status | None = None) -> int:
        """The number of cases, optionally of one kind or with one status."""
        return sum(o.count for o in self.outcomes if kind in (None, o.kind) and status in (None, o.status))

    @property
    def failures(self) -> tuple[Outcome, ...]:
        return tuple(o for o in self.outcomes if o.status is Status.FAILED)

    @property
    def declined(self) -> Counter[str]:
        """The number of declined cases by reason."""
        reasons: Counter[str] = Counter()
        for outcome in self.outcomes:
            if outcome.status is Status.DECLINED:
                reasons[outcome.verdict.reason] += outcome.count
        return reasons


@dataclass(frozen=True, slots=True)
class Report:
    """The results for a backend."""

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
        failures = [
            f"{op.op}, {outcome.case}: {outcome.verdict.reason}\n{outcome.snippet}"
            for op, outcome in self.failures()
        ]
        return (
            "\n".join(failures)
            or f"backend {self.backend} conforms on {sum(op.count() for op in self.ops)} cases"
        )
