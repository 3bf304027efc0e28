"""Functions of one real number: trigonometric, hyperbolic, exponential; the error function, its inverse."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import on_reals
from irops.ops.error_function import erf as error_function
from irops.ops.error_function import inverse_erf
from irops.spec.binding import kernel
from irops.values.element import Array


@kernel("Sinh-1", widen=True)
def sinh(data: Array) -> Array:
    return on_reals(np.sinh, data)


@kernel("Cosh-1", widen=True)
def cosh(data: Array) -> Array:
    return on_reals(np.cosh, data)


@kernel("Tan-1", widen=True)
def tan(data: Array) -> Array:
    return on_reals(np.tan, data)


@kernel("Asin-1", widen=True)
def asin(data: Array) -> Array:
    return on_reals(np.arcsin, data)


@kernel("Acos-1", widen=True)
def acos(data: Array) -> Array:
    return on_reals(np.arccos, data)


@kernel("Atan-1", widen=True)
def atan(data: Array) -> Array:
    return on_reals(np.arctan, data)


@kernel("Asinh-4", widen=True)
def asinh(data: Array) -> Array:
    return on_reals(np.arcsinh, data)


@kernel("Acosh-4", widen=True)
def acosh(data: Array) -> Array:
    return on_reals(np.arccosh, data)


@kernel("Atanh-4", widen=True)
def atanh(data: Array) -> Array:
    return on_reals(np.arctanh, data)


@kernel("Erf-1", widen=True)
def erf(data: Array) -> Array:
    return on_reals(error_function, data)


# ErfInv: the inverse of the error function.


@kernel("ErfInv-17", widen=True)
def erf_inv(data: Array) -> Array:
    return inverse_erf(data)
