"""irops.reduce and what it gives back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.debugging.reduce.attempts import Attempts, Budget, Memory, OutOfTries, Progress
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.case_files import require_folder, write_reproduction
from irops.debugging.reduce.judges import Question
from irops.debugging.reduce.oracle import Judge, Oracle
from irops.debugging.reduce.reproduction import Target
from irops.debugging.reduce.search import reduced, suspects
from irops.files.limits import Limits
from irops.ir.model import Model
from irops.registry import Registry
from irops.values.element import Array

STOPPED_BY_USER = "it was interrupted"


class NoFault(ValueError):
    """The fault does not show in the whole model, so that nothing can be reduced."""


@dataclass(frozen=True)
class Reduction:
    """The smallest model that still fails.

    model, inputs: the case; other: the other model, where two are reduced together, which takes the same
    inputs; tries: how many candidates were judged; layers, of: how many layers of the model and of the
    original one compute something, those of bodies included (inputs, results and constants are not counted);
    reason: why the model fails; stopped: why the search ended early, or None; unjudged: how many candidates
    exceeded a limit on a process, and note: which one
    """

    model: Model = field(repr=False)
    inputs: dict[str, Array] = field(repr=False)
    tries: int
    layers: int
    of: int
    reason: str
    stopped: str | None = None
    unjudged: int = 0
    note: str = ""
    target: Target | None = field(default=None, repr=False)
    expects_results: bool = field(default=False, repr=False)
    registry: Registry | None = field(default=None, repr=False)
    other: Model | None = field(default=None, repr=False)

    def write(self, folder: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write reduced.xml and reduced.bin (or a file of the model's format), inputs.npz and repro.py, a
        program that runs the model with nothing but the runtime and NumPy; where results are compared, also
        expected.npz; where two models are, other.xml and other.bin.

        The folder is made if need be. Returns the names of the files.
        Raises:  OSError
        """
        other = None if self.other is None else Case(self.other, self.inputs)
        case = Case(self.model, self.inputs, other)
        title = f"{self.reason}: {self}"
        return write_reproduction(
            case,
            Path(folder),
            title,
            self.target,
            compared=self.expects_results,
            registry=self.registry,
        )

    def __str__(self) -> str:
        tries = f"{self.tries:,} {'try' if self.tries == 1 else 'tries'}"
        return f"{self.layers:,} of {self.of:,} operations after {tries}"

    def __repr__(self) -> str:
        return f"<Reduction: {self}>"


def reduce(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[str | int, Any] | Iterable[Any] = (),
    oracle: Oracle | None = None,
    *,
    differs: Sequence[Any] | None = None,
    crashes: str | None = None,
    rule: str | None = None,
    command: Sequence[str] | None = None,
    tries: int = 150,
    seconds: float = inf,
    seconds_per_try: float = 120,
    jobs: int = 1,
    folder: str | os.PathLike[str] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Reduction:
    """The smallest model, with inputs, that still shows a fault. Ctrl-C ends the search and keeps the best.

    inputs: arrays by tensor name, layer name or position. What the reduction preserves is one of:
    oracle: a function of a model and a dict of arrays by input name, which runs in this process; it returns
        whether the fault shows, or a text that names the reason, which then stays the same;
    differs: two sources whose results differ, ("reference", "openvino:CPU"); see irops.compare. With
        ("reference", "model:other.xml"), both models are reduced together;
    crashes: a source, such as "openvino", that fails on the model, in a process of its own;
    rule: the code of a rule that irops.check reports; inputs are not needed;
    command: words of a command that exits with 0 if the fault shows; it gets the paths of the model and of
        an .npz file with the inputs as its last arguments, and as IROPS_MODEL and IROPS_INPUTS.
    tries, seconds: how many candidates are judged at most, and for how long; seconds_per_try: for a candidate
    in another process, whose memory limits.process_bytes bounds; a candidate that exceeds it is not judged;
    jobs: how many candidates are judged at the same time, where devices, backends or commands judge them,
    each in processes of its own; the reduction is the same;
    folder: keeps the outcome of each try, so that a second call goes on where the first
    one ended; progress: called with (tries, their limit, the smallest size so far).
    Raises:  NoFault (a ValueError) if the fault does not show; DiagnosticError for a model that cannot be
        read or inputs that do not fit
    """
    if isinstance(model, ModelAnalysis):
        registry, limits = registry or model.registry, limits or model.limits
    question = Question(oracle, differs, crashes, rule, command)
    judge = question.judge(seconds_per_try, registry, limits)
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    case = _case(analysis, inputs, judge)
    memory, judges = Memory(), [judge]
    try:
        if folder is not None:
            require_folder(Path(folder))
            memory = Memory.of_folder(Path(folder), f"{case.key} {judge.description}")
        if judge.waits:
            judges += [question.judge(seconds_per_try, registry, limits) for _ in range(jobs - 1)]
        budget = Budget(tries, seconds)
        attempts = Attempts(judges, budget, memory, registry=registry, limits=limits, progress=progress)
        with closing(attempts):
            return _reduction(case, attempts)
    finally:
        memory.close()
        for one in judges:
            one.close()


def _case(analysis: ModelAnalysis, inputs: Mapping[str | int, Any] | Iterable[Any], judge: Judge) -> Case:
    """The whole model with arrays for its inputs. Raises: EvaluationError"""
    if not judge.needs_values:
        return Case(analysis.model, {})
    arrays = analysis.signature.arrays(inputs)
    case = Case(analysis.model, {port.name: arrays[port.layer.id] for port in analysis.signature.inputs})
    return judge.prepared(case)


def _reduction(case: Case, attempts: Attempts) -> Reduction:
    """Raises: NoFault"""
    if not attempts.begin(case) and not any(map(attempts.begin, suspects(case, attempts))):
        raise NoFault(
            f"the fault does not show in the whole model: {attempts.note or attempts.judge.absence}"
        )
    stopped = None
    try:
        reduced(attempts.best or case, attempts)
    except OutOfTries as limit:
        stopped = str(limit)
    except KeyboardInterrupt:
        stopped = STOPPED_BY_USER
    best = attempts.best or case
    return Reduction(
        best.model,
        dict(best.inputs),
        attempts.tries,
        best.operations,
        case.operations,
        attempts.reason or "",
        stopped,
        attempts.unjudged,
        attempts.note,
        attempts.judge.target,
        attempts.judge.compares_results,
        attempts.registry,
        None if best.other is None else best.other.model,
    )
