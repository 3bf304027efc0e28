"""Search for cases on which a backend fails, and shrink them."""

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
from irops.conformance.trial import InvalidTrial, Trial
from irops.conformance.verdict import Status, Verdict

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Check = Callable[[Trial], Verdict]
"""Raises InvalidTrial for a trial that cannot be judged."""


class FailedTrial(Exception):
    """A backend fails on a trial. Each kind of fault has a subclass, so that they are shrunk separately."""


class OutOfTime(BaseException):
    """The time limit is reached. Not an Exception, so that Hypothesis does not treat it as a failure."""


@dataclass(slots=True)
class Search:
    """The state of a search.

    smallest: the smallest failing trial and its verdict, by kind of fault; tally: the verdicts of the other
    trials before the first failure.
    """

    check: Check
    seconds: float
    tally: Counter[Verdict] = field(default_factory=Counter)
    smallest: dict[str, tuple[Trial, Verdict]] = field(default_factory=dict)
    limit: float = inf
    shrinking: bool = False

    def run(self, sweep: Iterable[Trial], strategy: SearchStrategy[Trial], examples: int, seed: int) -> None:
        """Run trials until `examples` or the time limit is reached; after a failure, shrink for as long
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
            except InvalidTrial:
                hypothesis.reject()

        with suppress(FailedTrial, OutOfTime):  # the failures are recorded in self.smallest
            for trial in sweep:
                with suppress(FailedTrial, InvalidTrial):
                    self._try(trial)
            self.shrinking = False
            try:
                settings(hypothesis.seed(seed)(hypothesis.given(strategy)(attempt)))()
            except BaseExceptionGroup as group:
                if group.split((FailedTrial, Flaky))[1] is not None:
                    raise

    def reduce(self) -> None:
        """Reduce the failing trials further, within the time limit."""
        self.limit, self.shrinking = monotonic() + self.seconds, True
        for fault, (trial, _) in list(self.smallest.items()):

            def fails(trial: Trial, fault: str = fault) -> bool:
                with suppress(InvalidTrial, FailedTrial):
                    self._try(trial)
                return self.smallest[fault][0] is trial

            with suppress(OutOfTime):
                reduced(trial, fails)

    def _try(self, trial: Trial) -> None:
        if monotonic() > self.limit:
            raise OutOfTime
        verdict = self.check(trial)
        if verdict.status is Status.FAILED:
            self._record(trial, verdict)
            raise _failed_trial_type(verdict.fault)(verdict.reason)
        if not self.shrinking:
            self.tally[verdict] += 1

    def _record(self, trial: Trial, verdict: Verdict) -> None:
        if not self.shrinking:
            self.limit, self.shrinking = monotonic() + self.seconds, True
        smallest_so_far = self.smallest.get(verdict.fault)
        if smallest_so_far is None or trial.size <= smallest_so_far[0].size:
            self.smallest[verdict.fault] = (trial, verdict)


@cache
def _failed_trial_type(fault: str) -> type[FailedTrial]:
    return type(f"FailedTrial: {fault}", (FailedTrial,), {})
