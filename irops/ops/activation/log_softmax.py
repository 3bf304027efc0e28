"""LogSoftmax: the logarithms of the shares of exponentials along an axis."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel
from irops.values.element import Array


@kernel("LogSoftmax-5", widen=True)
def log_softmax(data: Array, *, axis: int) -> Array:
    below = data - data.max(axis, keepdims=True, initial=-np.inf)
    result: Array = below - np.log(np.exp(below).sum(axis, keepdims=True))
    return result
