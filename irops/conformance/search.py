"""Search for cases on which a backend fails, shrunk by Hypothesis and further than it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from irops.conformance.trial import InvalidTrial, Trial, TrialInput
from irops.conformance.verdict import CaseVerdict, Status
from irops.debugging.reduce.case import (
    axes_of,
    counting,
    in_plain_types,
    lower_numbers,
    may_be_parameters,
    shorter,
    sliced,
)
from irops.values.element import STRING, Array, element_type_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def reduced(trial: Trial, fails: Callable[[Trial], bool]) -> Trial:
    """The smallest trial reachable in steps that all fail."""
    step: Trial | None = trial
    while step is not None:
        trial = step
        step = next((smaller for smaller in _smaller(trial) if fails(smaller)), None)
    return trial


def _smaller(trial: Trial) -> Iterator[Trial]:
    """Smaller trials, the largest reductions first."""
    present = {k: item for k, item in enumerate(trial.inputs) if item is not None}
    sizes = {size for trial_input in present.values() for size in trial_input.array.shape if size}
    for size in sorted(sizes, reverse=True):
        for cut in shorter(size):
            yield replace(
                trial,
                inputs=tuple(
                    None if item is None else _cut(item, axes_of(item.array, size), cut)
                    for item in trial.inputs
                ),
            )
    for index, trial_input in present.items():
        for axis, size in enumerate(trial_input.array.shape):
            for cut in shorter(size):
                yield _at(trial, index, _cut(trial_input, {axis}, cut))
    for index, trial_input in present.items():
        if trial_input.layout != "plain":
            yield _at(trial, index, TrialInput(trial_input.array))
        for array in _simpler(trial_input.array):
            yield _at(trial, index, replace(trial_input, array=array))


def _cut(trial_input: TrialInput, axes: set[int], cut: slice) -> TrialInput:
    return replace(trial_input, array=sliced(trial_input.array, axes, cut)) if axes else trial_input


def _simpler(array: Array) -> Iterator[Array]:
    """The same numbers in a plain type, consecutive numbers in place of many elements, lower numbers."""
    kind = element_type_of(array)
    yield from in_plain_types(array)
    if kind is not STRING and not may_be_parameters(array):
        consecutive = counting(array.shape, kind)
        if consecutive.tobytes() != array.tobytes():
            yield consecutive
    yield from lower_numbers(array)


def _at(trial: Trial, index: int, trial_input: TrialInput) -> Trial:
    return replace(trial, inputs=(*trial.inputs[:index], trial_input, *trial.inputs[index + 1 :]))


Check = Callable[[Trial], CaseVerdict]
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
    tally: Counter[CaseVerdict] = field(default_factory=Counter)
    smallest: dict[str, tuple[Trial, CaseVerdict]] = field(default_factory=dict)
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

    def _record(self, trial: Trial, verdict: CaseVerdict) -> None:
        if not self.shrinking:
            self.limit, self.shrinking = monotonic() + self.seconds, True
        smallest_so_far = self.smallest.get(verdict.fault)
        if smallest_so_far is None or trial.size <= smallest_so_far[0].size:
            self.smallest[verdict.fault] = (trial, verdict)


@cache
def _failed_trial_type(fault: str) -> type[FailedTrial]:
    return type(f"FailedTrial: {fault}", (FailedTrial,), {})
