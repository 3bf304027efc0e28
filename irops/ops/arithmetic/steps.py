"""Functions of one tensor that map integers to integers exactly: Ceiling, Negative, Round, Sign."""

from __future__ import annotations

import math

import numpy as np

from irops.ops.conversion import on_numbers
from irops.ops.partial import monotone, rounding
from irops.spec.binding import kernel, values
from irops.values.dim import Bound
from irops.values.element import Array
from irops.values.fact import each_dim


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
        lambda dim: monotone(dim, lambda bound: (bound > 0) - (bound < 0)).at_least(-1).at_most(1),
        data,
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
