"""Judging of candidates within a number of tries and a time, each candidate once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import monotonic

from irops.analysis.checks.run import check
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.memory import Memory, Outcome
from irops.debugging.reduce.oracle import Judge, Unjudged
from irops.diagnostics.diagnostic import EvaluationError
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.session import run

Progress = Callable[[int, int, str], None]
"""Called with the number of tries, their limit, and what the smallest model is so far."""


class OutOfTries(Exception):
    """The tries or the time are used up; the message says which."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many candidates are judged at most, and for how many seconds."""

    tries: int = 150
    seconds: float = inf


class Attempts:
    """The search so far.

    best: the smallest case that fails; tries: how many cases were judged; reason: why the whole model fails,
    which smaller ones must share; unjudged: how many cases exceeded a limit; note: of the last of them
    """

    def __init__(
        self,
        judge: Judge,
        budget: Budget,
        memory: Memory,
        *,
        registry: Registry | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.judge, self.memory, self.registry, self.limits = judge, memory, registry, limits
        self.tries = self.unjudged = self._judged = 0
        self.note = ""
        self.reason: str | None = None
        self.best: Case | None = None
        self._budget, self._end, self._progress = budget, monotonic() + budget.seconds, progress
        self._errors: frozenset[str] = frozenset()
        self._reasons: dict[str, str | None] = {}
        self._any_symptom = False
        self._best_runs: bool | None = None

    def begin(self, case: Case) -> bool:
        """Judge the whole model; whether it fails."""
        self.reason = self._reason(case)
        self._errors = frozenset(self._codes(case)) | self.judge.allowed
        if self.reason is not None:
            self.best = case
            self._reasons[case.key] = self.reason
            self.memory.begin()
        return self.reason is not None

    def fails(self, case: Case, *, of_recording: bool = False) -> bool:
        """Whether a case is valid and fails as the whole model does; it is then the best.

        of_recording: its values come from a run, so that it need not be run to be valid
        Raises:  OutOfTries
        """
        key = case.key
        if key not in self._reasons:
            self._reasons[key] = self._reason(case) if self._is_valid(case, of_recording) else None
        reason = self._reasons[key]
        if reason is None or (reason != self.reason and not self._any_symptom):
            return False
        self.best, self.reason = case, reason
        return True

    @contextmanager
    def any_symptom(self) -> Iterator[None]:
        """Within the block, a case may fail for another reason, which then stays: the cause of the symptom
        in a model from which nothing can be left out is in this model.
        """
        self._any_symptom = self.judge.has_symptoms
        try:
            yield
        finally:
            self._any_symptom = False

    def _reason(self, case: Case) -> str | None:
        remembered = self.memory.reason(case.key)
        if remembered is None:
            if self._judged >= self._budget.tries:
                raise OutOfTries(f"the limit of {self._budget.tries} tries is reached")
            if monotonic() > self._end:
                raise OutOfTries(f"the limit of {self._budget.seconds:g} seconds is reached")
            self._judged += 1
            remembered = self.memory.remember(case.key, self._outcome(case))
        self.tries += 1
        if self._progress is not None:
            best = self.best or case
            self._progress(self.tries, self._budget.tries, f"{best.operations} layers")
        return remembered.reason

    def _outcome(self, case: Case) -> Outcome:
        try:
            return Outcome(self.judge.reason(case))
        except Unjudged as exceeded:
            self.unjudged += 1
            self.note = str(exceeded)
            return Outcome(None, self.note)

    def _is_valid(self, case: Case, of_recording: bool) -> bool:
        """Whether irops accepts a case: no errors beside those of the whole model, and inputs that fit."""
        if not self._errors.issuperset(self._codes(case)):
            return False
        if of_recording or not self.judge.needs_values:
            return True
        if self._best_runs is None:
            self._best_runs = self.best is not None and self._runs(self.best)
        return not self._best_runs or self._runs(case)

    def _runs(self, case: Case) -> bool:
        """Whether irops computes a case."""
        try:
            run(case.analysis(self.registry, self.limits), case.inputs)
        except EvaluationError:
            return False
        return True

    def _codes(self, case: Case) -> set[str]:
        report = check(case.analysis(self.registry, self.limits), limits=self.limits)
        return {finding.code for finding in report.errors}
