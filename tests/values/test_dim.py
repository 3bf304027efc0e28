"""Dims: what is computed from intervals holds for every number in them."""

from __future__ import annotations

import operator
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irops.values.dim import ANY, UNKNOWN, Dim, broadcast, maximum, minimum, slack, unify
from irops.values.violation import Violation


@st.composite
def dims_with_member(draw, low=-20):
    """A Dim and a number that lies in it."""
    number = draw(st.integers(low, 20))
    return Dim(
        draw(
            st.sampled_from([number, number - 1, number - 7, -inf if low < 0 else 0]).filter(
                lambda n: n >= low or low < 0
            )
        ),
        draw(st.sampled_from([number, number + 1, number + 9, inf])),
    ), number


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul])
@given(dims_with_member(), dims_with_member())
def test_arithmetic_on_intervals_holds_for_their_members(op, a, b):
    assert op(a[0], b[0]).can_be(op(a[1], b[1]))
    assert op(a[0], b[1]).can_be(op(a[1], b[1]))


@given(dims_with_member(), dims_with_member().filter(lambda pair: pair[1] != 0))
def test_division_of_intervals_holds_for_their_members(a, b):
    assert (a[0] // b[0]).can_be(a[1] // b[1])
    assert a[0].ceil_div(b[0]).can_be(-(-a[1] // b[1]))
    assert (a[0] % b[0]).can_be(a[1] % b[1])


@given(dims_with_member(), dims_with_member())
def test_extremes_of_intervals_hold_for_their_members(a, b):
    assert minimum(a[0], b[0]).can_be(min(a[1], b[1]))
    assert maximum(a[0], b[0]).can_be(max(a[1], b[1]))
    assert a[0].at_least(3).can_be(max(a[1], 3))
    assert a[0].at_most(3).can_be(min(a[1], 3))
    assert a[0].union(b[0]).can_be(a[1])


@given(dims_with_member(0), dims_with_member(0))
def test_broadcasting_intervals_holds_for_their_members(a, b):
    if a[1] == b[1] or 1 in (a[1], b[1]):
        assert broadcast(a[0], b[0], "C1").can_be(b[1] if a[1] == 1 else a[1])


@given(dims_with_member(), dims_with_member())
def test_a_comparison_is_false_only_where_it_surely_is(a, b):
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        if compare(a[1], b[1]):
            assert compare(a[0], b[0])


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (Dim.of(4), "4"),
        (ANY, "?"),
        (UNKNOWN, "?"),
        (Dim(2, 5), "2..5"),
        (Dim(0, 7), "..7"),
        (Dim(3, inf), "3.."),
        (Dim.of(-1), "-1"),
    ],
)
def test_dims_are_spelled_as_openvino_spells_them(dim, text):
    assert str(dim) == text


def test_unifying_keeps_what_either_knows():
    assert unify(Dim(1, 5), Dim(3, 9), "C1") == Dim(3, 5)
    assert unify(ANY, 4, "C1") == 4
    assert str(unify(ANY.named("batch"), ANY, "C1").symbol) == "batch"


def test_unifying_what_cannot_be_equal_violates():
    with pytest.raises(Violation, match=r"C7: got 1\.\.2 and 3\.\.9"):
        unify(Dim(1, 2), Dim(3, 9), "C7")


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (1, 5, 5),
        (ANY, 5, 5),
        (ANY, 1, ANY),
        (ANY, ANY, ANY),
        (Dim(2, 5), ANY, Dim(2, 5)),
        (Dim(1, 5), Dim(1, 10), Dim(1, 10)),
        (Dim(2, 5), Dim(3, 9), Dim(3, 5)),
        (0, 1, 0),
    ],
)
def test_broadcasting_two_dims(a, b, result):
    assert broadcast(a, b, "C1") == result
    assert broadcast(b, a, "C1") == result


def test_equal_symbols_broadcast_to_themselves():
    batch = ANY.named("batch")
    assert str(broadcast(batch, batch, "C1").symbol) == "batch"


def test_a_window_longer_than_its_axis_violates():
    assert slack(Dim(2, 8), 3, "C1") == Dim(0, 5)
    with pytest.raises(Violation, match="C1: got a window of 9 on 8 elements"):
        slack(8, 9, "C1")


def test_an_empty_interval_cannot_be():
    with pytest.raises(ValueError, match="empty"):
        Dim(3, 2)


def test_what_is_not_one_number_is_no_integer():
    with pytest.raises(ValueError, match=r"is dynamic, must be one number"):
        int(Dim(2, 5))
