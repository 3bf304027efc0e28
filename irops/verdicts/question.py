"""A layer of which two results are compared, and how its op computes: exactly, in jumps, or with rounding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from irops.ops.invocation import Invocation
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.verdicts.arithmetic import DECLARED, Arithmetic

# One layer of which two results are compared.

Compute = Callable[[Sequence[Array | None]], Sequence[Any]]
MOVING = ("movement", "shape")
"""Categories of ops that move elements without computing any."""


@dataclass(frozen=True, slots=True)
class Question:
    """A layer and the inputs that both results were computed from.

    again: what the definition gives for other inputs of the same types and shapes; arithmetic: of the second
    result; noisy: of an op with bodies, its outputs with other rounding errors in these, by seed;
    by_definition: whether the definition gives the first result; a runtime or a file may be wrong.
    """

    op: Op
    attributes: Mapping[str, Any]
    inputs: Sequence[Array | None]
    again: Compute
    arithmetic: Arithmetic = DECLARED
    noisy: Callable[[int], Sequence[Array]] | None = None
    by_definition: bool = True

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


def is_float(array: Array) -> bool:
    """Whether the elements are floating-point or complex numbers, narrow ones included."""
    kind = element_type_of(array)
    return kind.floating or kind.kind == "complex"


def _computed(invocation: Invocation, inputs: Sequence[Array | None]) -> Sequence[Any]:
    with np.errstate(all="ignore"):
        return invocation.compute(inputs)


# Ops that have one correct result, in whatever order it is computed, and the error of others.

EXACT_CATEGORIES = (*MOVING, "comparison", "logical", "bitwise", "condition", "type")
EXACT = (
    "Abs",
    "AdaptiveMaxPool",
    "Ceiling",
    "Clamp",
    "Eye",
    "Floor",
    "GatherTree",
    "Identity",
    "MaxPool",
    "Maximum",
    "Minimum",
    "Negative",
    "OneHot",
    "ReLU",
    "ReduceLogicalAnd",
    "ReduceLogicalOr",
    "ReduceMax",
    "ReduceMin",
    "ReorgYolo",
    "Round",
    "SegmentMax",
    "Sign",
    "TopK",
)
"""Ops outside of these categories that give elements of their inputs, or round them as they say."""
ADDING = ("ScatterElementsUpdate", "ScatterNDUpdate", "Col2Im")
"""Ops of a moving category that may add elements up."""


def has_exact_kind(op: Op) -> bool:
    """Whether an op moves, chooses or compares elements, whatever its attributes are."""
    definition = op.definition
    if definition.bodies:
        return False
    return definition.type in EXACT or definition.category in EXACT_CATEGORIES


def is_exact(question: Question) -> bool:
    """Whether an op has one correct result, whatever the order in which it is computed."""
    if question.type in ADDING:
        return question.attributes.get("reduction", "none") in ("none", "min", "max")
    return has_exact_kind(question.op)


# Ops whose results jump as their inputs change: sorting, suppression, nearest neighbours.

DISCRETE_CATEGORIES = ("detection", "sort")
DISCRETE = ("Mod", "FloorMod", "Interpolate", "GridSample", "CTCGreedyDecoder", "CTCGreedyDecoderSeqLen")


def is_discrete(question: Question) -> bool:
    """Whether the result of an op may jump."""
    return question.op.definition.category in DISCRETE_CATEGORIES or question.type in DISCRETE
