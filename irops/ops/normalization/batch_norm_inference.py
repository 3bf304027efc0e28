"""BatchNormInference: normalize each channel with a given mean and variance."""

from __future__ import annotations

from functools import reduce

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("BatchNormInference-5")
def batch_norm_inference_shape(data: Fact, gamma: Fact, beta: Fact, mean: Fact, variance: Fact) -> Shape:
    channels = reduce(
        lambda dim, fact: unify(dim, fact.shape[0], "C1"), (gamma, beta, mean, variance), data.shape[1]
    )
    require(channels >= 1, "C2", data)
    return data.shape.with_dim(1, channels)


@shape("BatchNormInference-1")
def gamma_first_shape(gamma: Fact, beta: Fact, data: Fact, mean: Fact, variance: Fact) -> Shape:
    return batch_norm_inference_shape(data, gamma, beta, mean, variance)


@kernel("BatchNormInference-5", widen=True)
def batch_norm_inference(
    data: Array, gamma: Array, beta: Array, mean: Array, variance: Array, *, epsilon: float
) -> Array:
    per_channel = (-1, *(1,) * (data.ndim - 2))
    factor = gamma / np.sqrt(variance + data.dtype.type(epsilon))
    return np.asarray(
        (data - mean.reshape(per_channel)) * factor.reshape(per_channel) + beta.reshape(per_channel)
    )


@kernel("BatchNormInference-1", widen=True)
def gamma_first(
    gamma: Array, beta: Array, data: Array, mean: Array, variance: Array, *, epsilon: float
) -> Array:
    return batch_norm_inference(data, gamma, beta, mean, variance, epsilon=epsilon)
