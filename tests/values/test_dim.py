"""Dims: what is computed from intervals holds for every number in them."""

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
    lows = [n for n in (number, number - 1, number - 7) if low < 0 or n >= low]
    lows.append(-inf if low < 0 else 0)
    highs = [number, number + 1, number + 9, inf]
    return Dim(draw(st.sampled_from(lows)), draw(st.sampled_from(highs))), number


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


BATCH, LENGTH = ANY.named("batch"), Dim(2, 9).named("length")


@pytest.mark.parametrize(
    ("dim", "symbol"),
    [
        *((dim, "batch") for dim in (BATCH + 0, 0 + BATCH, BATCH - 0, BATCH * 1, 1 * BATCH, BATCH // 1)),
        (BATCH + 2, "batch + 2"),
        (2 + BATCH, "batch + 2"),
        (BATCH - 2, "batch - 2"),
        (2 - BATCH, "-batch + 2"),
        (3 * BATCH, "3*batch"),
        (BATCH * LENGTH, "batch*length"),
        *((dim, None) for dim in (BATCH + ANY, ANY + BATCH, BATCH * ANY, ANY // BATCH)),
        *((LENGTH.at_least(low), "length") for low in (1, 2)),
        *((LENGTH.at_most(high), "length") for high in (9, 10)),
        (LENGTH.at_least(3), "max(length, 3)"),
        (LENGTH.at_most(8), "min(length, 8)"),
        (LENGTH.union(Dim(2, 9).named("length")), "length"),
        *((LENGTH.union(other), None) for other in (Dim(2, 9), BATCH)),
        (unify(LENGTH, BATCH, "C1"), "length"),
        (unify(BATCH, LENGTH, "C1"), "batch"),
        (unify(ANY, LENGTH, "C1"), "length"),
        (unify(LENGTH, 4, "C1"), None),
        *((broadcast(LENGTH, other, "C1"), "length") for other in (1, ANY)),
        *((broadcast(other, LENGTH, "C1"), "length") for other in (1, ANY)),
        (broadcast(BATCH, ANY, "C1"), None),
        (broadcast(BATCH, ANY.named("other"), "C1"), "broadcast(batch, other)"),
        *((minimum(a, b), "length") for a, b in ((LENGTH, 20), (20, LENGTH), (LENGTH, 9))),
        *((maximum(a, b), "length") for a, b in ((LENGTH, 1), (1, LENGTH), (LENGTH, 2))),
        (minimum(LENGTH, 5), "min(length, 5)"),
        (maximum(LENGTH, 5), "max(length, 5)"),
        (slack(LENGTH, 2, "C1"), "length - 2"),
        (slack(LENGTH, 3, "C1"), "length - 3"),
        (minimum(5, LENGTH), "min(length, 5)"),
        (minimum(minimum(BATCH, LENGTH), BATCH), "min(batch, length)"),
        (minimum(minimum(BATCH, LENGTH), 5), "min(batch, length, 5)"),
        (maximum(minimum(BATCH, LENGTH), 5), "max(min(batch, length), 5)"),
        (maximum(LENGTH, LENGTH), "length"),
        (broadcast(broadcast(BATCH, ANY.named("n"), "C1"), BATCH, "C1"), "broadcast(batch, n)"),
        (LENGTH.ceil_div(2), "((length + 1)//(2))"),
        ((LENGTH - 1) // 2 + 1, "((length + 1)//(2))"),
        (LENGTH.named(None), None),
        (LENGTH.named("l"), "l"),
        (LENGTH.named(BATCH.symbol), "batch"),
        (Dim.of(3).named("three"), None),
        (5 // LENGTH, "((5)//(length))"),
        (LENGTH % 4, "length - 4*((length)//(4))"),
        (9 % LENGTH, "-((9)//(length))*length + 9"),
    ],
)
def test_a_symbol_is_kept_exactly_where_it_still_names_the_number(dim, symbol):
    assert (None if dim.symbol is None else str(dim.symbol)) == symbol


def test_what_has_been_bounded_is_no_longer_the_named_number():
    assert LENGTH.at_least(3) == Dim(3, 9)
    assert LENGTH.at_least(3).can_be(LENGTH - 1)


def test_a_function_of_two_numbers_has_no_symbol_if_its_name_would_be_too_long():
    long = ANY.named("n" * 200)
    assert minimum(long, ANY.named("m" * 40)).symbol is None
    assert minimum(long, ANY.named("m" * 30)).symbol is not None


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (BATCH, "batch"),
        (BATCH * 2, "2*batch"),
        (ANY, "?"),
        (Dim(2, 5).named("#1"), "2..5"),
        (Dim(2, 5).named("#1") + BATCH, "2.."),
        (Dim.of(3), "3"),
    ],
)
def test_a_dim_is_spelled_by_the_names_that_a_caller_gave(dim, text):
    assert dim.spelled == text


def test_the_representation_shows_bounds_and_symbol():
    assert repr(LENGTH) == "Dim(2, 9, 'length')"
    assert repr(ANY) == "Dim(0, inf)"


def test_symbols_narrow_what_bounds_alone_leave_wide():
    assert (LENGTH + 3) - LENGTH == 3
    assert (LENGTH * 2 - LENGTH).bounds == (2, 9)
    assert ((LENGTH + BATCH) - BATCH).bounds == (2, 9)
    assert (LENGTH - LENGTH * 2).bounds == (-9, -2)


def test_bounds_narrow_what_symbols_alone_leave_wide():
    halved = Dim(1, 4, (LENGTH // 2).symbol)
    assert halved + 1 == Dim(2, 5)
    assert (LENGTH % 4).bounds == (0, 3)


def test_contradictory_bounds_and_symbols_leave_the_bounds():
    wrong = Dim(20, 30, LENGTH.symbol)
    assert wrong + 1 == Dim(21, 31)
    assert (wrong + 1).symbol is None
    touching = Dim(9, 30, LENGTH.symbol)
    assert touching + 1 == 10


def test_comparisons_of_symbols_are_exact_at_the_bound():
    same = Dim(2, 9, LENGTH.symbol)
    assert same >= LENGTH
    assert same <= LENGTH
    assert not same > LENGTH
    assert not same < LENGTH
    assert LENGTH < LENGTH + 1
    assert not LENGTH >= LENGTH + 1
    assert LENGTH.can_be(same)
    assert not LENGTH.can_be(LENGTH - 1)


def test_small_numbers_share_one_dim():
    assert Dim.of(0) is Dim.of(0)
    assert Dim.of(4096) is Dim.of(4096)
    assert Dim.of(4096) == 4096
    assert Dim.of(4097) == 4097
    assert Dim.of(-1) == -1


def test_a_known_dim_is_an_integer():
    assert int(Dim.of(7)) == 7
    assert Dim.of(7).known
    assert not Dim(7, 8).known


def test_a_window_as_long_as_its_axis_has_no_slack():
    assert slack(3, 3, "C1") == 0
    assert slack(Dim(1, 3), 3, "C1") == 0
    assert slack(ANY, 3, "C1") == ANY
