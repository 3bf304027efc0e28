"""The elements and weights from which each element of a resized axis is computed: linear, cubic, and those of
the Pillow library.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from irops.ops.image.coordinates import Resizing, away_from_zero
from irops.values.element import Array


class Taps(NamedTuple):
    """Indices of elements of the old axis and their weights: a row for every position of the new axis."""

    elements: Array
    weights: Array

    def applied(self, data: Array, axis: int) -> Array:
        """data with the axis resized: the weighted sums, in f64."""
        wide = (-1, *(1,) * (data.ndim - axis - 1))
        total = np.zeros((*data.shape[:axis], len(self.elements), *data.shape[axis + 1 :]), np.float64)
        for element, weight in zip(self.elements.T, self.weights.T):
            total += np.take(data, element, axis) * weight.reshape(wide)
        return total


def two_neighbours(resizing: Resizing) -> Taps:
    """Linear interpolation between the elements on either side; beyond the ends the last element."""
    last = resizing.before - 1
    x = np.clip(resizing.coordinates(), 0, np.float32(last))
    low = np.minimum(x.astype(np.int64), last)
    fraction = (x - low.astype(np.float32)).astype(np.float64)
    return Taps(np.stack([low, np.minimum(low + 1, last)], 1), np.stack([1 - fraction, fraction], 1))


def triangle(resizing: Resizing, steepness: np.float32) -> Taps:
    """A triangular filter: max(0, 1 - steepness * distance), normalized; elements outside of the axis are
    left out.
    """
    x = resizing.coordinates()
    reach = 2 if resizing.scale > 1 else ceil(np.float32(2) / steepness)
    elements = away_from_zero(x).astype(np.int64)[:, np.newaxis] + np.arange(-reach, reach + 1)
    distance = steepness * (x[:, np.newaxis] - elements.astype(np.float32))
    weights = np.maximum(0, 1 - np.abs(distance.astype(np.float64)))
    return _normalized(elements, weights, resizing.before)


def cubic(resizing: Resizing, coefficient: float) -> Taps:
    """Cubic convolution of the four elements around a coordinate; the outer elements repeat at the ends."""
    x = resizing.coordinates()
    low = np.floor(x)
    fraction = (x - low).astype(np.float64)
    offsets = np.arange(-1, 3)
    elements = low.astype(np.int64)[:, np.newaxis] + offsets
    weights = cubic_weight(np.abs(fraction[:, np.newaxis] - offsets), float(np.float32(coefficient)))
    return Taps(np.clip(elements, 0, resizing.before - 1), weights)


def cubic_weight(distance: Array, a: float) -> Array:
    """The kernel of the cubic convolution (Keys, 1981) at non-negative distances."""
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.select([distance < 1, distance < 2], [near, far], 0.0)


def pillow(before: int, after: int, bicubic: bool, coefficient: float) -> Taps:
    """A linear or cubic filter as in the Pillow library, widened by the factor by which the axis shrinks, so
    that every element contributes.
    """
    scale = before / after if after else 1.0
    width = max(scale, 1.0)
    support = (2.0 if bicubic else 1.0) * width
    centre = (np.arange(after) + 0.5) * scale
    first = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    last = np.minimum((centre + support + 0.5).astype(np.int64), before)
    elements = first[:, np.newaxis] + np.arange(int((last - first).max(initial=0)))
    distance = np.abs((elements - centre[:, np.newaxis] + 0.5) / width)
    weights = cubic_weight(distance, coefficient) if bicubic else np.maximum(0.0, 1 - distance)
    return _normalized(elements, np.where(elements < last[:, np.newaxis], weights, 0.0), before)


def _normalized(elements: Array, weights: Array, before: int) -> Taps:
    """Taps with weight 0 outside of the axis, and weights that sum to 1; a sum of 0 stays 0."""
    weights = np.where((elements >= 0) & (elements < before), weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    return Taps(np.clip(elements, 0, max(before - 1, 0)), weights / np.where(total == 0, 1.0, total))
