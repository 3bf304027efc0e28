"""Functions of one tensor: Abs, Cos, Floor, Log, Sin, Sqrt, Tanh."""

from __future__ import annotations

import math

import numpy as np

from irops.ops.conversion import on_numbers, on_reals
from irops.ops.partial import rounding
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import Dim, maximum
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
