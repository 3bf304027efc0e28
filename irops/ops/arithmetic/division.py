"""Elementwise division and its remainders: Divide, Mod, FloorMod."""

from __future__ import annotations

from functools import reduce
from math import inf

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.elementwise import elementwise, elementwise_dims, elementwise_gradient
from irops.ops.stock import broadcast
from irops.spec.binding import shape
from irops.values.dim import UNKNOWN, Bound, Dim, maximum
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("Divide-1", "Mod-1", "FloorMod-1")
def division_shape(a: Fact, b: Fact, *, auto_broadcast: str, auto_broadcast_axis: int) -> Shape:
    result = broadcast(a, b, auto_broadcast, "C1", auto_broadcast_axis)
    if b.element_type.integral and b.value is not None:
        require(result.size.low == 0 or as_numbers(b.value).all(), "C2", f"a divisor of 0 among {b}")
    return result


@elementwise("Divide-1")
def divide(a: Array, b: Array, *, m_pythondiv: bool) -> Array:
    if a.dtype.kind == "f":
        return np.divide(a, b)
    check_divisor(a, b)
    return np.floor_divide(a, b) if m_pythondiv else np.floor_divide(a - np.fmod(a, b), b)


@elementwise_gradient("Divide-1", of="a")
def gradient_of_dividend(d_output: Array, b: Array) -> Array:
    return d_output / b


@elementwise_gradient("Divide-1", of="b")
def gradient_of_divisor(d_output: Array, a: Array, b: Array) -> Array:
    return -(d_output * ((a / b) / b))


@elementwise_dims("Divide-1")
def divide_dim(a: Dim, b: Dim, *, m_pythondiv: bool, result_type: ElementType) -> Dim:
    if not result_type.integral:
        return _quotient(a, b)
    return a // b if m_pythondiv else _toward_zero(a // b, a.ceil_div(b))


@elementwise("Mod-1")
def mod(a: Array, b: Array) -> Array:
    check_divisor(a, b)
    return np.fmod(a, b)


@elementwise_dims("Mod-1")
def mod_dim(a: Dim, b: Dim, *, result_type: ElementType) -> Dim:
    if not result_type.integral or b == 0:
        return UNKNOWN
    size = maximum(b, -b).at_least(1)
    remainders = [Dim(max(a.low, 0), a.high) % size] if a.high >= 0 else []
    if a.low < 0:
        remainders.append(-(Dim(max(-a.high, 1), -a.low) % size))
    return reduce(Dim.union, remainders)


@elementwise("FloorMod-1")
def floor_mod(a: Array, b: Array) -> Array:
    check_divisor(a, b)
    return np.mod(a, b)


@elementwise_dims("FloorMod-1")
def floor_mod_dim(a: Dim, b: Dim, *, result_type: ElementType) -> Dim:
    return a % b if result_type.integral else UNKNOWN


def check_divisor(a: Array, b: Array) -> None:
    """Require that no integer is divided by 0."""
    require(a.size == 0 or a.dtype.kind == "f" or b.all(), "C2", "a divisor of 0")


def _toward_zero(down: Dim, up: Dim) -> Dim:
    """The bounds of a quotient rounded toward zero, from those of the quotient rounded down and up."""
    return Dim(down.low if down.low >= 0 else up.low, down.high if down.high >= 0 else up.high)


def _quotient(a: Dim, b: Dim) -> Dim:
    """The bounds of a real quotient; unknown if 0 lies strictly inside the interval of b."""
    if b.low < 0 < b.high or b == 0:
        return UNKNOWN
    if b.high <= 0:
        return _quotient(-a, -b)
    corners = [_over(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Dim(min(corners), max(corners))


def _over(x: Bound, y: Bound) -> Bound:
    if abs(x) == inf or (y == 0 and x != 0):
        return inf if x > 0 else -inf
    return 0 if x == 0 else x / y
