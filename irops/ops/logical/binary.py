"""Logic on two tensors of booleans, element by element: LogicalAnd."""
from __future__ import annotations

import numpy as np

from irops.ops.elementwise import elementwise, known_in_part
from irops.values.dim import Dim, minimum
from irops.values.element import Array


@elementwise("LogicalAnd-1")
def logical_and(a: Array, b: Array) -> Array:
    return np.logical_and(a, b)


@known_in_part("LogicalAnd-1")
def logical_and_dim(a: Dim, b: Dim) -> Dim:
    return minimum(a, b)
