"""Normalization by norms, over axes or neighbouring channels."""

from __future__ import annotations

from functools import reduce

import numpy as np

from irops.ops.normalization.mvn import canonical_axes, mvn_shape
from irops.ops.sliding import at
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("NormalizeL2-1")
def normalize_l2_shape(data: Fact, axes: Fact) -> Shape:
    if data.shape.rank is not None and axes.value is not None:
        canonical_axes(axes.value.reshape(-1), data.shape.rank)
    return data.shape


@kernel("NormalizeL2-1", widen=True)
def normalize_l2(data: Array, axes: Array, *, eps: float, eps_mode: str) -> Array:
    if not axes.size:
        return np.asarray(data != 0).astype(data.dtype)
    squares = sum_of_squares(data, canonical_axes(axes.reshape(-1), data.ndim))
    epsilon = data.dtype.type(eps)
    return np.asarray(
        data / np.sqrt(squares + epsilon if eps_mode == "add" else np.maximum(squares, epsilon))
    )


@kernel("GRN-1", widen=True)
def grn(data: Array, *, bias: float) -> Array:
    return np.asarray(data / np.sqrt(sum_of_squares(data, (1,)) + data.dtype.type(bias)))


def sum_of_squares(data: Array, axes: tuple[int, ...]) -> Array:
    """The sum of squares over axes, which are kept with size 1."""
    return np.asarray(np.add.reduce(np.square(data), axis=axes, keepdims=True))


# LRN: local response normalization.


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
