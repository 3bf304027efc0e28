"""Arithmetic ops on one tensor: signs, roots, steps, and the curves of analysis.

Integers are computed in f64 and rounded to the nearest integer by the curves: Sinh, Cosh, Tan, Asin, Acos,
Atan, Asinh, Acosh, Atanh, Erf.
"""

import math

import numpy as np

from irops.ops.error_function import erf as error_function
from irops.ops.error_function import inverse_erf
from irops.ops.partial import monotone, rounding
from irops.ops.reals import on_numbers, on_reals
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import Bound, Dim, maximum
from irops.values.element import Array
from irops.values.fact import each_dim


@kernel("Abs-1", widen=True)
def absolute(data: Array) -> Array:
    return on_numbers(np.abs, data)


@values("Abs-1")
def absolute_dims(data: Array) -> Array:
    return each_dim(_absolute, data)


@kernel("Cos-1", widen=True)
def cos(data: Array) -> Array:
    return on_reals(np.cos, data)


@kernel("Floor-1", widen=True)
def floor(data: Array) -> Array:
    return on_numbers(_floor, data)


@values("Floor-1")
def floor_dims(data: Array) -> Array:
    return each_dim(lambda dim: rounding(dim, math.floor), data)


@kernel("Log-1", widen=True)
def log(data: Array) -> Array:
    return on_reals(np.log, data)


@gradient("Log-1", widen=True)
def log_gradient(d_output: Array, data: Array) -> Array:
    return d_output / data


@kernel("Sin-1", widen=True)
def sin(data: Array) -> Array:
    return on_reals(np.sin, data)


@kernel("Sqrt-1", widen=True)
def sqrt(data: Array) -> Array:
    return on_reals(np.sqrt, data)


@kernel("Tanh-1", widen=True)
def tanh(data: Array) -> Array:
    return on_reals(np.tanh, data)


@gradient("Tanh-1", widen=True)
def tanh_gradient(d_output: Array, output: Array) -> Array:
    d_data: Array = d_output * (1 - output * output)
    return d_data


def _absolute(dim: Dim) -> Dim:
    return maximum(dim, -dim).at_least(0)


def _floor(numbers: Array) -> Array:
    return numbers if numbers.dtype.kind in "iu" else np.floor(numbers)


@kernel("Ceiling-1", widen=True)
def ceiling(data: Array) -> Array:
    return on_numbers(lambda numbers: numbers if numbers.dtype.kind in "iu" else np.ceil(numbers), data)


@values("Ceiling-1")
def ceiling_dims(data: Array) -> Array:
    return each_dim(lambda dim: rounding(dim, math.ceil), data)


@kernel("Negative-1", widen=True)
def negative(data: Array) -> Array:
    return on_numbers(np.negative, data)


@values("Negative-1")
def negative_dims(data: Array) -> Array:
    return each_dim(lambda dim: -dim, data)


@kernel("Sign-1", widen=True)
def sign(data: Array) -> Array:
    return on_numbers(np.sign, data)


@values("Sign-1")
def sign_dims(data: Array) -> Array:
    return each_dim(
        lambda dim: monotone(dim, lambda bound: (bound > 0) - (bound < 0)).at_least(-1).at_most(1), data
    )


@kernel("Round-5", widen=True)
def round_to_integer(data: Array, *, mode: str) -> Array:
    if data.dtype.kind in "biu" or data.dtype.name.startswith(("int", "uint")):
        return data
    return np.rint(data) if mode == "half_to_even" else round_half_away(data)


def round_half_away(numbers: Array) -> Array:
    """Round to the nearest integer, ties away from zero.

    numbers + 0.5 is not computed, because that sum could itself be rounded.
    """
    whole = np.trunc(numbers)
    round_away = np.abs(numbers - whole) >= 0.5
    return np.where(round_away, whole + np.copysign(1, numbers), whole).astype(numbers.dtype)


@values("Round-5")
def round_dims(data: Array, *, mode: str) -> Array:
    return each_dim(lambda dim: rounding(dim, lambda bound: _rounded(bound, mode)), data)


def _rounded(bound: Bound, mode: str) -> Bound:
    if isinstance(bound, int) or not math.isfinite(bound):
        return bound
    return round(bound) if mode == "half_to_even" else int(round_half_away(np.asarray(bound)))


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


@kernel("ErfInv-17", widen=True)
def erf_inv(data: Array) -> Array:
    return inverse_erf(data)
