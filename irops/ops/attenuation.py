"""Multiplication of a gradient by a real coefficient in the backward pass."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.values.element import Array, element_type_of


def attenuated(gradient: Array, coefficient: float) -> Array:
    """The gradient times the coefficient, in the type of the gradient; with coefficient 1 the same array.

    Follows IEEE 754, so that 0 times infinity is NaN. f16 and bf16 are multiplied in f32. The real and the
    imaginary parts of complex numbers are multiplied separately.
    """
    if coefficient == 1:
        return gradient
    if gradient.dtype.kind == "c":
        parts = np.ascontiguousarray(gradient).view(gradient.real.dtype)
        return np.asarray(parts * parts.dtype.type(coefficient)).view(gradient.dtype)
    numbers = as_numbers(gradient)
    return converted(numbers * numbers.dtype.type(coefficient), element_type_of(gradient))
