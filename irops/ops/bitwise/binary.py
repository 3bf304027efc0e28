"""Bitwise ops on two tensors: BitwiseAnd, BitwiseOr, BitwiseXor, and the shifts."""

from __future__ import annotations

import numpy as np

from irops.ops.elementwise import elementwise
from irops.values.element import Array


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
