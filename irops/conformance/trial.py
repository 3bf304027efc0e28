"""One case to hold a backend to: inputs in a layout, attributes; and what the definition says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irops.conformance.layouts import laid_out
from irops.diagnostics.rule import Severity
from irops.invocation import Invocation, OpFault
from irops.runtime.arrays import size_in_bytes
from irops.spec.binding import Function
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.tensors import fact_of, result_array
from irops.values.violation import Violation, collect_warnings


@dataclass(frozen=True, slots=True)
class Given:
    """An input: its elements, and how they lie in memory."""

    array: Array
    layout: str = "plain"


@dataclass(frozen=True, slots=True)
class Trial:
    """Inputs in the order of the definition (None: left out), and the texts of attributes."""

    op: Op = field(repr=False)
    inputs: tuple[Given | None, ...]
    attributes: Mapping[str, str]

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What Hypothesis prints of a trial: not the whole definition."""
        printer.text(f"Trial({self.op.id}, {self.inputs}, {dict(self.attributes)})")

    @property
    def arrays(self) -> list[Array | None]:
        """The inputs, each in its layout; new ones at each call."""
        return [None if given is None else laid_out(given.array, given.layout) for given in self.inputs]

    @property
    def size(self) -> tuple[int, int, int]:
        """What makes a trial small: few elements, few axes, plain layouts."""
        present = [given for given in self.inputs if given is not None]
        return (
            sum(g.array.size for g in present),
            sum(g.array.ndim for g in present),
            sum(g.layout != "plain" for g in present),
        )


@dataclass(frozen=True, slots=True)
class Truth:
    """What must come out (None for an output that is not said), or the number of the constraint that is
    broken.

    unknown: how the reference itself fails, where it does, so that nothing can be said.
    """

    outputs: tuple[Array | None, ...] = ()
    broken: str | None = None
    tolerance: float | None = None
    unknown: str = ""


LARGE = 1 << 27
"""Bytes of outputs up to which a trial is one."""


class NoTrial(Exception):
    """The definition forbids the case by types, shapes or attributes alone: no backend would ever get it."""


def compute(kernel: Function, trial: Trial, arrays: Sequence[Array | None]) -> list[Array]:
    """What a kernel gives for a trial's inputs, as arrays of the inferred types.

    Raises:  NoTrial; whatever the kernel raises
    """
    invocation = _invocation(trial)
    try:
        facts = invocation.infer([None if a is None else fact_of(a) for a in arrays])
    except OpFault as fault:
        raise NoTrial(fault.message) from None
    results = invocation.compute(arrays, kernel=kernel)
    return [result_array(item, fact) for item, fact in zip(results, facts, strict=True)]


def _invocation(trial: Trial) -> Invocation:
    invocation = Invocation(trial.op, trial.attributes)
    if not invocation.usable or invocation.faults:
        raise NoTrial(str([fault.message for fault in invocation.faults]))
    return invocation


def truth_of(trial: Trial) -> Truth:
    """What the definition says: inferred with all values known, then computed by the reference.

    Raises:  NoTrial
    """
    op, arrays = trial.op, trial.arrays
    assert op.functions.kernel is not None
    with collect_warnings() as warnings:
        broken = _broken(trial, arrays)
    if broken is not None:
        return Truth(broken=broken)
    try:
        outputs = compute(op.functions.kernel, trial, arrays)
    except Violation as violation:
        return Truth(broken=violation.constraint)
    except OpFault as fault:
        return Truth(broken=fault.constraint or fault.rule)
    except (NoTrial, MemoryError):
        raise
    except Exception as error:
        if not _errors(op, warnings):
            return Truth(unknown=f"{type(error).__name__}: {error}")
    if _errors(op, warnings):
        raise NoTrial("inference finds a fault that leaves the shapes clear, and kernels need not find it")
    return Truth(tuple(outputs))


def _errors(op: Op, warnings: Sequence[Violation]) -> bool:
    return any(
        op.definition.constraints[warning.constraint].severity is Severity.ERROR for warning in warnings
    )


def _broken(trial: Trial, arrays: Sequence[Array | None]) -> str | None:
    """What inference finds wrong once it knows the values.

    Raises:  NoTrial for what it finds wrong without them, or too large to be tried
    """
    invocation = _invocation(trial)
    try:
        invocation.infer([None if a is None else fact_of(a) for a in arrays])
    except OpFault as fault:
        raise NoTrial(fault.message) from None
    try:
        with np.errstate(all="ignore"):
            facts = invocation.infer([None if a is None else fact_of(a, with_value=True) for a in arrays])
    except OpFault as fault:
        return fault.constraint or fault.rule
    if size_in_bytes(facts) > LARGE:
        raise NoTrial(f"{facts[0]} is too large to be tried")
    return None
