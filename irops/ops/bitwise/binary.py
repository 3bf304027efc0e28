"""Logic on the bits of two tensors, element by element: BitwiseAnd."""
from __future__ import annotations

import numpy as np

from irops.ops.elementwise import elementwise
from irops.values.element import Array


@elementwise("BitwiseAnd-13")
def bitwise_and(a: Array, b: Array) -> Array:
    return np.bitwise_and(a, b)
