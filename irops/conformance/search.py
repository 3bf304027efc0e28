"""Looking for a case on which a backend fails, and for the smallest such case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from irops.conformance.reduce import reduced
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
    """What a search has found so far. smallest: by kind of fault, the trial and its verdict; tally: of the
    others, before one has failed.
    """

    check: Check
    seconds: float
    tally: Counter[Verdict] = field(default_factory=Counter)
    smallest: dict[str, tuple[Trial, Verdict]] = field(default_factory=dict)
    limit: float = inf
    shrinking: bool = False

    def run(self, sweep: Iterable[Trial], strategy: SearchStrategy[Trial], examples: int, seed: int) -> None:
        """Try trials until there are enough or time is up; where one fails, look for smaller ones for as long
        again.
        """
        import hypothesis
        from hypothesis.errors import Flaky

        settings = hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=True,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        self.limit = monotonic() + self.seconds

        def attempt(trial: Trial) -> None:
            try:
                self._try(trial)
            except NoTrial:
                hypothesis.reject()

        with suppress(Refuted, OutOfTime):  # all that they could tell is among the smallest
            for trial in sweep:
                with suppress(Refuted, NoTrial):
                    self._try(trial)
            self.shrinking = False
            try:
                settings(hypothesis.seed(seed)(hypothesis.given(strategy)(attempt)))()
            except BaseExceptionGroup as several:
                if several.split((Refuted, Flaky))[1] is not None:
                    raise

    def reduce(self) -> None:
        """Cut down what was found, for as long as it takes to find smaller ones at most."""
        self.limit, self.shrinking = monotonic() + self.seconds, True
        for fault, (found, _) in list(self.smallest.items()):

            def fails(trial: Trial, fault: str = fault) -> bool:
                with suppress(NoTrial, Refuted):
                    self._try(trial)
                return self.smallest[fault][0] is trial

            with suppress(OutOfTime):
                reduced(found, fails)

    def _try(self, trial: Trial) -> None:
        if monotonic() > self.limit:
            raise OutOfTime
        verdict = self.check(trial)
        if verdict.status is Status.FAILED:
            self._note(trial, verdict)
            raise _refuted(verdict.fault)(verdict.reason)
        if not self.shrinking:
            self.tally[verdict] += 1

    def _note(self, trial: Trial, verdict: Verdict) -> None:
        if not self.shrinking:
            self.limit, self.shrinking = monotonic() + self.seconds, True
        known = self.smallest.get(verdict.fault)
        if known is None or trial.size <= known[0].size:
            self.smallest[verdict.fault] = (trial, verdict)


@cache
def _refuted(fault: str) -> type[Refuted]:
    return type(f"Refuted by {fault}", (Refuted,), {})
