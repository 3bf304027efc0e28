"""Candidates, judged by an oracle within a number of tries and a time, each once; and search among items."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import IO, Protocol, TypeVar

from irops.analysis.checks.run import check
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.reproduction import ReproductionTarget
from irops.diagnostics.diagnostic import EvaluationError
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.files.output import PendingFiles
from irops.ir.model import Model
from irops.runtime.session import run
from irops.values.element import Array

VERSION = 1
FILE = "tries.jsonl"


class OtherReduction(ValueError):
    """A folder has the outcomes of another reduction."""


@dataclass(frozen=True, slots=True)
class TryOutcome:
    """The outcome of a case.

    reason: for which it fails, or None; note: which limit it exceeded, so that it was not judged
    """

    reason: str | None
    note: str = ""


class Memory:
    """Outcomes by the key of the case; with a file, also those of earlier processes."""

    def __init__(self) -> None:
        self._outcomes: dict[str, TryOutcome] = {}
        self._path: Path | None = None
        self._header: dict[str, object] = {}
        self._file: IO[str] | None = None

    @classmethod
    def of_folder(cls, folder: Path, of: str) -> Memory:
        """The outcomes in a folder, but for cases that exceeded a limit, which may be another one now.

        of: the whole model and its oracle
        Raises:  OtherReduction if the folder has the outcomes of another reduction; OSError
        """
        memory = cls()
        memory._path, memory._header = folder / FILE, {"schema_version": VERSION, "of": of}
        lines = memory._path.read_text("utf-8").splitlines() if memory._path.exists() else []
        if lines and _parsed(lines[0]) != memory._header:
            raise OtherReduction(
                f"{memory._path} has the tries of another model, other inputs or another oracle; choose"
                " another folder, or delete the file"
            )
        for line in lines[1:]:
            entry = _parsed(line)
            if isinstance(entry, dict) and isinstance(entry.get("case"), str) and not entry.get("note"):
                memory._outcomes[entry["case"]] = TryOutcome(entry.get("reason"))
        return memory

    def begin(self) -> None:
        """Write outcomes to the file from now on, as it is known that there is something to reduce.

        Raises:  OSError
        """
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = [self._header, *(_entry(key, outcome) for key, outcome in self._outcomes.items())]
        with PendingFiles(self._path) as (file,):
            file.write("".join(f"{json.dumps(line)}\n" for line in lines).encode())
        self._file = self._path.open("a", encoding="utf-8")

    def reason(self, key: str) -> TryOutcome | None:
        """The outcome of a case, if it was judged."""
        return self._outcomes.get(key)

    def remember(self, key: str, outcome: TryOutcome) -> TryOutcome:
        """Keep the outcome of a case."""
        self._outcomes[key] = outcome
        if self._file is not None:
            self._file.write(f"{json.dumps(_entry(key, outcome))}\n")
            self._file.flush()
        return outcome

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _entry(key: str, outcome: TryOutcome) -> dict[str, object]:
    note = {"note": outcome.note} if outcome.note else {}
    return {"case": key, "reason": outcome.reason, **note}


def _parsed(line: str) -> object:
    """A line of the file; None for one that was not written to its end."""
    try:
        return json.loads(line)
    except ValueError:
        return None


Oracle = Callable[[Model, Mapping[str, Array]], object]
"""A function of a model and its inputs: true, or a text that names the reason, if the fault shows. With
texts, a smaller model counts only if its reason is that of the whole model.
"""


class Unjudged(Exception):
    """A case cannot be judged: a process exceeds a limit, or a source declines it; the message says which."""


class InvalidQuestion(ValueError):
    """The property that a reduction shall preserve is not given, given twice, or cannot be preserved."""


class Closeable(Protocol):
    """The objects that hold a process."""

    def close(self) -> None: ...


class Judge(ABC):
    """Judges cases.

    description: the same for equal judges; absence: what is the case if the fault does not show
    """

    needs_values = True
    """Whether cases have values for all inputs, so that they can be run."""
    has_symptoms = False
    """Whether a reason is a symptom, such as NaN, which a smaller model with the same fault may not have."""
    compares_results = False
    """Whether wrong results are the fault."""
    target: ReproductionTarget | None = None
    """The target of a program that shows the fault; None for the runtime of the model's dialect."""
    allowed: frozenset[str] = frozenset()
    """Codes of errors that irops.check may find in a case."""
    opened: Sequence[Closeable] = ()
    """The sources that are closed with the judge."""
    suspected: Collection[int] = ()
    """The ids of layers that are known to be suspicious in the whole model."""
    description: str
    absence: str

    @abstractmethod
    def reason(self, case: Case) -> str | None:
        """Why a case fails; None if it does not.

        Raises:  Unjudged
        """

    def suspects(self, case: Case) -> Sequence[int]:
        """The ids of layers that are likely to fail alone, bodies apart; they are tried first."""
        return [layer.id for layer in case.model.layers if layer.id in self.suspected]

    def close(self) -> None:
        """End what was opened."""
        for source in self.opened:
            source.close()


class FunctionJudge(Judge):
    """A function of a model and its inputs; it runs in this process."""

    absence = "the oracle returns a false value"

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.description = f"function {getattr(oracle, '__qualname__', type(oracle).__name__)}"

    def reason(self, case: Case) -> str | None:
        answer = self._oracle(case.model, dict(case.inputs))
        if isinstance(answer, str):
            return answer or None
        return "the oracle shows a fault" if answer else None


Progress = Callable[[int, int, str], None]
"""Called with the number of tries, their limit, and what the smallest model is so far."""


class OutOfTries(Exception):
    """The tries or the time are used up; the message says which."""


@dataclass(frozen=True, slots=True)
class TryBudget:
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
        budget: TryBudget,
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

    def _outcome(self, case: Case) -> TryOutcome:
        try:
            return TryOutcome(self.judge.reason(case))
        except Unjudged as exceeded:
            self.unjudged += 1
            self.note = str(exceeded)
            return TryOutcome(None, self.note)

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


T = TypeVar("T")
Fails = Callable[[Sequence[T]], bool]


def narrowed(items: Sequence[T], fails: Fails[T]) -> Sequence[T]:
    """A run of neighbours that fails. items must fail.

    Halves are tried first, then a window around the border of halves that fail only together.
    """
    while len(items) > 1:
        middle = len(items) // 2
        if fails(items[:middle]):
            items = items[:middle]
        elif fails(items[middle:]):
            items = items[middle:]
        else:
            return _around(items, middle, fails)
    return items


def _around(items: Sequence[T], middle: int, fails: Fails[T]) -> Sequence[T]:
    """The shortest run of neighbours around a border that is seen to fail."""
    width = 1
    while width < middle:
        window = items[middle - width : middle + width]
        if fails(window):
            items, middle = window, width
            break
        width *= 2
    items = items[: _first(middle + 1, len(items), lambda end: fails(items[:end]))]
    back = _first(1, middle, lambda count: fails(items[middle - count :]))
    return items[middle - back :]


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number for which a statement holds, if it holds for all after it too; it holds for high."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def without_each(items: Sequence[T], fails: Fails[T]) -> Sequence[T]:
    """The items without those that can be left out: long runs first, then shorter ones, at last each
    alone, until none can be left out.
    """
    size = max(len(items) // 2, 1)
    while items:
        before, start = len(items), 0
        while start < len(items):
            fewer = [*items[:start], *items[start + size :]]
            if fewer and fails(fewer):
                items = fewer
            else:
                start += size
        if size == 1 and len(items) == before:
            break
        size = max(size // 2, 1)
    return items
