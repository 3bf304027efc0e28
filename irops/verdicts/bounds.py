"""How far two correct results of an op may be apart, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from irops.values.element import Array, element_type_of
from irops.verdicts.conditioning import sensitivity
from irops.verdicts.floors import floor_of
from irops.verdicts.lengths import LENGTHS, length_of, magnitude
from irops.verdicts.question import MOVING, Question

SAFETY = 8.0
"""By how much an error may exceed its expected size: see lengths.py."""
ULPS = 4.0
"""Units of roundoff within which functions such as exp and tanh are computed, by either side."""
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
STEPPED = ("FakeQuantize",)
"""Ops whose results are constant between jumps: a change of their inputs changes nothing, or is a tie."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on the difference of each element, and what it follows from."""

    values: Array
    basis: str


def is_exact(question: Question) -> bool:
    """Whether an op has one correct result, whatever the order in which it is computed."""
    definition = question.op.definition
    if definition.type in ADDING:
        return question.attributes.get("reduction", "none") in ("none", "min", "max")
    return definition.type in EXACT or definition.category in EXACT_CATEGORIES


def quick_bound(question: Question, truth: Array) -> Bound:
    """A bound that needs nothing but the result; elements within it are not looked at further."""
    kind, arithmetic = element_type_of(truth), question.arithmetic
    units = arithmetic.input_roundoff(kind) if is_exact(question) else ULPS * arithmetic.roundoff(kind)
    basis = "the element type" if is_exact(question) else f"{ULPS:g} units in the last place"
    small = 0.0 if is_exact(question) and not units else arithmetic.smallest(kind)
    with np.errstate(all="ignore"):
        return Bound(units * np.abs(_wide(truth)) + small, basis)


def full_bound(question: Question, truth: Array, output: int) -> Bound | None:
    """The error bound of an op for the inputs of a layer; None for ops whose result is exact.

    Computes the op once for sums, and a few times for other functions.
    """
    if is_exact(question):
        return None
    kind, arithmetic = element_type_of(truth), question.arithmetic
    unit, wide = arithmetic.roundoff(kind), np.abs(_wide(truth))
    with np.errstate(all="ignore"):
        base = ULPS * unit * wide + arithmetic.smallest(kind)
        floor = floor_of(question, truth)
        if floor is not None:
            base = base + 2 * ULPS * unit * floor  # of two functions, one after the other
        if question.type in LENGTHS:
            terms = magnitude(question, output)
            assert terms is not None
            length = length_of(question, truth)
            narrowed = 2 * arithmetic.input_roundoff(kind)
            error = (SAFETY * sqrt(length) * arithmetic.sum_roundoff(kind) + narrowed) * terms
            return Bound(base + error, f"a sum of {length:,} terms")
        if question.type in STEPPED:
            return Bound(base, "the range of its levels")
        change = sensitivity(question, truth, output)
        return Bound(base + SAFETY * change, "its inputs changed by one roundoff")


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
