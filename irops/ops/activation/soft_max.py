"""SoftMax: along an axis, exponentials scaled so that they sum to 1."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import gradient, kernel
from irops.values.element import Array


@kernel("SoftMax-1", "SoftMax-8", widen=True)
def soft_max(data: Array, *, axis: int) -> Array:
    powers = np.exp(
        data - data.max(axis, keepdims=True, initial=-np.inf)
    )  # shifted: the greatest power is 1, none overflows
    scaled: Array = powers / powers.sum(axis, keepdims=True)
    return scaled


@gradient("SoftMax-8", widen=True)
def soft_max_gradient(d_output: Array, output: Array, *, axis: int) -> Array:
    weighed = d_output * output
    reached: Array = weighed - output * weighed.sum(axis, keepdims=True)
    return reached
