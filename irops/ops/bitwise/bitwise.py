"""Bitwise ops: BitwiseNot; BitwiseAnd, BitwiseOr, BitwiseXor, and the shifts."""

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.elementwise import elementwise
from irops.spec.binding import kernel, values
from irops.values.element import BOOLEAN, Array, ElementType, element_type_of
from irops.values.fact import each_dim


@kernel("BitwiseNot-13")
def bitwise_not(data: Array) -> Array:
    kind = element_type_of(data)
    return np.logical_not(data) if kind is BOOLEAN else low_bits(np.invert(as_numbers(data)), kind)


@values("BitwiseNot-13")
def bitwise_not_dims(data: Array, *, result_type: ElementType) -> Array:
    low, high = map(int, result_type.extent)
    return each_dim(lambda dim: low + high - dim, data)  # -1 - x for signed types, high - x for the others


@elementwise("BitwiseAnd-13")
def bitwise_and(a: Array, b: Array) -> Array:
    return np.bitwise_and(a, b)


@elementwise("BitwiseOr-13")
def bitwise_or(a: Array, b: Array) -> Array:
    return np.bitwise_or(a, b)


@elementwise("BitwiseXor-13")
def bitwise_xor(a: Array, b: Array) -> Array:
    return np.bitwise_xor(a, b)


@elementwise("BitwiseLeftShift-15")
def bitwise_left_shift(a: Array, b: Array) -> Array:
    return np.left_shift(a, _count(a, b))


@elementwise("BitwiseRightShift-15")
def bitwise_right_shift(a: Array, b: Array) -> Array:
    return np.right_shift(a, _count(a, b))


def _count(a: Array, b: Array) -> Array:
    """The number of positions to shift by: b modulo the width of the type, as processors compute it."""
    count: Array = b & b.dtype.type(a.dtype.itemsize * 8 - 1)
    return count
