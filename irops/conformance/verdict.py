"""The results of testing a backend, and their formats: JSON, JUnit XML and Markdown."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from irops.diagnostics.formats import JUnitCase, file_of, suite_of


class Status(StrEnum):
    PASSED = "passed"
    DECLINED = "declined"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The result of one case. fault: the kind of failure (wrong result, crash …); reason: its description, or
    why the case was declined.
    """

    status: Status
    reason: str = ""
    fault: str = ""


KINDS = ("example", "counterexample", "generated")


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """A verdict with its case, or with the number of generated cases that share it. snippet: the case as a
    self-contained program.
    """

    kind: str
    case: str
    verdict: CaseVerdict
    snippet: str = ""
    count: int = 1

    @property
    def status(self) -> Status:
        return self.verdict.status


@dataclass(frozen=True, slots=True)
class OpReport:
    """The results for one op. note: why cases are missing."""

    op: str
    outcomes: tuple[CaseOutcome, ...] = ()
    note: str = ""

    def count(self, kind: str | None = None, status: Status | None = None) -> int:
        """The number of cases, optionally of one kind or with one status."""
        return sum(o.count for o in self.outcomes if kind in (None, o.kind) and status in (None, o.status))

    @property
    def failures(self) -> tuple[CaseOutcome, ...]:
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
class ConformanceReport:
    """The results for a backend."""

    backend: str
    ops: tuple[OpReport, ...] = field(default_factory=tuple)

    @property
    def ok(self) -> bool:
        return not any(op.failures for op in self.ops)

    def failures(self) -> Iterator[tuple[OpReport, CaseOutcome]]:
        for op in self.ops:
            for outcome in op.failures:
                yield op, outcome

    def __str__(self) -> str:
        failed = ((f"{op.op}, {outcome.case}", outcome) for op, outcome in self.failures())
        failures = [f"{case}: {outcome.verdict.reason}\n{outcome.snippet}" for case, outcome in failed]
        conforms = f"backend {self.backend} conforms on {sum(op.count() for op in self.ops)} cases"
        return "\n".join(failures) or conforms


VERSION = 1


def as_json(reports: Sequence[ConformanceReport]) -> str:
    """{"version": 1, "backends": [{"backend", "ok", "ops": [{"op", "note", "outcomes": [...]}]}]}."""
    backends = [_backend(report) for report in reports]
    return json.dumps({"version": VERSION, "backends": backends}, indent=2) + "\n"


def _backend(report: ConformanceReport) -> dict[str, Any]:
    ops = [{"op": op.op, "note": op.note, "outcomes": list(map(_outcome, op.outcomes))} for op in report.ops]
    return {"backend": report.backend, "ok": report.ok, "ops": ops}


def _outcome(outcome: CaseOutcome) -> dict[str, Any]:
    return {
        "kind": outcome.kind,
        "case": outcome.case,
        "status": str(outcome.status),
        "count": outcome.count,
        "fault": outcome.verdict.fault,
        "reason": outcome.verdict.reason,
        "snippet": outcome.snippet,
    }


def as_junit(reports: Sequence[ConformanceReport]) -> str:
    """One test suite for each backend and op; declined cases are skipped tests."""
    from xml.etree.ElementTree import Element  # slow to import

    root = Element("testsuites", name="irops conformance")
    for report in reports:
        for op in report.ops:
            name = f"{report.backend}.{op.op}"
            root.append(suite_of(name, [_case(name, outcome) for outcome in op.outcomes]))
    return file_of(root)


def _case(suite: str, outcome: CaseOutcome) -> JUnitCase:
    many = f" ({outcome.count} cases)" if outcome.kind == "generated" and outcome.count > 1 else ""
    verdict, name = outcome.verdict, outcome.case + many
    match outcome.status:
        case Status.FAILED:
            return JUnitCase(suite, name, failure=(verdict.fault, verdict.reason, outcome.snippet))
        case Status.DECLINED:
            return JUnitCase(suite, name, skipped=verdict.reason)
    return JUnitCase(suite, name)
