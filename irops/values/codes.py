"""The bits of elements."""

from __future__ import annotations

import numpy as np

from irops.values.element import STRING, Array, element_type_of


def codes(array: Array) -> Array:
    """The bits of the elements as unsigned integers (bytes for elements of 16 bytes); strings unchanged."""
    element_type = element_type_of(array)
    if element_type is STRING:
        return array
    bits: Array = array.view(f"u{array.itemsize}" if array.itemsize <= 8 else f"V{array.itemsize}")
    return bits & np.uint8((1 << element_type.bits) - 1) if element_type.bits < 8 else bits
