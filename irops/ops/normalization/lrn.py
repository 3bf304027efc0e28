"""LRN: divide every element by a power of the sum of squares around it."""

from __future__ import annotations

from functools import reduce

import numpy as np

from irops.ops.normalization.mvn import mvn_shape, normal
from irops.ops.sliding import at
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("LRN-1")
def lrn_shape(data: Fact, axes: Fact) -> Shape:
    return mvn_shape(data, axes)


@kernel("LRN-1", widen=True)
def lrn(data: Array, axes: Array, *, alpha: float, beta: float, bias: float, size: int) -> Array:
    over, number = normal(axes, data.ndim), data.dtype.type
    sums = reduce(lambda squares, axis: around(squares, axis, (size - 1) // 2), over, np.square(data))
    scale = number(alpha / float(size) ** len(over))
    return np.asarray(data / np.power(number(bias) + scale * sums, number(beta)))


def around(data: Array, axis: int, radius: int) -> Array:
    """For every element the sum of those at most radius away along an axis, itself among them."""
    length = data.shape[axis] if data.size else 0
    total = data.copy()
    for step in range(1, min(radius, length - 1) + 1):
        head, tail = at(axis, slice(0, length - step)), at(axis, slice(step, length))
        total[head] += data[tail]
        total[tail] += data[head]
    return total
