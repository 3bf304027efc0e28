"""Activations of one number that are not piecewise linear, and Identity."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from irops.ops.blocks import in_blocks
from irops.ops.conversion import on_numbers, on_reals
from irops.ops.error_function import erf
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


# Swish: x * sigmoid(beta * x).


@shape("Swish-4")
def swish_shape(data: Fact, beta: Fact | None) -> Shape:
    if beta is not None and beta.value is not None:
        warn_unless(not (beta.value < 0).any(), "C1", beta.value.item())
    return data.shape


@kernel("Swish-4", widen=True)
def swish(data: Array, beta: Array | None) -> Array:
    if beta is None:
        return data * logistic(data)
    warn_unless(not (beta < 0).any(), "C1", beta.item())
    return data * logistic(data * beta)


# Gelu: the Gaussian error linear unit, exact with erf or approximated with tanh.


@kernel("Gelu-7", widen=True)
def gelu(data: Array, *, approximation_mode: str) -> Array:
    return in_blocks(by_tanh if approximation_mode == "tanh" else by_erf, data)


@kernel("Gelu-2", widen=True)
def gelu_2(data: Array) -> Array:
    return in_blocks(by_erf, data)


def by_erf(x: Array) -> Array:
    result: Array = x / 2 * (1 + erf(np.asarray(x / sqrt(2))))
    return result


def by_tanh(x: Array) -> Array:
    result: Array = x / 2 * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))
    return result


# Identity: the input, unchanged.


@values("Identity-16")
@kernel("Identity-16")
def identity(data: Array) -> Array:
    return data


@gradient("Identity-16")
def identity_gradient(d_output: Array) -> Array:
    return d_output
