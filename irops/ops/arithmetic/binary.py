"""Arithmetic of two tensors, element by element."""

from __future__ import annotations

from math import inf

import numpy as np

from irops.ops.elementwise import Number, elementwise, elementwise_dims, elementwise_gradient
from irops.ops.partial import monotone
from irops.values import dim
from irops.values.dim import UNKNOWN, Bound, Dim
from irops.values.element import Array
from irops.values.violation import require


@elementwise_dims("Add-1")
@elementwise("Add-1", ufunc=np.add)
def add(a: Number, b: Number) -> Number:
    return a + b


@elementwise_gradient("Add-1", of="a")
@elementwise_gradient("Add-1", of="b")
@elementwise_gradient("Subtract-1", of="a")
def unchanged(d_output: Array) -> Array:
    return d_output


@elementwise_dims("Subtract-1")
@elementwise("Subtract-1", ufunc=np.subtract)
def subtract(a: Number, b: Number) -> Number:
    return a - b


@elementwise_gradient("Subtract-1", of="b")
def negated(d_output: Array) -> Array:
    return -d_output


@elementwise_dims("Multiply-1")
@elementwise("Multiply-1", ufunc=np.multiply)
def multiply(a: Number, b: Number) -> Number:
    return a * b


@elementwise_gradient("Multiply-1", of="a")
def times_b(d_output: Array, b: Array) -> Array:
    return d_output * b


@elementwise_gradient("Multiply-1", of="b")
def times_a(d_output: Array, a: Array) -> Array:
    return d_output * a


@elementwise("Maximum-1", ufunc=np.maximum)
def maximum(a: Array, b: Array) -> Array:
    return np.maximum(a, b)


@elementwise_dims("Maximum-1")
def maximum_dim(a: Dim, b: Dim) -> Dim:
    return dim.maximum(a, b)


@elementwise("Minimum-1", ufunc=np.minimum)
def minimum(a: Array, b: Array) -> Array:
    return np.minimum(a, b)


@elementwise_dims("Minimum-1")
def minimum_dim(a: Dim, b: Dim) -> Dim:
    return dim.minimum(a, b)


# Power: a ** b, element by element.


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


# SquaredDifference: (a - b)^2, element by element.


@elementwise_dims("SquaredDifference-1")
@elementwise("SquaredDifference-1")
def squared_difference(a: Number, b: Number) -> Number:
    square: Number = (a - b) * (a - b)
    return square
