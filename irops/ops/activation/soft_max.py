"""Softmax along one axis, and its logarithm."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import gradient, kernel
from irops.values.element import Array


@kernel("SoftMax-1", "SoftMax-8", widen=True)
def soft_max(data: Array, *, axis: int) -> Array:
    shifted = data - data.max(axis, keepdims=True, initial=-np.inf)  # so that exp does not overflow
    powers = np.exp(shifted)
    result: Array = powers / powers.sum(axis, keepdims=True)
    return result


@gradient("SoftMax-8", widen=True)
def soft_max_gradient(d_output: Array, output: Array, *, axis: int) -> Array:
    product = d_output * output
    result: Array = product - output * product.sum(axis, keepdims=True)
    return result


# LogSoftmax: the logarithm of the softmax along one axis.


@kernel("LogSoftmax-5", widen=True)
def log_softmax(data: Array, *, axis: int) -> Array:
    shifted = data - data.max(axis, keepdims=True, initial=-np.inf)  # so that exp does not overflow
    result: Array = shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
    return result
