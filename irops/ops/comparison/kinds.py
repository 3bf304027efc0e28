"""Elementwise tests of floating-point numbers: IsNaN, IsInf, IsFinite."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers
from irops.spec.binding import kernel
from irops.values.element import Array


@kernel("IsNaN-10")
def is_nan(data: Array) -> Array:
    return np.isnan(as_numbers(data))


@kernel("IsFinite-10")
def is_finite(data: Array) -> Array:
    return np.isfinite(as_numbers(data))


@kernel("IsInf-10")
def is_inf(data: Array, *, detect_negative: bool, detect_positive: bool) -> Array:
    numbers = as_numbers(data)
    result: Array = ((numbers == np.inf) & detect_positive) | ((numbers == -np.inf) & detect_negative)
    return result
