"""Clamp on values that are known in part, and on bounds that a type cannot hold."""

from math import inf

import pytest

from irops.ops.activation.activation import clamp_dims, whole_bounds
from irops.values.dim import Dim
from irops.values.element import element_type
from irops.values.fact import dims_array


@pytest.mark.parametrize(
    ("kind", "low", "high", "whole"),
    [
        ("i8", -1.5, 2.5, (-1, 2)),
        ("i8", -1e30, 1e30, (-128, 127)),
        ("u8", -5.0, -2.0, (0, 0)),
        ("i8", 300.0, 400.0, (127, 127)),
        ("u64", 0.0, inf, (0, 2**64 - 1)),
        ("i64", -inf, 1e300, (-(2**63), 2**63 - 1)),
        ("i4", inf, inf, (7, 7)),
        ("u4", -inf, -inf, (0, 0)),
    ],
)
def test_bounds_are_rounded_inwards_and_moved_into_the_type(kind, low, high, whole):
    assert whole_bounds(element_type(kind), low, high) == whole


def test_dimensions_are_held_within_the_bounds():
    held = clamp_dims(
        dims_array([Dim(0, inf), Dim(5, 9), Dim(-3, -2)]), min=0.5, max=7.0, result_type=element_type("i64")
    )
    assert held.tolist() == [Dim(1, 7), Dim(5, 7), Dim.of(1)]


def test_bounds_of_floats_are_drawn_outward():
    held = clamp_dims(dims_array([Dim(0, inf)]), min=0.5, max=7.5, result_type=element_type("f32"))
    assert held.tolist() == [Dim(0, 8)]
