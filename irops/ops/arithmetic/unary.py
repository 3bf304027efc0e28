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
from irops.values.dim import Bound, Dim, maximum
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


def numeric(op: str, function: Callable[[Array], Array], on_dim: Callable[[Dim], Dim]) -> None:
    """Make the kernel of an op whose function gives integers for integers, and its values function."""

    @kernel(op, widen=True)
    def computed(data: Array) -> Array:
        return on_numbers(function, data)

    @values(op)
    def computed_dims(data: Array) -> Array:
        return each_dim(on_dim, data)


def unless_whole(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A rounding function, which leaves integers as they are: NumPy would convert them to floats."""
    return lambda numbers: numbers if numbers.dtype.kind in "iu" else function(numbers)


def _sign(dim: Dim) -> Dim:
    return monotone(dim, lambda bound: (bound > 0) - (bound < 0)).at_least(-1).at_most(1)


numeric("Abs-1", np.abs, lambda dim: maximum(dim, -dim).at_least(0))
numeric("Floor-1", unless_whole(np.floor), lambda dim: rounding(dim, math.floor))
numeric("Ceiling-1", unless_whole(np.ceil), lambda dim: rounding(dim, math.ceil))
numeric("Negative-1", np.negative, lambda dim: -dim)
numeric("Sign-1", np.sign, _sign)


@gradient("Log-1", widen=True)
def log_gradient(d_output: Array, data: Array) -> Array:
    return d_output / data


@gradient("Tanh-1", widen=True)
def tanh_gradient(d_output: Array, output: Array) -> Array:
    d_data: Array = d_output * (1 - output * output)
    return d_data


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
