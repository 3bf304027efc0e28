"""Activations without parameters: Exp, ReLU, Sigmoid."""

from __future__ import annotations

import numpy as np

from irops.ops.reals import on_numbers, on_reals
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.element import Array
from irops.values.fact import Fact, each_dim
from irops.values.shape import Shape
from irops.values.violation import warn_unless


@shape("Exp-1", "Sigmoid-1")
def shape_of_reals(data: Fact) -> Shape:
    warn_unless(not data.element_type.integral, "C1", data)
    return data.shape


@kernel("Exp-1", widen=True)
def exp(data: Array) -> Array:
    return on_reals(np.exp, data)


@gradient("Exp-1", widen=True)
def exp_gradient(d_output: Array, output: Array) -> Array:
    return d_output * output


@kernel("Sigmoid-1", widen=True)
def sigmoid(data: Array) -> Array:
    return on_reals(logistic, data)


@gradient("Sigmoid-1", widen=True)
def sigmoid_gradient(d_output: Array, output: Array) -> Array:
    result: Array = d_output * output * (1 - output)
    return result


@kernel("ReLU-1", widen=True)
def relu(data: Array) -> Array:
    return on_numbers(_positive_part, data)


@gradient("ReLU-1")
def relu_gradient(d_output: Array, output: Array) -> Array:
    return np.where(output > 0, d_output, d_output.dtype.type(0))


@values("ReLU-1")
def relu_dims(data: Array) -> Array:
    return each_dim(lambda dim: dim.at_least(0), data)


def logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)); where exp overflows to inf, the quotient is 0, which is correct."""
    result: Array = 1 / (1 + np.exp(-x))
    return result


def _positive_part(numbers: Array) -> Array:
    return np.maximum(numbers, 0, dtype=numbers.dtype)
