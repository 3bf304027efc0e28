"""Arithmetic ops on two tensors, division and power among them."""

from functools import reduce
from math import inf

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.elementwise import Number, elementwise, elementwise_dims, elementwise_gradient
from irops.ops.partial import monotone
from irops.ops.stock import broadcast
from irops.spec.binding import shape
from irops.values import dim
from irops.values.dim import UNKNOWN, Bound, Dim
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


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


@elementwise_dims("SquaredDifference-1")
@elementwise("SquaredDifference-1")
def squared_difference(a: Number, b: Number) -> Number:
    square: Number = (a - b) * (a - b)
    return square


@shape("Mod-1", "FloorMod-1")
def division_shape(a: Fact, b: Fact, *, auto_broadcast: str, auto_broadcast_axis: int) -> Shape:
    result = broadcast(a, b, auto_broadcast, "C1", auto_broadcast_axis)
    if b.element_type.integral and b.value is not None:
        require(result.size.low == 0 or as_numbers(b.value).all(), "C2", f"a divisor of 0 among {b}")
    return result


@shape("Divide-1")
def divide_shape(
    a: Fact, b: Fact, *, auto_broadcast: str, auto_broadcast_axis: int, m_pythondiv: bool
) -> Shape:
    known = [fact.value for fact in (a, b) if fact.value is not None]
    if m_pythondiv and a.element_type.integral and len(known) == 1:  # two constants are folded
        below = 0 if b.value is None else -1
        negative = int((as_numbers(known[0]) < below).sum())
        warn_unless(not negative, "C3", f"{negative} of {known[0].size} less than {below}")
    return division_shape(a, b, auto_broadcast=auto_broadcast, auto_broadcast_axis=auto_broadcast_axis)


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
    size = dim.maximum(b, -b).at_least(1)
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
