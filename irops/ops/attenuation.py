"""Gradients multiplied by a coefficient on their way back."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.values.element import Array, element_type_of


def attenuated(gradient: Array, coefficient: float) -> Array:
    """A gradient times a real coefficient, in its own type; untouched, bit by bit, where that is 1.

    Multiplied as IEEE 754 says, so that 0 times infinity is NaN; f16 and bf16 by way of f32; complex numbers
    part by part.
    """
    if coefficient == 1:
        return gradient
    if gradient.dtype.kind == "c":
        parts = np.ascontiguousarray(gradient).view(gradient.real.dtype)
        return np.asarray(parts * parts.dtype.type(coefficient)).view(gradient.dtype)
    numbers = as_numbers(gradient)
    return converted(numbers * numbers.dtype.type(coefficient), element_type_of(gradient))
