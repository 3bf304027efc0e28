"""Functions of real numbers on tensors of any numeric type."""

from __future__ import annotations

from collections.abc import Callable

from irops.ops.conversion import as_numbers, low_bits, nearest
from irops.values.element import Array, element_type_of

Function = Callable[[Array], Array]


def on_reals(function: Function, data: Array) -> Array:
    """function of each element; of integers, computed in f64 and rounded to the nearest integer of their
    type, halves to even.
    """
    kind = element_type_of(data)
    return nearest(function(as_numbers(data).astype("f8")), kind) if kind.integral else function(data)


def exactly(function: Function, data: Array) -> Array:
    """function of each element, where it takes integers to integers: these are computed as such, and wrap
    around.
    """
    kind = element_type_of(data)
    return low_bits(function(as_numbers(data)), kind) if kind.integral else function(data)
