"""Arithmetic ops on one tensor: signs, roots, steps, and the curves of analysis.

Integers are computed in f64 and rounded to the nearest integer by the curves: Sinh, Cosh, Tan, Asin, Acos,
Atan, Asinh, Acosh, Atanh, Erf.
"""

import math
from collections.abc import Callable

import numpy as np

from irops.ops.partial import monotone, rounding
from irops.ops.reals import erf as error_function, inverse_erf, on_numbers, on_reals
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import Bound, maximum
from irops.values.element import Array
from irops.values.fact import each_dim


def curve(op: str, function: Callable[[Array], Array]) -> None:
    """Make the kernel of an op that applies a function of real numbers to each element."""

    @kernel(op, widen=True)
    def curved(data: Array) -> Array:
        return on_reals(function, data)


curve("Cos-1", np.cos)
curve("Log-1", np.log)
curve("Sin-1", np.sin)
curve("Sqrt-1", np.sqrt)
curve("Tanh-1", np.tanh)
curve("Sinh-1", np.sinh)
curve("Cosh-1", np.cosh)
curve("Tan-1", np.tan)
curve("Asin-1", np.arcsin)
curve("Acos-1", np.arccos)
curve("Atan-1", np.arctan)
curve("Asinh-4", np.arcsinh)
curve("Acosh-4", np.arccosh)
curve("Atanh-4", np.arctanh)
curve("Erf-1", error_function)


@kernel("Abs-1", widen=True)
def absolute(data: Array) -> Array:
    return on_numbers(np.abs, data)


@values("Abs-1")
def absolute_dims(data: Array) -> Array:
    return each_dim(lambda dim: maximum(dim, -dim).at_least(0), data)


@kernel("Floor-1", widen=True)
def floor(data: Array) -> Array:
    return on_numbers(lambda numbers: numbers if numbers.dtype.kind in "iu" else np.floor(numbers), data)


@values("Floor-1")
def floor_dims(data: Array) -> Array:
    return each_dim(lambda dim: rounding(dim, math.floor), data)


@gradient("Log-1", widen=True)
def log_gradient(d_output: Array, data: Array) -> Array:
    return d_output / data


@gradient("Tanh-1", widen=True)
def tanh_gradient(d_output: Array, output: Array) -> Array:
    d_data: Array = d_output * (1 - output * output)
    return d_data


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


@kernel("ErfInv-17", widen=True)
def erf_inv(data: Array) -> Array:
    return inverse_erf(data)
