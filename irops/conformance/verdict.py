"""The results of testing a backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from irops.diagnostics.printable import Json, Markdown, Markup, in_html, in_markdown, json_text, literal


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


# Output formats of reports: JSON, JUnit XML and Markdown.

VERSION = 1


def as_json(reports: Sequence[Report]) -> Json:
    """{"version": 1, "backends": [{"backend", "ok", "ops": [{"op", "note", "outcomes": [...]}]}]}."""
    return json_text({"version": VERSION, "backends": [_backend(report) for report in reports]})


def _backend(report: Report) -> dict[str, Any]:
    ops = [
        {"op": op.op, "note": op.note, "outcomes": [_outcome(outcome) for outcome in op.outcomes]}
        for op in report.ops
    ]
    return {"backend": report.backend, "ok": report.ok, "ops": ops}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "kind": outcome.kind,
        "case": outcome.case,
        "status": str(outcome.status),
        "count": outcome.count,
        "fault": outcome.verdict.fault,
        "reason": outcome.verdict.reason,
        "snippet": outcome.snippet,
    }


def as_junit(reports: Sequence[Report]) -> Markup:
    """One test suite for each backend and op; declined cases are skipped tests."""
    body = "".join(line for report in reports for op in report.ops for line in _suite(report.backend, op))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="irops'
        f' conformance">\n{body}</testsuites>\n'
    )


def _suite(backend: str, op: OpReport) -> Iterator[Markup]:
    suite = in_html(f"{backend}.{op.op}")
    skipped = sum(o.status is Status.DECLINED for o in op.outcomes)
    yield (
        f'  <testsuite name="{suite}" tests="{len(op.outcomes)}"'
        f' failures="{len(op.failures)}" errors="0" skipped="{skipped}">\n'
    )
    for outcome in op.outcomes:
        many = f" ({outcome.count} cases)" if outcome.kind == "generated" and outcome.count > 1 else ""
        head = f'    <testcase classname="{suite}" name="{in_html(outcome.case + many)}"'
        reason = in_html(outcome.verdict.reason)
        if outcome.status is Status.FAILED:
            text = "\n".join(map(in_html, outcome.snippet.split("\n")))
            yield (
                f'{head}>\n      <failure type="{in_html(outcome.verdict.fault)}"'
                f' message="{reason}">{text}</failure>\n    </testcase>\n'
            )
        elif outcome.status is Status.DECLINED:
            yield f'{head}>\n      <skipped message="{reason}"/>\n    </testcase>\n'
        else:
            yield f"{head}/>\n"
    yield literal("  </testsuite>\n")


def as_markdown(reports: Sequence[Report]) -> Markdown:
    """Two tables: the numbers of passed, declined and failed cases, and the reasons for the latter two."""
    lines = [
        _row("backend", "op", "examples", "counterexamples", "generated", "declined", "failed"),
        literal("|---|---|--:|--:|--:|--:|--:|"),
    ]
    for report in reports:
        for op in report.ops:
            passed = [f"{op.count(kind, Status.PASSED)} of {op.count(kind)}" for kind in KINDS]
            others = (op.count(status=status) for status in (Status.DECLINED, Status.FAILED))
            lines.append(_row(report.backend, op.op, *passed, *map(str, others)))
    why = [
        _row(report.backend, op.op, verb, str(count), reason)
        for report in reports
        for op in report.ops
        for verb, reason, count in reasons(op)
    ]
    if why:
        lines += [literal(""), literal("| backend | op | | cases | why |"), literal("|---|---|---|--:|---|")]
    return "".join(f"{line}\n" for line in (*lines, *why))


def _row(*cells: str) -> Markdown:
    return f"| {' | '.join(map(in_markdown, cells))} |"


def reasons(op: OpReport) -> list[tuple[str, str, int]]:
    """The reasons why cases were declined, the most frequent first, or failed, with their counts."""
    declined = [
        ("declined", reason, count)
        for reason, count in sorted(op.declined.items(), key=lambda item: (-item[1], item[0]))
    ]
    return declined + [("failed", outcome.verdict.reason, outcome.count) for outcome in op.failures]
