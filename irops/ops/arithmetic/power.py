"""Power: a ** b, element by element."""

from __future__ import annotations

from math import inf

import numpy as np

from irops.ops.elementwise import elementwise, elementwise_dims
from irops.ops.partial import monotone
from irops.values.dim import UNKNOWN, Bound, Dim
from irops.values.element import Array
from irops.values.violation import require


@elementwise("Power-1")
def power(a: Array, b: Array) -> Array:
    if a.dtype.kind != "i":
        return np.power(a, b)
    require(not ((a == 0) & (b < 0)).any(), "C2", "0 raised to a negative power")
    # a ** b with b < 0 truncates to 0, except for a of 1 and -1
    truncated = np.where(np.abs(a) == 1, np.where(b % 2 == 0, 1, a), 0)
    return np.where(b < 0, truncated, np.power(a, np.maximum(b, 0))).astype(a.dtype)


@elementwise_dims("Power-1")
def power_dim(a: Dim, b: Dim) -> Dim:
    if b == 1:
        return a
    if not b.known or b.low < 0 or a.low < 0:
        return UNKNOWN
    return monotone(a, lambda bound: _raised(bound, b.low)) if b != 0 else Dim.of(1)


def _raised(bound: Bound, exponent: Bound) -> Bound:
    """bound ** exponent, for bound >= 0 and exponent > 0; infinity if it exceeds the range of floats."""
    if bound in (0, 1):
        return bound
    if isinstance(bound, int) and isinstance(exponent, int) and exponent <= 64:
        return int(bound**exponent)
    try:
        return float(bound ** float(exponent))
    except OverflowError:
        return inf
