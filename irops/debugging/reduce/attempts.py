"""Judging of candidates within a number of tries and a time, each candidate once."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import IO, Any

from irops.analysis.checks.run import check
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.oracle import Judge, Symptom, Unjudged
from irops.diagnostics.diagnostic import EvaluationError
from irops.diagnostics.printable import in_json
from irops.files.limits import Limits
from irops.ir.pending import Pending, encoded
from irops.ir.regular import bounded_bytes
from irops.registry import Registry
from irops.runtime.session import run
from irops.verdicts.verdict import is_as_large

# The outcomes of tries, kept in a file so that an interrupted reduction goes on where it was.

VERSION = 1
FILE = "tries.jsonl"


class OtherReduction(ValueError):
    """A folder has the outcomes of another reduction."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found of a case.

    symptom: how it fails, or None; note: which limit it exceeded, so that it was not judged
    """

    symptom: Symptom | None
    note: str = ""


class Memory:
    """Outcomes by the key of the case; with a file, also those of earlier processes."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}
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
        lines = (
            bounded_bytes(memory._path).decode("utf-8", "replace").splitlines()
            if memory._path.exists()
            else []
        )
        if lines and _parsed(lines[0]) != memory._header:
            raise OtherReduction(
                f"{memory._path} has the tries of another model, other inputs or another oracle; choose"
                " another folder, or delete the file"
            )
        for line in lines[1:]:
            entry = _parsed(line)
            if isinstance(entry, dict) and isinstance(entry.get("case"), str) and not entry.get("note"):
                memory._outcomes[entry["case"]] = Outcome(_symptom(entry))
        return memory

    def begin(self) -> None:
        """Write outcomes to the file from now on, as it is known that there is something to reduce.

        Raises:  OSError
        """
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = [self._header, *(_entry(key, outcome) for key, outcome in self._outcomes.items())]
        with Pending(self._path) as (file,):
            file.write(encoded("".join(f"{in_json(line)}\n" for line in lines)))
        self._file = self._path.open("a", encoding="utf-8")

    def outcome(self, key: str) -> Outcome | None:
        """The outcome of a case, if it was judged."""
        return self._outcomes.get(key)

    def remember(self, key: str, outcome: Outcome) -> Outcome:
        """Keep the outcome of a case."""
        self._outcomes[key] = outcome
        if self._file is not None:
            self._file.write(f"{in_json(_entry(key, outcome))}\n")
            self._file.flush()
        return outcome

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _entry(key: str, outcome: Outcome) -> dict[str, object]:
    entry: dict[str, object] = {"case": key, "reason": outcome.symptom and outcome.symptom.reason}
    if outcome.symptom is not None and isfinite(outcome.symptom.excess):
        entry["excess"] = outcome.symptom.excess
    if outcome.symptom is not None and outcome.symptom.general:
        entry["general"] = outcome.symptom.general
    if outcome.symptom is not None and outcome.symptom.has_results:
        entry["has_results"] = True
    if outcome.note:
        entry["note"] = outcome.note
    return entry


def _symptom(entry: Mapping[str, Any]) -> Symptom | None:
    reason, excess = entry.get("reason"), entry.get("excess")
    if not isinstance(reason, str):
        return None
    size = float(excess) if isinstance(excess, (int, float)) else inf
    return Symptom(reason, size, str(entry.get("general", "")), entry.get("has_results") is True)


def _parsed(line: str) -> object:
    """A line of the file; None for one that was not written to its end."""
    try:
        return json.loads(line)
    except ValueError:
        return None


# Judging of candidates before it is their turn, in several threads at once.
#
# A judge mostly waits for another process: a device, a backend or a command. Each thread has a judge with
# processes of its own. Outcomes are taken in the order of the search, so that a reduction is the same with
# one judge: of candidates behind one that fails, nothing is taken, and they do not count as tries.


def outcome_of(judge: Judge, case: Case) -> Outcome:
    """What a judge finds of a case."""
    try:
        return Outcome(judge.symptom(case))
    except Unjudged as exceeded:
        return Outcome(None, str(exceeded))


class Ahead:
    """Outcomes of candidates that are judged at the same time, by their keys.

    judges: one for each thread; there are no threads for a single one, which judges when it is asked
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        self._judges = judges
        self._free: SimpleQueue[Judge] = SimpleQueue()
        for judge in judges:
            self._free.put(judge)
        self._found: dict[str, Future[Outcome]] = {}
        self._pool = ThreadPoolExecutor(len(judges)) if len(judges) > 1 else None

    @property
    def count(self) -> int:
        """How many candidates are judged at the same time."""
        return len(self._judges)

    def begin(self, case: Case) -> None:
        """Judge a case as soon as a thread is free."""
        if self._pool is not None and case.key not in self._found:
            self._found[case.key] = self._pool.submit(self._judged, case)

    def outcome(self, case: Case) -> Outcome:
        """The outcome of a case; waits for it, or judges it now."""
        found = self._found.get(case.key)
        return self._judged(case) if found is None else found.result()

    def drop(self) -> None:
        """Leave out the cases that no thread has begun to judge."""
        self._found = {key: found for key, found in self._found.items() if not found.cancel()}

    def close(self) -> None:
        """End the threads, and the processes of all judges."""
        self.drop()
        running = list(self._found.values())
        while running:  # a judge may begin again in a new process, where its process ends
            for judge in self._judges:
                judge.close()
            running = list(wait(running, timeout=0.1).not_done)
        if self._pool is not None:
            self._pool.shutdown()
        for judge in self._judges:
            judge.close()

    def _judged(self, case: Case) -> Outcome:
        judge = self._free.get()
        try:
            return outcome_of(judge, case)
        finally:
            self._free.put(judge)


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
    which smaller ones must share; excess: of the difference of the whole model; unjudged: how many cases
    exceeded a limit; note: of the last of them; judges: equal ones, of which each judges some candidates
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        budget: Budget,
        memory: Memory,
        *,
        registry: Registry | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.judge, self.memory, self.registry, self.limits = judges[0], memory, registry, limits
        self._ahead = Ahead(judges)
        self.tries = self.unjudged = self._judged = 0
        self.note = ""
        self.reason: str | None = None
        self.excess = inf
        self.best: Case | None = None
        self._budget, self._end, self._progress = budget, monotonic() + budget.seconds, progress
        self._errors: frozenset[str] = frozenset()
        self._symptoms: dict[str, Symptom | None] = {}
        self._valid: dict[str, bool] = {}
        self._any_symptom = self._has_results = False
        self._best_runs: bool | None = None

    def begin(self, case: Case) -> bool:
        """Judge the whole model; whether it fails."""
        symptom = self._symptom(case)
        self._errors = frozenset(self._codes(case)) | self.judge.allowed
        if symptom is None:
            return False
        self.reason, self.excess, self.best = symptom.reason, symptom.excess, case
        self._has_results = symptom.has_results
        self._symptoms[case.key] = symptom
        self.memory.begin()
        return True

    def fails(self, case: Case, *, of_recording: bool = False) -> bool:
        """Whether a case is valid and fails as the whole model does; it is then the best.

        of_recording: its values come from a run, so that it need not be run to be valid
        Raises:  OutOfTries
        """
        key = case.key
        if key not in self._symptoms:
            self._symptoms[key] = self._symptom(case) if self._is_accepted(case, of_recording) else None
        symptom = self._symptoms[key]
        if symptom is None or not self._is_the_fault(symptom):
            return False
        self.best, self.reason = case, symptom.reason
        return True

    def first(self, cases: Iterable[Case | None], *, of_recording: bool = False) -> tuple[int, Case] | None:
        """The first of some cases that fails, as in fails, and its number; None stands for no case.

        Those after it may be judged at the same time, if there are several judges.
        Raises:  OutOfTries
        """
        coming, waiting = enumerate(cases), deque[tuple[int, Case | None]]()
        try:
            while True:
                while len(waiting) < self._ahead.count and (new := next(coming, None)) is not None:
                    self._begin(new[1], of_recording)
                    waiting.append(new)
                if not waiting:
                    return None
                number, case = waiting.popleft()
                if case is not None and self.fails(case, of_recording=of_recording):
                    return number, case
        finally:
            self._ahead.drop()

    def first_case(self, cases: Iterable[Case]) -> Case | None:
        """The first of some cases that fails."""
        found = self.first(cases)
        return None if found is None else found[1]

    def close(self) -> None:
        """End the judges."""
        self._ahead.close()

    def _begin(self, case: Case | None, of_recording: bool) -> None:
        """Have a case judged before it is its turn, if it is not known yet."""
        if case is None or self._ahead.count == 1 or case.key in self._symptoms:
            return
        if self.memory.outcome(case.key) is None and self._is_accepted(case, of_recording):
            self._ahead.begin(case)

    def _is_the_fault(self, symptom: Symptom) -> bool:
        """Whether a case fails as the whole model does: for its reason, and by a difference of its size.

        A part of a model may give no results, because it is no model that a runtime expects; that is not why
        the whole one gives wrong results.
        """
        is_same = self.reason in (symptom.reason, symptom.general)
        if not is_same and not (self._any_symptom and symptom.has_results is self._has_results):
            return False
        return is_as_large(symptom.excess, self.excess)

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

    def _symptom(self, case: Case) -> Symptom | None:
        remembered = self.memory.outcome(case.key)
        if remembered is None:
            if self._judged >= self._budget.tries:
                raise OutOfTries(f"the limit of {self._budget.tries} tries is reached")
            if monotonic() > self._end:
                raise OutOfTries(f"the limit of {self._budget.seconds:g} seconds is reached")
            self._judged += 1
            remembered = self.memory.remember(case.key, self._ahead.outcome(case))
            if remembered.note:
                self.unjudged += 1
                self.note = remembered.note
        self.tries += 1
        if self._progress is not None:
            best = self.best or case
            self._progress(self.tries, self._budget.tries, f"{best.operations} operations")
        return remembered.symptom

    def _is_accepted(self, case: Case, of_recording: bool) -> bool:
        """As _is_valid, which is asked once."""
        if case.key not in self._valid:
            self._valid[case.key] = self._is_valid(case, of_recording)
        return self._valid[case.key]

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
