"""What the elements of a constant lose if they are stored as f16, or as int8 with one scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

CODES = 127
"""The largest code of a symmetric int8 quantisation."""

Numbers = npt.NDArray[np.float64]


@dataclass(slots=True)
class Loss:
    """The errors of finite elements. max_relative: of elements other than 0; overflows: finite elements that
    become infinite; underflows: elements other than 0 that become 0.
    """

    max_absolute: float = 0.0
    max_relative: float = 0.0
    overflows: int = 0
    underflows: int = 0
    squared_error: float = 0.0
    squares: float = 0.0

    @property
    def relative(self) -> float:
        """The root of the squared errors, divided by that of the squared elements."""
        return sqrt(self.squared_error / self.squares) if self.squares > 0 else 0.0

    def add(self, exact: Numbers, stored: Numbers) -> None:
        """Add finite elements and what is stored for them."""
        infinite = ~np.isfinite(stored)
        self.overflows += int(infinite.sum())
        error = np.abs(np.where(infinite, 0.0, exact - stored))
        self.underflows += int(((stored == 0) & (exact != 0)).sum())
        self.max_absolute = max(self.max_absolute, float(error.max(initial=0.0)))
        relative = np.divide(error, np.abs(exact), out=np.zeros_like(error), where=exact != 0)
        self.max_relative = max(self.max_relative, float(relative.max(initial=0.0)))
        self.squared_error += float(np.dot(error, error))
        self.squares += float(np.dot(exact, exact))


def as_f16(numbers: Numbers) -> Numbers:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float16).astype(np.float64)


def as_int8(numbers: Numbers, magnitude: float) -> Numbers:
    """The numbers as codes from -127 to 127 times magnitude / 127. magnitude: of the largest element"""
    scale = magnitude / CODES
    return np.rint(numbers / scale) * scale if scale > 0 else numbers
