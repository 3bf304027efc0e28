"""Mean and variance over some axes, and arrays brought to mean 0."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.values.element import Array

Axes = tuple[int, ...]


def mean(data: Array, axes: Axes) -> Array:
    """The mean over axes, which stay as 1; of no elements it is 0."""
    count = prod(data.shape[axis] for axis in axes)
    average: Array = np.add.reduce(data, axis=axes, keepdims=True) / data.dtype.type(max(count, 1))
    return average


def centred(data: Array, axes: Axes) -> tuple[Array, Array]:
    """A new array: data less its mean over axes; and its variance over them, of all elements and not of a
    sample.
    """
    difference = np.subtract(data, mean(data, axes))
    return difference, mean(np.square(difference), axes)
