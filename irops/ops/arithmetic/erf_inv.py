"""ErfInv: the inverse of the error function."""

from __future__ import annotations

from irops.ops.error_function import inverse_erf
from irops.spec.binding import kernel
from irops.values.element import Array


@kernel("ErfInv-17", widen=True)
def erf_inv(data: Array) -> Array:
    return inverse_erf(data)
