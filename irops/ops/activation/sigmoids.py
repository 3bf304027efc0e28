"""Sigmoid-like activations and functions built from them: HardSigmoid, HSigmoid, HSwish, SoftSign, SoftPlus,
Mish.
"""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import on_reals
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import warn_unless


@shape("HSigmoid-5", "HSwish-4")
def shape_of_floats(data: Fact) -> Shape:
    warn_unless(not data.element_type.integral, "C1", data)
    return data.shape


@shape("HardSigmoid-1")
def hard_sigmoid_shape(data: Fact, alpha: Fact, beta: Fact) -> Shape:  # noqa: ARG001
    warn_unless(not data.element_type.integral, "C1", data)
    return data.shape


@kernel("HardSigmoid-1", widen=True)
def hard_sigmoid(data: Array, alpha: Array, beta: Array) -> Array:
    return on_reals(
        lambda x: np.clip(alpha.astype(x.dtype) * x + beta.astype(x.dtype), 0, 1).astype(x.dtype), data
    )


@kernel("HSigmoid-5", widen=True)
def h_sigmoid(data: Array) -> Array:
    return on_reals(lambda x: np.clip(x + 3, 0, 6) / 6, data)


@kernel("HSwish-4", widen=True)
def h_swish(data: Array) -> Array:
    return on_reals(lambda x: x * (np.clip(x + 3, 0, 6) / 6), data)


@kernel("SoftSign-9", widen=True)
def soft_sign(data: Array) -> Array:
    return on_reals(lambda x: x / (1 + np.abs(x)), data)


@kernel("SoftPlus-4", widen=True)
def soft_plus(data: Array) -> Array:
    return on_reals(softplus, data)


@kernel("Mish-4", widen=True)
def mish(data: Array) -> Array:
    return on_reals(lambda x: x * np.tanh(softplus(x)), data)


def softplus(x: Array) -> Array:
    """log(1 + exp(x)), in a form in which exp does not overflow."""
    result: Array = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return result
