"""LogSoftmax: the logarithm of the softmax along one axis."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel
from irops.values.element import Array


@kernel("LogSoftmax-5", widen=True)
def log_softmax(data: Array, *, axis: int) -> Array:
    shifted = data - data.max(axis, keepdims=True, initial=-np.inf)  # so that exp does not overflow
    result: Array = shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
    return result
