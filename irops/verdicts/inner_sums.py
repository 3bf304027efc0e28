"""The errors of sums within functions: softmax and norms.

A runtime may add the terms of such a sum in any order. Terms t that are added with unit roundoff u give a sum
with an error of at most growth(n)*u*sum|t|; each function below says what this error does to the result of an
op. What the rounding of inputs and of single operations does comes on top of it (conditioning.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import numpy as np

from irops.values.element import Array
from irops.verdicts.lengths import drift, growth
from irops.verdicts.question import Question

InnerError = Callable[[Question, Array, float], Array]
"""The bound on the absolute error of each element. Takes the question, the result, and the unit roundoff of
sums.
"""


def inner_error(question: Question, truth: Array, unit: float) -> Array:
    """The bound on what the sums within an op contribute; 0 for ops without any."""
    error = INNER.get(question.type)
    return np.zeros(()) if error is None else np.nan_to_num(error(question, truth, unit), posinf=0.0)


def _wide(question: Question, index: int) -> Array:
    array = question.inputs[index]
    assert array is not None
    return array.astype(np.float64)


def _axes(question: Question, index: int) -> tuple[int, ...]:
    data, axes = question.inputs[0], question.inputs[index]
    assert data is not None
    assert axes is not None
    return tuple(sorted({int(axis) % data.ndim for axis in axes.reshape(-1)}))


def _relative(terms: Array, axes: tuple[int, ...], unit: float) -> Array:
    """The relative error of a sum of terms that are not negative."""
    length = prod(terms.shape[axis] for axis in axes)
    relative: Array = growth(length) * unit + drift(terms, axes, unit)
    return relative


def _softmax_sum(question: Question, unit: float) -> Array:
    data = _wide(question, 0)
    axis = int(question.attributes["axis"]) % data.ndim
    powers = np.exp(data - data.max(axis, keepdims=True, initial=-np.inf))
    return _relative(np.nan_to_num(powers), (axis,), unit)


def _softmax(question: Question, truth: Array, unit: float) -> Array:
    """y = e/S: the relative error of S is that of y."""
    error: Array = _softmax_sum(question, unit) * np.abs(truth.astype(np.float64))
    return error


def _log_softmax(question: Question, _: Array, unit: float) -> Array:
    """y = x - max - log S: the relative error of S is the absolute error of its logarithm."""
    return _softmax_sum(question, unit)


def _moments(data: Array, axes: tuple[int, ...], epsilon: float, unit: float) -> Array:
    """y = (x - m)/s with s = sqrt(v + epsilon), in two passes.

    m is off by dm = e*mean|x|, v by dv = e'*v + dm^2; so y is off by dm/s + |y|*dv/(2*s^2).
    """
    shift = data.mean(axes, keepdims=True)
    squares = np.square(data - shift)
    variance = squares.mean(axes, keepdims=True)
    of_mean = _relative(np.abs(data), axes, unit) * np.abs(data).mean(axes, keepdims=True)
    of_variance = _relative(squares, axes, unit) * variance + np.square(of_mean)
    total = np.maximum(variance + epsilon, np.finfo(np.float64).tiny)
    deviation = np.sqrt(total)
    error: Array = of_mean / deviation + np.sqrt(squares) / deviation * of_variance / (2 * total)
    return error


def _mvn(question: Question, _: Array, unit: float) -> Array:
    data, attributes = _wide(question, 0), question.attributes
    if len(question.inputs) > 1:
        axes = _axes(question, 1)
    else:
        first = 1 if attributes["across_channels"] else 2
        axes = tuple(attributes.get("reduction_axes") or range(first, data.ndim))
    if not attributes["normalize_variance"]:
        error: Array = _relative(np.abs(data), axes, unit) * np.abs(data).mean(axes, keepdims=True)
        return error
    epsilon = float(attributes["eps"])
    inside = str(attributes.get("eps_mode", "inside_sqrt")).lower() == "inside_sqrt"
    return _moments(data, axes, epsilon if inside else epsilon**2, unit)


def _group_normalization(question: Question, truth: Array, unit: float) -> Array:
    data, scale = _wide(question, 0), _wide(question, 1)
    groups = data.reshape(data.shape[0], int(question.attributes["num_groups"]), -1)
    error = _moments(groups, (2,), float(question.attributes["epsilon"]), unit)
    scaled: Array = error.reshape(data.shape) * np.abs(scale).reshape(-1, *[1] * (truth.ndim - 2))
    return scaled


def _normalize_l2(question: Question, truth: Array, unit: float) -> Array:
    """y = x/sqrt(S): half of the relative error of S."""
    axes = _axes(question, 1)
    return _relative(np.square(_wide(question, 0)), axes, unit) / 2 * np.abs(truth.astype(np.float64))


def _grn(question: Question, truth: Array, unit: float) -> Array:
    return _relative(np.square(_wide(question, 0)), (1,), unit) / 2 * np.abs(truth.astype(np.float64))


INNER: Mapping[str, InnerError] = {
    "SoftMax": _softmax,
    "LogSoftmax": _log_softmax,
    "MVN": _mvn,
    "GroupNormalization": _group_normalization,
    "NormalizeL2": _normalize_l2,
    "GRN": _grn,
}
"""Ops whose results are functions of sums."""
