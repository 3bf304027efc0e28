"""Partly known elements that do not fit into their element type."""

from __future__ import annotations

from math import inf

from irops.values.dim import Dim
from irops.values.element import element_type
from irops.values.fact import elements_of


def test_a_number_beyond_its_type_wraps_around_even_if_its_bound_is_open():
    i32 = element_type("i32")
    beyond, within = elements_of([Dim(2**31, inf), Dim(5, inf)], i32)
    assert beyond == Dim(-(2**31), 2**31 - 1)
    assert within == Dim(5, inf)
    (below, _) = elements_of([Dim(-inf, -(2**31) - 1), Dim(0, 1)], i32)
    assert below == Dim(-(2**31), 2**31 - 1)
