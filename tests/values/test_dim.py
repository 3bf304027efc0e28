"""Dims: their texts, and the symbols that computing keeps. Intervals are tried in test_dim_tightness.py."""

from math import inf

import pytest

from irops.values.dim import (
    ANY,
    HUGE,
    MAX_DIM,
    UNKNOWN,
    Dim,
    broadcast,
    maximum,
    minimum,
    product,
    slack,
    unify,
)
from irops.values.violation import Violation

LONG = Dim(0, MAX_DIM - 1)


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
        (LONG, "..9223372036854775806"),
        *((Dim(0, MAX_DIM), "?"), (Dim(2, 2**70), "2.."), (Dim(-MAX_DIM, 5), "..5")),
        *((LONG * LONG, "?"), (LONG + LONG, "?"), (LONG * 4 + 1, "1.."), (maximum(LONG + 9, 3), "9..")),
        *((Dim.of(size), str(size)) for size in (MAX_DIM, -MAX_DIM - 1, 2**64 - 1)),
    ],
)
def test_dims_are_spelled_as_openvino_spells_them(dim, text):
    assert str(dim) == text


def test_unifying_what_cannot_be_equal_violates():
    with pytest.raises(Violation, match=r"C7: got 1\.\.2 and 3\.\.9"):
        unify(Dim(1, 2), Dim(3, 9), "C7")


def test_a_window_longer_than_its_axis_violates():
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


def test_products_of_very_large_numbers_do_not_grow_without_bound():
    number = (1, 10)
    for _ in range(200):  # digits double each time
        number = product(number, number)
    assert number == (1, inf)
    assert product((2**900, 2**900), (2**900, 2**900)) == (HUGE, inf)
    assert product((-(2**900), -(2**900)), (2**900, 2**900)) == (-inf, -HUGE)
    assert product((1, 2**999), (1, inf)) == (1, inf)
    assert product(product((1, 2**900), (1, 2**900)), (0, inf)) == (0, inf)
