"""Activation functions in simpler ops."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

from irops.expansion.expanding import Expanding, OtherFormError, Outputs, RefusedError, ReplacingOp, expansion
from irops.ops.activation.clamp import whole_bounds

NARROW = "narrow types round after each op"

# Piecewise linear functions


@expansion("ReLU-1", "Maximum-1")
def relu(subject: Expanding) -> Outputs:
    data, kind = subject.input("data"), subject.element_type("data")
    zero = subject.like(0, kind)
    if zero.astype(np.float64) != 0:
        raise RefusedError(f"its input is {kind}, which has no 0")
    return Outputs([subject.Maximum(data, zero)])


@expansion("Clamp-1", "Minimum-1")
def clamp(subject: Expanding) -> Outputs:
    """min(max(data, min), max); bounds of integers are rounded inwards."""
    data, kind = subject.input("data"), subject.element_type("data")
    low, high = subject.attributes["min"], subject.attributes["max"]
    if kind.integral:
        low, high = whole_bounds(kind, low, high)
    elif kind.bits < 16:
        raise RefusedError(f"its input is {kind}, which may not have numbers like the bounds")
    raised = subject.Maximum(data, subject.like(low, kind))
    return Outputs([subject.Minimum(raised, subject.like(high, kind))])


@expansion("PReLU-1", "Select-1")
def prelu(subject: Expanding) -> Outputs:
    """slope * data where data is negative."""
    data, slope = subject.input("data"), subject.input("slope")
    kind = subject.element_type("data")
    if kind.floating and kind.bits < 16:
        raise RefusedError(f"its input is {kind}, which may have no 0 to compare with")
    rank = subject.of_rank("data", "slope may lie along its axis 1")
    dims = subject.sizes("slope", "it may lie along axis 1 of data")
    if len(dims) == 1 and rank > 1:
        channels = subject.sizes("data", "")[1]
        if not (dims[0].known and channels.known) and not dims[0] == 1:
            raise RefusedError("slope may lie along axis 1 of data or along the last, as the sizes are")
        if int(dims[0]) == int(channels) if dims[0].known and channels.known else False:
            slope = subject.reshaped(slope, [*dims, *(1,) * (rank - 2)])
    is_negative = subject.Less(data, subject.like(0, kind))
    return Outputs([subject.Select(is_negative, subject.Multiply(data, slope), data)])


@expansion("HardSigmoid-1", "Clamp-1", rounds=NARROW)
def hard_sigmoid(subject: Expanding) -> Outputs:
    """clamp(alpha * data + beta, 0, 1)."""
    subject.real_type("data")
    scaled = subject.Multiply(subject.input("alpha"), subject.input("data"))
    return Outputs([subject.Clamp(subject.Add(scaled, subject.input("beta")), min=0, max=1)])


@expansion("HSigmoid-5", "Divide-1", rounds=NARROW)
def h_sigmoid(subject: Expanding) -> Outputs:
    """clamp(data + 3, 0, 6) / 6."""
    subject.real_type("data")
    clamped = subject.Clamp(subject.Add(subject.input("data"), 3.0), min=0, max=6)
    return Outputs([subject.Divide(clamped, 6.0)])


@expansion("HSwish-4", "Divide-1", rounds=NARROW)
def hard_swish(subject: Expanding) -> ReplacingOp:
    """data * min(max(data + 3, 0), 6) / 6."""
    data, kind = subject.input("data"), subject.element_type("data")
    if not kind.floating:
        raise RefusedError(f"its input is {kind}, for which the quotient is rounded")
    moved = subject.add("Add-1", data, subject.like(3, kind), part="moved")
    clamped = subject.add("Clamp-1", moved, part="clamped", min=0, max=6)
    product = subject.add("Multiply-1", data, clamped, part="product")
    return ReplacingOp([product, subject.like(6, kind)])


# Exponential functions

CANCELS = "exp(x) - 1 cancels near 0, and narrow types round after each op"


def _below(subject: Expanding, data: Any) -> Any:
    """exp(min(data, 0)) - 1."""
    return subject.Subtract(subject.Exp(subject.Minimum(data, 0.0)), 1.0)


@expansion("Elu-1", "Select-1", rounds=CANCELS)
def elu(subject: Expanding) -> Outputs:
    """alpha * (exp(data) - 1) where data is negative."""
    subject.real_type("data")
    data = subject.input("data")
    scaled = subject.Multiply(_below(subject, data), subject.attributes["alpha"])
    return Outputs([subject.Select(subject.Less(data, 0.0), scaled, data)])


@expansion("Selu-1", "Multiply-1", rounds=CANCELS)
def selu(subject: Expanding) -> Outputs:
    """lambda * data, or lambda * alpha * (exp(data) - 1) where data is not positive."""
    subject.real_type("data")
    data = subject.input("data")
    alpha, scale = (subject.reshaped(subject.input(name), []) for name in ("alpha", "lambda_"))
    bent = subject.Multiply(_below(subject, data), alpha)
    return Outputs([subject.Multiply(subject.Select(subject.Greater(data, 0.0), data, bent), scale)])


@expansion("Sigmoid-1", "Divide-1", rounds=NARROW)
def sigmoid(subject: Expanding) -> Outputs:
    """1 / (1 + exp(-data))."""
    subject.real_type("data")
    power = subject.Exp(subject.Negative(subject.input("data")))
    return Outputs([subject.Divide(1.0, subject.Add(power, 1.0))])


@expansion("Swish-4", "Multiply-1", rounds=NARROW)
def swish(subject: Expanding) -> ReplacingOp:
    """data * sigmoid(beta * data)."""
    data, beta = subject.input("data"), subject.optional("beta")
    scaled = data if beta is None else subject.add("Multiply-1", data, beta, part="scaled")
    return ReplacingOp([data, subject.add("Sigmoid-1", scaled, part="sigmoid")])


@expansion("SoftPlus-4", "Add-1", rounds="1 + exp(x) is rounded, and narrow types round after each op")
def soft_plus(subject: Expanding) -> Outputs:
    """max(data, 0) + log(1 + exp(-|data|)), which does not overflow."""
    subject.real_type("data")
    data = subject.input("data")
    power = subject.Exp(subject.Negative(subject.Abs(data)))
    return Outputs([subject.Add(subject.Maximum(data, 0.0), subject.Log(subject.Add(power, 1.0)))])


@expansion("Mish-4", "Multiply-1", rounds=NARROW)
def mish(subject: Expanding) -> Outputs:
    """data * tanh(softplus(data))."""
    subject.real_type("data")
    data = subject.input("data")
    return Outputs([subject.Multiply(data, subject.Tanh(subject.add("SoftPlus-4", data)))])


@expansion("SoftSign-9", "Divide-1", rounds=NARROW)
def soft_sign(subject: Expanding) -> Outputs:
    """data / (1 + |data|)."""
    subject.real_type("data")
    data = subject.input("data")
    return Outputs([subject.Divide(data, subject.Add(subject.Abs(data), 1.0))])


# The Gaussian error linear unit


def _gelu_by_erf(subject: Expanding) -> Outputs:
    """data / 2 * (1 + erf(data / sqrt(2)))."""
    subject.real_type("data")
    data = subject.input("data")
    share = subject.Add(subject.Erf(subject.Divide(data, sqrt(2))), 1.0)
    return Outputs([subject.Multiply(subject.Divide(data, 2.0, part="half"), share)])


@expansion("Gelu-2", "Multiply-1", rounds=NARROW)
def gelu_2(subject: Expanding) -> Outputs:
    return _gelu_by_erf(subject)


@expansion("Gelu-7", "Multiply-1", rounds=NARROW)
def gelu_by_erf(subject: Expanding) -> Outputs:
    if subject.attributes["approximation_mode"] != "erf":
        raise OtherFormError("its approximation mode is tanh")
    return _gelu_by_erf(subject)


@expansion("Gelu-7", "Multiply-1", rounds=NARROW)
def gelu_by_tanh(subject: Expanding) -> Outputs:
    """data / 2 * (1 + tanh(sqrt(2 / pi) * (data + 0.044715 * data^3)))."""
    if subject.attributes["approximation_mode"] != "tanh":
        raise OtherFormError("its approximation mode is erf")
    subject.real_type("data")
    data = subject.input("data")
    cube = subject.Multiply(subject.Multiply(subject.Multiply(data, 0.044715), data), data)
    bent = subject.Tanh(subject.Multiply(subject.Add(data, cube), sqrt(2 / pi)))
    return Outputs([subject.Multiply(subject.Divide(data, 2.0, part="half"), subject.Add(bent, 1.0))])


# Softmax and its logarithm

SUMS = "sums are rounded in another order, and narrow types round after each op"


@expansion("SoftMax-8", "Divide-1", rounds=SUMS)
def soft_max(subject: Expanding) -> Outputs:
    """exp(data - max) / sum, where the maximum is subtracted so that no exponential overflows."""
    return _soft_max(subject)


@expansion("SoftMax-1", "Divide-1", rounds=SUMS)
def soft_max_1(subject: Expanding) -> Outputs:
    return _soft_max(subject)


def _soft_max(subject: Expanding) -> Outputs:
    subject.real_type("data")
    data, axis = subject.input("data"), [subject.attributes["axis"]]
    powers = subject.Exp(subject.Subtract(data, subject.ReduceMax(data, axis, keep_dims=True)))
    return Outputs([subject.Divide(powers, subject.ReduceSum(powers, axis, keep_dims=True))])


@expansion("LogSoftmax-5", "Subtract-1", rounds=NARROW)
def log_softmax(subject: Expanding) -> ReplacingOp:
    """The maximum is subtracted first, so that no exponential overflows."""
    data, axis = subject.input("data"), np.array([subject.attributes["axis"]], np.int64)
    peak = subject.add("ReduceMax-1", data, axis, part="peak", keep_dims=True)
    shifted = subject.add("Subtract-1", data, peak, part="shifted")
    powers = subject.add("Exp-1", shifted, part="powers")
    total = subject.add("ReduceSum-1", powers, axis, part="total", keep_dims=True)
    return ReplacingOp([shifted, subject.add("Log-1", total, part="log")])
