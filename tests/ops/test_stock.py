"""Shapes that stock rules infer where little is known."""

from itertools import combinations

import numpy as np
import pytest

from irops.ops.stock import broadcast, normal_axes, reduced
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import F32, I64
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import Violation


def fact(text):
    return Fact(F32, Shape.parse(text))


def axes(*items):
    whole = all(isinstance(item, int) for item in items)
    return Fact(I64, Shape((len(items),)), np.array(items, np.int64) if whole else dims_array(items))


@pytest.mark.parametrize(
    ("a", "b", "auto_broadcast", "axis", "shape"),
    [
        ("2..5,?", "3..", "numpy", 0, "[2..5,3..]"),
        ("?,1", "?,7", "numpy", 0, "[?,7]"),
        ("..2,..3", "1..4,..3", "numpy", 0, "[..4,..3]"),
        ("1..4,3..", "2..,3", "none", 0, "[2..4,3]"),
        ("[...]", "2,3", "numpy", 0, "[...]"),
        ("[...]", "2,3", "none", 0, "[2,3]"),
        ("2..,3..,4..", "..2,2..5", "pdpd", 0, "[2..,3..5,4..]"),
        ("2,3", "[...]", "pdpd", 0, "[2,3]"),
        ("2,?,4", "3,1", "pdpd", -1, "[2,3,4]"),
    ],
)
def test_two_shapes_combine(a, b, auto_broadcast, axis, shape):
    assert str(broadcast(fact(a), fact(b), auto_broadcast, "C1", axis)) == shape


@pytest.mark.parametrize(
    ("a", "b", "axis"),
    [("1", "3", 0), ("2,3", "3", 0), ("2,3", "2", -1), ("2,3", "3", 2), ("3", "2,3", -1), ("2", "2", -2)],
)
def test_under_pdpd_b_fits_onto_a_or_is_refused(a, b, axis):
    with pytest.raises(Violation):
        broadcast(fact(a), fact(b), "pdpd", "C1", axis)


def test_an_axis_that_is_not_known_may_be_any():
    data = fact("2,3,4")
    found = reduced(data, axes(UNKNOWN, 1), False, "C1")
    assert str(found) == "[2..4]"
    for gone in (0, 2):
        assert found.contains(data.shape.without((gone, 1)))
    assert str(reduced(data, axes(UNKNOWN, 1), True, "C1")) == "[1..2,1,1..4]"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_as_many_axes_go_as_are_named_whichever_they_are(count):
    data = fact("2,5,1..3,?")
    found = reduced(data, Fact(I64, Shape((count,))), False, "C1")
    for gone in combinations(range(4), count):
        assert found.contains(data.shape.without(gone))


def test_axes_of_which_the_number_is_not_known_leave_the_rank_open_unless_they_are_kept():
    some = Fact(I64, Shape.parse("?"))
    assert str(reduced(fact("2,3"), some, False, "C1")) == "[...]"
    assert str(reduced(fact("2,?"), some, True, "C1")) == "[1..2,?]"
    assert str(reduced(fact(""), some, False, "C1")) == "[]"
    assert str(reduced(fact("[...]"), axes(0), True, "C1")) == "[...]"


def test_more_axes_than_there_are_say_nothing_before_they_are_known():
    assert str(reduced(fact("2,3"), Fact(I64, Shape((3,))), True, "C1")) == "[1..2,1..3]"
    assert str(reduced(fact("2,3"), Fact(I64, Shape((3,))), False, "C1")) == "[...]"


def test_a_scalar_has_an_axis_unless_it_is_to_be_kept():
    assert normal_axes([-1], 0, "C1") == (0,)
    assert str(reduced(fact(""), axes(-1), False, "C1")) == "[]"
    with pytest.raises(Violation):
        reduced(fact(""), axes(0), True, "C1")


@pytest.mark.parametrize(
    ("named", "constraint"),
    [((0, -2), "C2"), ((2,), "C1"), ((-3,), "C1"), ((2**63 - 1,), "C1"), ((Dim(0, 1), 5), "C1")],
)
def test_axes_are_held_to_the_rank_and_to_being_different(named, constraint):
    with pytest.raises(Violation) as caught:
        reduced(fact("2,3"), axes(*named), False, "C1", "C2")
    assert caught.value.constraint == constraint
