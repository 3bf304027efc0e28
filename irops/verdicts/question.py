"""One layer of which two results are compared: the precision of either, and the words of a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from math import inf
from typing import Any

import ml_dtypes
import numpy as np

from irops.analysis.invocation import Invocation
from irops.spec.op import Op
from irops.values.element import Array, ElementType, element_type, element_type_of
from irops.verdicts.metrics import Metrics, as_numbers

FLOATS = {
    name: ml_dtypes.finfo(element_type(name).dtype)  # type: ignore[no-untyped-call]
    for name in ("f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1")
}
ROUNDOFF = {name: float(limits.eps) / 2 for name, limits in FLOATS.items()}
"""The unit roundoff of each floating type: half of the distance from 1 to the next number."""
GREATEST = {name: float(limits.max) for name, limits in FLOATS.items()}
"""The greatest finite number of each floating type."""
SMALLEST = {"f64": 2.0**-1022, "f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-24}
"""The smallest normal number, which may be flushed to 0; f16 has so few that its subnormals are kept."""
COMPLEX = {"complex64": "f32", "complex128": "f64"}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How a source computes. precision: the name of the type that floating tensors of more bits are rounded
    to ("bf16"), empty where each layer computes in the types that it declares; converted: types without
    kernels, each with the type that is computed in its place.
    """

    precision: str = ""
    converted: tuple[tuple[str, str], ...] = ()

    def integers_in(self, kind: ElementType) -> ElementType:
        """The type in which integers of a type are computed."""
        return element_type(dict(self.converted).get(kind.name, kind.name))

    def computed_in(self, kind: ElementType) -> str:
        """The type in which elements of a floating type are multiplied."""
        name = COMPLEX.get(kind.name, kind.name)
        name = dict(self.converted).get(name, name)
        if self.precision and ROUNDOFF.get(name, 1.0) < ROUNDOFF[self.precision]:
            return self.precision
        return name

    def no_finer_than(self, *kinds: ElementType) -> Arithmetic:
        """The arithmetic in the narrowest of these types and of its own precision."""
        names = [name for name in (self.precision, *(kind.name for kind in kinds)) if name in ROUNDOFF]
        return replace(self, precision=max(names, key=ROUNDOFF.__getitem__, default=""))

    def narrows(self, kind: ElementType) -> bool:
        """Whether elements of a type are rounded to another one."""
        return self.computed_in(kind) != COMPLEX.get(kind.name, kind.name)

    def roundoff(self, kind: ElementType) -> float:
        """The unit roundoff of results of a type."""
        return ROUNDOFF.get(self.computed_in(kind), 0.0)

    def sum_roundoff(self, kind: ElementType) -> float:
        """The unit roundoff of sums that give a type: narrow types are added in f32."""
        return min(self.roundoff(kind), ROUNDOFF["f32"]) if self.roundoff(kind) else 0.0

    def input_roundoff(self, kind: ElementType) -> float:
        """The relative error of an input before anything is computed."""
        return self.roundoff(kind) if self.narrows(kind) else 0.0

    def smallest(self, kind: ElementType) -> float:
        """The absolute error that flushing subnormal numbers makes."""
        return SMALLEST.get(self.computed_in(kind), 0.0)

    def smallest_term(self, kind: ElementType) -> float:
        """The absolute error of a sum where one subnormal term is flushed; narrow types are added in f32."""
        return SMALLEST["f64" if self.computed_in(kind) == "f64" else "f32"]

    def greatest(self, kind: ElementType) -> float:
        """The greatest finite number."""
        return GREATEST.get(self.computed_in(kind), GREATEST["f64"])

    def greatest_numbers(self, kind: ElementType) -> tuple[float, ...]:
        """The greatest finite numbers of a type, and of that which its elements are computed in."""
        return self.greatest(kind), GREATEST.get(COMPLEX.get(kind.name, kind.name), GREATEST["f64"])

    def overflow(self, kind: ElementType) -> float:
        """The least number that rounds to infinity: half a unit beyond the greatest one."""
        greatest, unit = self.greatest(kind), self.roundoff(kind)
        return inf if greatest == GREATEST["f64"] else greatest * (1 + unit / (2 - 2 * unit))


DECLARED = Arithmetic()
"""Each layer computes in the types that it declares."""


Compute = Callable[[Sequence[Array | None]], Sequence[Any]]
MOVING = ("movement", "shape")
"""Categories of ops that move elements without computing any."""


@dataclass(frozen=True, slots=True)
class Question:
    """A layer and the inputs that both results were computed from.

    again: what the definition gives for other inputs of the same types and shapes; arithmetic: of the second
    result; input_errors: by index, how far elements of inputs may be from those that the second result was
    computed from, where that was computed through a whole model; rounding_within: of an op with bodies, how
    far rounding in these may change an output, which is given with its index.
    """

    op: Op
    attributes: Mapping[str, Any]
    inputs: Sequence[Array | None]
    again: Compute
    arithmetic: Arithmetic = DECLARED
    input_errors: Mapping[int, Array] = field(default_factory=dict)
    rounding_within: Callable[[Array, int], Array] | None = None

    @classmethod
    def of(
        cls, invocation: Invocation, inputs: Sequence[Array | None], arithmetic: Arithmetic = DECLARED
    ) -> Question:
        """The question for an op without bodies and state."""
        again = partial(_computed, invocation)
        return cls(invocation.op, invocation.attributes, inputs, again, arithmetic)

    @property
    def type(self) -> str:
        return self.op.definition.type

    @property
    def floats(self) -> tuple[int, ...]:
        """The indices of floating inputs."""
        return tuple(k for k, array in enumerate(self.inputs) if array is not None and is_float(array))

    def input_error(self, index: int) -> Array:
        """How far elements of a floating input may be from those that the second result was computed from:
        errors of those before it, and the rounding to the type that is computed in.
        """
        array = self.inputs[index]
        if array is None or index not in self.floats:
            return np.zeros(())
        with np.errstate(invalid="ignore"):  # 0 times infinity
            error: Array = self.arithmetic.input_roundoff(element_type_of(array)) * np.abs(as_numbers(array))
        return np.nan_to_num(error, posinf=0.0) + self.input_errors.get(index, 0.0)


def is_float(array: Array) -> bool:
    """Whether the elements are floating-point or complex numbers, narrow ones included."""
    kind = element_type_of(array)
    return kind.floating or kind.kind == "complex"


def _computed(invocation: Invocation, inputs: Sequence[Array | None]) -> Sequence[Any]:
    with np.errstate(all="ignore"):
        return invocation.compute(inputs)


class Verdict(StrEnum):
    """Why two results are equal or differ; what a reader wants to see first comes last."""

    EQUAL = "equal"
    SKIPPED = "skipped"
    ROUNDING = "rounding"
    RANDOM = "random"
    TIE = "tie"
    MASKED = "masked"
    SATURATION = "saturation"
    OVERFLOW = "overflow"
    NOT_FINITE = "not finite"
    WRONG = "wrong"
    FAILED = "failed"

    @property
    def is_fault(self) -> bool:
        """Whether one of the two results must be wrong."""
        return self in FAULTS

    @property
    def severity(self) -> int:
        """Greater for what a reader wants to see first."""
        return SEVERITY.index(self)


SEVERITY = tuple(Verdict)
AGREEING = (Verdict.EQUAL, Verdict.ROUNDING, Verdict.TIE)
FAULTS = frozenset(SEVERITY[SEVERITY.index(Verdict.SATURATION) :])


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one output of a layer. reason: a sentence without a subject; metrics: None where there are
    no two results; output: the index of the output.
    """

    verdict: Verdict
    reason: str = ""
    metrics: Metrics | None = None
    output: int = 0

    @property
    def is_fault(self) -> bool:
        return self.verdict.is_fault

    def to_json(self) -> dict[str, Any]:
        """The judgement for machines."""
        measured = {} if self.metrics is None else {"metrics": self.metrics.to_json()}
        return {"verdict": str(self.verdict), "reason": self.reason, "output": self.output, **measured}


def noted(judgement: Judgement, note: str) -> Judgement:
    """The judgement with a note behind its reason, which makes no fault."""
    return replace(judgement, reason="; ".join(filter(None, (judgement.reason, note))))


def worst(judgements: tuple[Judgement, ...]) -> Judgement:
    """The judgement that decides on a layer; equal where there is none."""
    return max(judgements, key=gravity, default=Judgement(Verdict.EQUAL))


def gravity(judgement: Judgement) -> tuple[int, float, bool]:
    """The order of judgements: the greatest is the worst."""
    metrics = judgement.metrics
    error = 0.0 if metrics is None else metrics.max_abs
    if metrics is not None and metrics.not_finite:
        error = inf
    return judgement.verdict.severity, error, bool(judgement.reason)  # of equals, one that says why
