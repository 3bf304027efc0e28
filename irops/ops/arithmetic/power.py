"""Power: one number raised to another, element by element."""
from __future__ import annotations

import numpy as np

from irops.ops.elementwise import elementwise
from irops.values.element import Array
from irops.values.violation import require


@elementwise("Power-1")
def power(a: Array, b: Array) -> Array:
    if a.dtype.kind != "i":
        return np.power(a, b)
    require(not ((a == 0) & (b < 0)).any(), "C2", "0 raised to a negative power")
    fraction = np.where(np.abs(a) == 1, np.where(b % 2 == 0, 1, a), 0)      # cut off toward zero: of 1 and -1 alone something is left
    return np.where(b < 0, fraction, np.power(a, np.maximum(b, 0))).astype(a.dtype)
