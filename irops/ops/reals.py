"""Functions of real numbers on tensors of any numeric type."""

from __future__ import annotations

from collections.abc import Callable

from irops.ops.conversion import as_numbers, low_bits, nearest
from irops.values.element import Array, element_type_of

Function = Callable[[Array], Array]


def on_reals(function: Function, data: Array) -> Array:
    """Apply a function of real numbers to each element. For integers it is computed in f64, and the result is
    rounded to the nearest integer of their type, halves to even.
    """
    kind = element_type_of(data)
    return nearest(function(as_numbers(data).astype("f8")), kind) if kind.integral else function(data)


def on_numbers(function: Function, data: Array) -> Array:
    """Apply to each element a function that maps integers to integers. Integers are computed as integers, and
    wrap around.
    """
    kind = element_type_of(data)
    return low_bits(function(as_numbers(data)), kind) if kind.integral else function(data)
