"""Comparisons, element by element: Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual."""

from __future__ import annotations

import numpy as np

from irops.ops.elementwise import elementwise, known_in_part
from irops.values.dim import Dim
from irops.values.element import Array


def told(can_be: bool, can_be_otherwise: bool) -> Dim:
    """What is known of a boolean, from whether it may be true, and whether it may be false: nothing, if
    neither.
    """
    return Dim(int(can_be and not can_be_otherwise), int(can_be or not can_be_otherwise))


@elementwise("Equal-1")
def equal(a: Array, b: Array) -> Array:
    return np.equal(a, b)


@known_in_part("Equal-1")
def equal_dim(a: Dim, b: Dim) -> Dim:
    return told(a.can_be(b), a < b or a > b)


@elementwise("NotEqual-1")
def not_equal(a: Array, b: Array) -> Array:
    return np.not_equal(a, b)


@known_in_part("NotEqual-1")
def not_equal_dim(a: Dim, b: Dim) -> Dim:
    return 1 - equal_dim(a, b)


@elementwise("Less-1")
def less(a: Array, b: Array) -> Array:
    return np.less(a, b)


@known_in_part("Less-1")
def less_dim(a: Dim, b: Dim) -> Dim:
    return told(a < b, a >= b)


@elementwise("LessEqual-1")
def less_equal(a: Array, b: Array) -> Array:
    return np.less_equal(a, b)


@known_in_part("LessEqual-1")
def less_equal_dim(a: Dim, b: Dim) -> Dim:
    return told(a <= b, a > b)


@elementwise("Greater-1")
def greater(a: Array, b: Array) -> Array:
    return np.greater(a, b)


@known_in_part("Greater-1")
def greater_dim(a: Dim, b: Dim) -> Dim:
    return less_dim(b, a)


@elementwise("GreaterEqual-1")
def greater_equal(a: Array, b: Array) -> Array:
    return np.greater_equal(a, b)


@known_in_part("GreaterEqual-1")
def greater_equal_dim(a: Dim, b: Dim) -> Dim:
    return less_equal_dim(b, a)
