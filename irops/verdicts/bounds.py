"""How far two correct results of an op may be apart, element by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log2, sqrt

import numpy as np

from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.conditioning import greatest_finite, sensitivity
from irops.verdicts.inner_sums import INNER, inner_error
from irops.verdicts.lengths import LENGTHS, SAFETY, drift_of, growth, length_of, magnitude
from irops.verdicts.question import MOVING, Question

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


def has_exact_kind(op: Op) -> bool:
    """Whether an op moves, chooses or compares elements, whatever its attributes are. Bodies may compute."""
    definition = op.definition
    if definition.bodies:
        return False
    return definition.type in EXACT or definition.category in EXACT_CATEGORIES


def is_exact(question: Question) -> bool:
    """Whether an op has one correct result, whatever the order in which it is computed."""
    if question.type in ADDING:
        return question.attributes.get("reduction", "none") in ("none", "min", "max")
    return has_exact_kind(question.op)


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
        if question.rounding_within is not None:
            return Bound(base + question.rounding_within(truth, output), "what rounding does in its bodies")
        base = base + _flushed_inputs(question, truth, output)
        if question.type in LENGTHS:
            return _bound_of_sum(question, truth, output, base)
        if question.type in STEPPED:
            return Bound(base, "the range of its levels")
        change = SAFETY * sensitivity(question, truth, output)
        if question.type not in INNER:
            return Bound(base + change, "its inputs changed by one roundoff")
        inner = inner_error(question, truth, arithmetic.sum_roundoff(kind))
        return Bound(base + change + inner, "its sums, and of its inputs changed by one roundoff")


def _bound_of_sum(question: Question, truth: Array, output: int, base: Array) -> Bound:
    kind, arithmetic = element_type_of(truth), question.arithmetic
    terms = magnitude(question, question.inputs, output)
    length, unit = length_of(question, truth), arithmetic.sum_roundoff(kind)
    narrowed = 2 * arithmetic.input_roundoff(kind)
    error = (growth(length) * unit + drift_of(question, truth, unit) + narrowed) * terms
    flushed = length * arithmetic.smallest_term(kind)  # every product below the smallest normal number
    if question.type == "ReduceL2":  # the products are squares, of which the root is taken
        flushed = sqrt(flushed)
    return Bound(base + error + flushed, f"a sum of {length:,} terms")


def _flushed_inputs(question: Question, truth: Array, output: int) -> Array | float:
    """The change of each element where inputs that are subnormal numbers count as 0: processors and devices
    may be set so, and a product with a large number is then lost.
    """
    smallest = question.arithmetic.smallest(element_type_of(truth))
    inputs = [
        _flushed(array, smallest) if array is not None and index in question.floats else array
        for index, array in enumerate(question.inputs)
    ]
    if all(one is other for one, other in zip(inputs, question.inputs)):
        return 0.0
    if question.type in LENGTHS:
        lost: Array = magnitude(question, question.inputs, output) - magnitude(question, inputs, output)
        return lost
    try:
        results = [np.asarray(question.again(given)[output]) for given in (question.inputs, inputs)]
    except (Violation, LimitExceeded):
        return 0.0
    if results[0].shape != results[1].shape or results[0].shape != truth.shape:
        return 0.0
    change: Array = np.nan_to_num(np.abs(_wide(results[0]) - _wide(results[1])), posinf=0.0)
    return change


def _flushed(array: Array, smallest: float) -> Array:
    if array.dtype.kind == "c":
        return array
    sizes = np.abs(array.astype(np.float64))
    small = (sizes > 0) & (sizes < smallest)
    return np.where(small, np.zeros_like(array), array) if small.any() else array


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


# Functions whose usual algorithms lose digits: the magnitude of the numbers that cancel.


def _input(question: Question) -> Array:
    """x*(1 + f(x)) where f is near -1."""
    data = question.inputs[0]
    assert data is not None
    magnitude: Array = np.abs(data.astype(np.float64))
    return magnitude


def _one(_: Question) -> Array:
    """exp(x) - 1, log(1 + x), and the like."""
    return np.ones(())


def _alpha(question: Question) -> Array:
    """alpha * (exp(x) - 1)"""
    return np.asarray(abs(float(question.attributes.get("alpha", 1.0))))


def _range(question: Question) -> Array:
    """start + k * step"""
    ends = [float(np.asarray(array).reshape(-1)[0]) for array in question.inputs[:2] if array is not None]
    return np.asarray(max(map(abs, ends), default=0.0))


def _greatest(question: Question) -> Array:
    """Weights from coordinates that are rounded: the error is that of the neighbours, which may be larger."""
    return np.asarray(greatest_finite(_input(question)))


def _levels(question: Question) -> Array:
    """low + level * quantum"""
    ends = [np.abs(array.astype(np.float64)) for array in question.inputs[3:5] if array is not None]
    return np.maximum(*ends)


FLOORS: Mapping[str, Callable[[Question], Array]] = {
    "Gelu": _input,
    "Mish": _input,
    "Swish": _input,
    "HSwish": _input,
    "SoftPlus": _one,
    "Selu": _one,
    "Elu": _alpha,
    "Asinh": _one,
    "Atanh": _one,
    "Acosh": _one,
    "Sinh": _one,
    "Sin": _input,
    "Cos": _input,
    "HardSigmoid": _one,
    "HSigmoid": _one,
    "LogSoftmax": _one,
    "Interpolate": _greatest,
    "GridSample": _greatest,
    "Range": _range,
    "FakeQuantize": _levels,
}
"""By op type: to what magnitude the error of a result is relative, besides the result itself."""


TRANSFORMS = ("DFT", "IDFT", "RDFT", "IRDFT", "STFT", "ISTFT")
"""Fast Fourier transforms add up in about log2(n) steps; their error is relative to the whole spectrum."""


def floor_of(question: Question, truth: Array) -> Array | None:
    """The magnitude of the numbers that cancel in an op; None where none do."""
    if question.type in TRANSFORMS:
        greatest = greatest_finite(truth.astype(np.float64))
        return np.asarray(greatest * log2(truth.size + 1))
    floor = FLOORS.get(question.type)
    if floor is None:
        return None
    if question.op.definition.category in ("activation", "arithmetic"):
        largest = np.asarray(floor(question))
        return largest if largest.shape in ((), truth.shape) else np.asarray(greatest_finite(largest))
    return floor(question)
