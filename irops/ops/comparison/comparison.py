"""Comparisons, element by element: Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual."""
from __future__ import annotations

import numpy as np

from irops.ops.elementwise import elementwise, known_in_part
from irops.values.dim import Dim
from irops.values.element import Array

TRUE, FALSE, EITHER = Dim.of(1), Dim.of(0), Dim(0, 1)


@elementwise("Equal-1")
def equal(a: Array, b: Array) -> Array:
    return np.equal(a, b)


@known_in_part("Equal-1")
def equal_dim(a: Dim, b: Dim) -> Dim:
    if not a.can_be(b):
        return FALSE
    same = (a.known and b.known) or (a.symbol is not None and a.symbol == b.symbol)
    return TRUE if same else EITHER


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
    return TRUE if a.high < b.low else FALSE if a.low >= b.high else EITHER


@elementwise("LessEqual-1")
def less_equal(a: Array, b: Array) -> Array:
    return np.less_equal(a, b)


@known_in_part("LessEqual-1")
def less_equal_dim(a: Dim, b: Dim) -> Dim:
    return TRUE if a.high <= b.low else FALSE if a.low > b.high else EITHER


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
