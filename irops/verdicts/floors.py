"""Functions whose usual algorithms lose digits: the magnitude of the numbers that cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log2

import numpy as np

from irops.values.element import Array
from irops.verdicts.conditioning import greatest_finite
from irops.verdicts.question import Question


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
