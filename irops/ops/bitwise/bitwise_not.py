"""BitwiseNot: all bits inverted."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.spec.binding import kernel, values
from irops.values.element import BOOLEAN, Array, ElementType, element_type_of
from irops.values.fact import each_dim


@kernel("BitwiseNot-13")
def bitwise_not(data: Array) -> Array:
    kind = element_type_of(data)
    return np.logical_not(data) if kind is BOOLEAN else low_bits(np.invert(as_numbers(data)), kind)


@values("BitwiseNot-13")
def bitwise_not_dims(data: Array, *, result_type: ElementType) -> Array:
    low, high = map(int, result_type.extent)
    return each_dim(lambda dim: low + high - dim, data)  # -1 - x for signed types, high - x for the others
