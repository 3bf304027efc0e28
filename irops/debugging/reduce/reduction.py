"""irops.reduce and what it gives back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from irops.analysis.infer import analyse
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.reduce.attempts import Attempts, Budget, OutOfTries, Progress
from irops.debugging.reduce.bisection import narrowed, without_each
from irops.debugging.reduce.bodies import body_cases
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.case_files import write_reproduction
from irops.debugging.reduce.cutting import Cutting
from irops.debugging.reduce.judges import Question
from irops.debugging.reduce.memory import Memory
from irops.debugging.reduce.oracle import Judge, Oracle
from irops.debugging.reduce.recording import Recording
from irops.debugging.reduce.reproduction import Target
from irops.debugging.reduce.shrinking import shrunk
from irops.debugging.reduce.simplifying import (
    in_simpler_types,
    static,
    with_default_attributes,
    with_one_result,
    with_plain_values,
    without_metadata,
)
from irops.debugging.reduce.stored_arrays import StoredArrays
from irops.debugging.reduce.within import with_smaller_bodies
from irops.diagnostics.diagnostic import DiagnosticError
from irops.ir.model import Model
from irops.limits import Limits
from irops.registry import Registry
from irops.values.element import Array

STOPPED_BY_USER = "it was interrupted"


class NoFault(ValueError):
    """The fault does not show in the whole model, so that nothing can be reduced."""


@dataclass(frozen=True)
class Reduction:
    """The smallest model that still fails.

    model, inputs: the case; tries: how many candidates were judged; layers, of: how many layers of the model
    and of the original one compute something, those of bodies included (inputs, results and constants are
    not counted); reason: why the model fails; stopped: why the search ended early, or None; unjudged: how
    many candidates exceeded a limit on a process, and note: which one
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

    def write(self, folder: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write reduced.xml and reduced.bin (or a file of the model's format), inputs.npz and repro.py, a
        program that runs the model with nothing but the runtime and NumPy; where results are compared, also
        expected.npz.

        The folder is made if need be. Returns the names of the files.
        Raises:  OSError
        """
        case = Case(self.model, self.inputs)
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
        return f"{self.layers:,} of {self.of:,} layers after {tries}"

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
    folder: str | os.PathLike[str] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Reduction:
    """The smallest model, with inputs, that still shows a fault. Ctrl-C ends the search and keeps the best.

    inputs: arrays by tensor name, layer name or position. What the reduction preserves is one of:
    oracle: a function of a model and a dict of arrays by input name, which runs in this process; it returns
        whether the fault shows, or a text that names the reason, which then stays the same;
    differs: two sources whose results differ, ("reference", "openvino:CPU"); see irops.compare;
    crashes: a source, such as "openvino", that fails on the model, in a process of its own;
    rule: the code of a rule that irops.check reports; inputs are not needed;
    command: words of a command that exits with 0 if the fault shows; it gets the paths of the model and of
        an .npz file with the inputs as its last arguments, and as IROPS_MODEL and IROPS_INPUTS.
    tries, seconds: how many candidates are judged at most, and for how long; seconds_per_try: for a candidate
    in another process, whose memory limits.process_bytes bounds; a candidate that exceeds it is not judged;
    folder: keeps the outcome of each try, so that a second call goes on where the first
    one ended; progress: called with (tries, their limit, the smallest size so far).
    Raises:  NoFault (a ValueError) if the fault does not show; DiagnosticError for a model that cannot be
        read or inputs that do not fit
    """
    if isinstance(model, ModelAnalysis):
        registry, limits = registry or model.registry, limits or model.limits
    judge = Question(oracle, differs, crashes, rule, command).judge(seconds_per_try, registry, limits)
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    case = _case(analysis, inputs, judge)
    memory = Memory()
    try:
        if folder is not None:
            memory = Memory.of_folder(Path(folder), f"{case.key} {judge.description}")
        attempts = Attempts(
            judge, Budget(tries, seconds), memory, registry=registry, limits=limits, progress=progress
        )
        return _reduction(case, attempts)
    finally:
        memory.close()
        judge.close()


def _case(analysis: ModelAnalysis, inputs: Mapping[str | int, Any] | Iterable[Any], judge: Judge) -> Case:
    """The whole model with arrays for its inputs. Raises: EvaluationError"""
    if not judge.needs_values:
        return Case(analysis.model, {})
    arrays = analysis.signature.arrays(inputs)
    return Case(analysis.model, {port.name: arrays[port.layer.id] for port in analysis.signature.inputs})


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
    )


# The steps of a reduction: layers first, then bodies, then shapes, values and attributes.

SUSPECTS = 3
"""How many single layers are tried before the model is bisected."""
Step = Callable[[Case, Attempts], Case]


def reduced(case: Case, attempts: Attempts) -> Case:
    """The smallest case that is reached in steps that all fail; case must fail.

    Raises:  OutOfTries; attempts.best is then the smallest so far
    """
    case = hoisted(with_fewer_layers(_suspect(case, attempts) or case, attempts), attempts)
    if case.operations > 1 and attempts.judge.has_symptoms:
        with attempts.any_symptom():
            case = hoisted(with_fewer_layers(case, attempts), attempts)
    steps: list[Step] = [with_smaller_bodies, with_one_result, without_metadata]
    if attempts.judge.needs_values:
        steps += [static, shrunk, in_simpler_types, with_default_attributes, with_plain_values]
    for step in steps:
        case = step(case, attempts)
    return with_fewer_layers(case, attempts)


def suspects(case: Case, attempts: Attempts) -> Iterator[Case]:
    """The cases of single layers that the judge suspects."""
    numbers = attempts.judge.suspects(case)
    if not numbers:
        return
    store = StoredArrays()
    try:
        cutting = Cutting(case, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits)
        for number in numbers[:SUSPECTS]:
            with suppress(DiagnosticError):  # what feeds the layer cannot be computed
                yield cutting.part([number], values)
    finally:
        store.close()


def _suspect(case: Case, attempts: Attempts) -> Case | None:
    """The first suspect that fails."""
    return next((part for part in suspects(case, attempts) if attempts.fails(part)), None)


def with_fewer_layers(case: Case, attempts: Attempts) -> Case:
    """The case of few of its operations: bisected first, then without each that can be left out."""
    store = StoredArrays()
    try:
        cutting = Cutting(case, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits) if attempts.judge.needs_values else None
        smallest: dict[tuple[int, ...], Case] = {}

        def fails(operations: Sequence[int]) -> bool:
            try:
                part = cutting.part(operations, values)
            except DiagnosticError:  # the values that feed the part cannot be computed
                return False
            if attempts.fails(part, of_recording=True):
                smallest.clear()  # a case holds its analysis, which is large where the model is
                smallest[tuple(operations)] = part
                return True
            return False

        kept = without_each(narrowed(cutting.operations, fails), fails)
        return smallest.get(tuple(kept), case)
    finally:
        store.close()


def hoisted(case: Case, attempts: Attempts) -> Case:
    """The case of the body in which the fault is, where the body shows it by itself."""
    if not attempts.judge.needs_values:
        return case
    for _, body in body_cases(case, attempts):
        if attempts.fails(body):
            return hoisted(with_fewer_layers(body, attempts), attempts)
    return case
