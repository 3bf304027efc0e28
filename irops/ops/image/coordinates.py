"""Where a position of a resized axis lies on the axis before, as Interpolate counts it: in f32, as every
runtime does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irops.values.element import Array

HALF = np.float32(0.5)


@dataclass(frozen=True, slots=True)
class Resizing:
    """One axis of before elements that becomes one of after elements; scale: how many times longer it is said
    to become.
    """

    before: int
    after: int
    scale: np.float32
    transformation: str

    def coordinates(self) -> Array:
        """For every position after, its place before; between elements as a rule, and perhaps outside the
        axis.
        """
        x = np.arange(self.after, dtype=np.float32)
        if self.scale == 1 or self.before == self.after:
            return x
        if self.transformation == "align_corners":
            return x * np.float32(self.before - 1) / np.float32(max(self.after - 1, 1))
        if self.transformation == "asymmetric":
            return x / self.scale
        if self.transformation == "tf_half_pixel_for_nn":
            return (x + HALF) / self.scale
        if self.transformation == "pytorch_half_pixel" and self.after <= 1:
            return np.zeros_like(x)
        return (x + HALF) / self.scale - HALF


def away_from_zero(numbers: Array) -> Array:
    """The nearest whole numbers, halves away from zero."""
    whole = np.trunc(numbers)
    found: Array = whole + np.where(np.abs(numbers - whole) >= HALF, np.sign(numbers), 0).astype(
        numbers.dtype
    )
    return found


def nearest(resizing: Resizing, nearest_mode: str) -> Array:
    """For every position after, the element before that stands for it."""
    x = resizing.coordinates()
    if nearest_mode == "round_prefer_floor":
        found = np.where(x == np.trunc(x) + HALF, np.floor(x), away_from_zero(x))
    elif nearest_mode == "round_prefer_ceil":
        found = away_from_zero(x)
    elif nearest_mode == "floor":
        found = np.floor(x)
    elif nearest_mode == "ceil" or resizing.scale < 1:
        found = np.ceil(x)
    else:
        found = np.trunc(x)
    return np.clip(found.astype(np.int64), 0, resizing.before - 1)
