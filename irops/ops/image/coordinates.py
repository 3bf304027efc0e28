"""The coordinates of Interpolate: positions of a resized axis in the old axis, in f32 as in all runtimes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irops.values.element import Array

HALF = np.float32(0.5)


@dataclass(frozen=True, slots=True)
class Resizing:
    """An axis whose size changes from `before` to `after`. scale: the given factor, or their quotient."""

    before: int
    after: int
    scale: np.float32
    transformation: str

    def coordinates(self) -> Array:
        """The coordinate in the old axis for every position of the new one. It may lie between elements, or
        outside of the axis.
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
    """Numbers rounded to the nearest integers, halves away from zero."""
    whole = np.trunc(numbers)
    up = np.where(np.abs(numbers - whole) >= HALF, np.sign(numbers), 0)
    rounded: Array = whole + up.astype(numbers.dtype)
    return rounded


def nearest(resizing: Resizing, nearest_mode: str) -> Array:
    """The index of the element to copy for every position of the new axis."""
    x = resizing.coordinates()
    if nearest_mode == "round_prefer_floor":
        index = np.where(x == np.trunc(x) + HALF, np.floor(x), away_from_zero(x))
    elif nearest_mode == "round_prefer_ceil":
        index = away_from_zero(x)
    elif nearest_mode == "floor":
        index = np.floor(x)
    elif nearest_mode == "ceil" or resizing.scale < 1:
        index = np.ceil(x)
    else:
        index = np.trunc(x)
    return np.clip(index.astype(np.int64), 0, resizing.before - 1)
