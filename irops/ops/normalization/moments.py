"""Mean and variance over given axes."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.values.element import Array

Axes = tuple[int, ...]


def mean(data: Array, axes: Axes) -> Array:
    """The mean over axes, which are kept with size 1. The mean of zero elements is 0."""
    count = prod(data.shape[axis] for axis in axes)
    average: Array = np.add.reduce(data, axis=axes, keepdims=True) / data.dtype.type(max(count, 1))
    return average


def centred(data: Array, axes: Axes) -> tuple[Array, Array]:
    """A new array with data minus its mean over axes, and the population variance over axes."""
    difference = np.subtract(data, mean(data, axes))
    return difference, mean(np.square(difference), axes)
