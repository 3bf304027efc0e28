"""Looking for a case on which a backend fails, and for the smallest such case."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING

from irops.conformance.trial import NoTrial, Trial
from irops.conformance.verdict import Status, Verdict

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Check = Callable[[Trial], Verdict]
"""Raises NoTrial for what cannot be judged."""


class Refuted(Exception):
    """A backend fails on a trial. A subclass for each kind of fault, so that they are shrunk apart."""


class OutOfTime(BaseException):
    """No exception that a search would take for a failure."""


@dataclass(slots=True)
class Search:
    """What a search has found so far. smallest: by kind of fault, the trial and its verdict; tally: of trials before the first failure."""

    check: Check
    seconds: float
    tally: Counter[Verdict] = field(default_factory=Counter)
    smallest: dict[str, tuple[Trial, Verdict]] = field(default_factory=dict)
    limit: float = 0.0

    def run(self, strategy: SearchStrategy[Trial], examples: int, seed: int) -> None:
        """Try trials until there are enough or time is up; where one fails, look for smaller ones for as long again."""
        import hypothesis
        from hypothesis.errors import Flaky
        settings = hypothesis.settings(
            max_examples=examples, database=None, deadline=None, derandomize=False, print_blob=False, report_multiple_bugs=True,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink), suppress_health_check=list(hypothesis.HealthCheck))
        self.limit = monotonic() + self.seconds

        def attempt(trial: Trial) -> None:
            self._try(trial)

        with suppress(Refuted, OutOfTime):                  # all that they could tell is among the smallest
            try:
                settings(hypothesis.seed(seed)(hypothesis.given(strategy)(attempt)))()
            except BaseExceptionGroup as several:
                if several.split((Refuted, Flaky))[1] is not None:
                    raise

    def _try(self, trial: Trial) -> None:
        if monotonic() > self.limit:
            raise OutOfTime
        try:
            verdict = self.check(trial)
        except NoTrial:
            from hypothesis import reject
            reject()
        if verdict.status is Status.FAILED:
            self._note(trial, verdict)
            raise _refuted(verdict.fault)(verdict.reason)
        if not self.smallest:
            self.tally[verdict] += 1

    def _note(self, trial: Trial, verdict: Verdict) -> None:
        if not self.smallest:
            self.limit = monotonic() + self.seconds
        known = self.smallest.get(verdict.fault)
        if known is None or trial.size <= known[0].size:
            self.smallest[verdict.fault] = (trial, verdict)


@cache
def _refuted(fault: str) -> type[Refuted]:
    return type(f"Refuted by {fault}", (Refuted,), {})
