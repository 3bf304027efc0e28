"""LRN: local response normalization."""

from __future__ import annotations

from functools import reduce

import numpy as np

from irops.ops.normalization.mvn import canonical_axes, mvn_shape
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
    region_axes, number = canonical_axes(axes, data.ndim), data.dtype.type
    sums = reduce(
        lambda squares, axis: window_sums(squares, axis, (size - 1) // 2), region_axes, np.square(data)
    )
    scale = number(alpha / float(size) ** len(region_axes))
    return np.asarray(data / np.power(number(bias) + scale * sums, number(beta)))


def window_sums(data: Array, axis: int, radius: int) -> Array:
    """For each element, the sum of the elements at distance 0 to radius along an axis."""
    length = data.shape[axis] if data.size else 0
    total = data.copy()
    for distance in range(1, min(radius, length - 1) + 1):
        head, tail = at(axis, slice(0, length - distance)), at(axis, slice(distance, length))
        total[head] += data[tail]
        total[tail] += data[head]
    return total
