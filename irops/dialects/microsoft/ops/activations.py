"""Activation functions and their sums with biases, as ONNX Runtime fuses them."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from irops.ops.error_function import erf
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

CUBIC = 0.044715
"""The factor of the third power in the approximation of Gelu by tanh."""


def sigmoid(x: Array) -> Array:
    powers = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, powers, x.dtype.type(1)) / (1 + powers), x.dtype)


def gelu_of(x: Array) -> Array:
    return np.asarray(x * (erf(x * x.dtype.type(1 / sqrt(2))) + 1) / 2, x.dtype)


def fast_gelu_of(x: Array) -> Array:
    inner = sqrt(2 / pi) * (x + CUBIC * x * x * x)
    return np.asarray(x / 2 * (1 + np.tanh(inner)), x.dtype)


def add_bias(x: Array, bias: Array | None) -> Array:
    return x if bias is None else x + bias


def check_bias(data: Fact, bias: Fact | None, constraint: str) -> Shape:
    """The shape of data; its last size is that of the bias, if there is one. Raises: Violation"""
    if bias is None or data.shape.rank is None:
        return data.shape
    require(data.shape.rank > 0, constraint, data)
    return data.shape.with_dim(-1, unify(data.shape[-1], bias.shape.of_rank(1, constraint)[0], constraint))


@shape("microsoft:FastGelu-1")
def fast_gelu_shape(X: Fact, bias: Fact | None) -> Shape:
    return check_bias(X, bias, "C1")


@kernel("microsoft:FastGelu-1", widen=True)
def fast_gelu(X: Array, bias: Array | None) -> Array:
    return fast_gelu_of(add_bias(X, bias))


@shape("microsoft:BiasGelu-1")
def bias_gelu_shape(A: Fact, B: Fact) -> Shape:
    return check_bias(A, B, "C1")


@kernel("microsoft:BiasGelu-1", widen=True)
def bias_gelu(A: Array, B: Array) -> Array:
    return gelu_of(A + B)


@kernel("microsoft:QuickGelu-1", widen=True)
def quick_gelu(X: Array, *, alpha: float) -> Array:
    return np.asarray(X * sigmoid(X * X.dtype.type(alpha)))


# The functions that are fused with convolutions and products.

ACTIVATIONS = ("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid", "Elu", "ThresholdedRelu")
DEFAULTS = {"LeakyRelu": (0.01,), "HardSigmoid": (0.2, 0.5), "Elu": (1.0,), "ThresholdedRelu": (1.0,)}


def activated(x: Array, activation: str | None, params: tuple[float, ...]) -> Array:
    """The result of a fused activation; params: its numbers, without which it has those of ONNX."""
    given = tuple(x.dtype.type(number) for number in params or DEFAULTS.get(activation or "", ()))
    if not activation:
        return x
    if activation == "Sigmoid":
        return sigmoid(x)
    if activation == "Clip":
        return np.asarray(np.clip(x, *given) if given else x)
    if activation == "HardSigmoid":
        return np.asarray(np.clip(given[0] * x + given[1], 0, 1))
    if activation == "ThresholdedRelu":
        return np.where(x > given[0], x, x.dtype.type(0))
    if activation in ("Relu", "Tanh"):
        return np.asarray(np.maximum(x, 0) if activation == "Relu" else np.tanh(x))
    return np.where(x >= 0, x, given[0] * (x if activation == "LeakyRelu" else np.expm1(x)))


def check_activation(activation: str | None, constraint: str) -> None:
    require(not activation or activation in ACTIVATIONS, constraint, activation)
