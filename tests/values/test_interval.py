"""Intervals without an end: what is known where a bound is infinite."""

from math import inf

import pytest

from irops.values.dim import HUGE, product, quotient, remainder

ALL = (-inf, inf)


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ((0, inf), (0, inf), (0, inf)),
        ((0, inf), (-2, 3), ALL),
        ((2, inf), (3, inf), (6, inf)),
        ((-inf, -2), (3, 4), (-inf, -6)),
        ((-inf, -2), (-inf, -5), (10, inf)),
        ((0, 0), ALL, (0, 0)),
        (ALL, (0, 0), (0, 0)),
        ((0, 5), (2, inf), (0, inf)),
    ],
)
def test_products_of_open_intervals(a, b, result):
    assert product(a, b) == result


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ((0, inf), (2, 2), (0, inf)),
        ((7, inf), (2, 3), (2, inf)),
        ((7, 9), (2, inf), (0, 4)),
        ((-9, -7), (2, inf), (-5, -1)),
        ((-9, 7), (2, inf), (-5, 3)),
        ((7, 9), (-inf, -2), (-5, -1)),
        ((-9, -7), (-inf, -2), (0, 4)),
        ((0, 0), (2, inf), (0, 0)),
        ((0, 0), (-inf, -2), (0, 0)),
        ((-inf, 5), (2, 2), (-inf, 2)),
        ((-inf, 5), (-2, -2), (-3, inf)),
        ((5, inf), (-2, -2), (-inf, -3)),
        ((5, inf), (0, 2), (2, inf)),
        ((5, 6), (0, inf), (0, 6)),
        ((5, 6), (-inf, 0), (-6, -1)),
        ((5, 6), ALL, (-6, 6)),
        ((5, 6), (0, 0), ALL),
        ((5, 6), (-1, 0), (-6, -5)),
        ((5, 6), (0, 1), (5, 6)),
    ],
)
def test_quotients_of_open_intervals_leave_out_the_divisor_0(a, b, result):
    assert quotient(a, b) == result


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ((0, inf), (4, 4), (0, 3)),
        ((0, inf), (1, inf), (0, inf)),
        ((2, 3), (4, inf), (2, 3)),
        ((2, 4), (4, inf), (0, 4)),
        ((-3, 4), (4, inf), (0, inf)),
        ((-inf, inf), (4, 4), (0, 3)),
        ((-inf, 3), (4, 4), (0, 3)),
        ((5, 6), (4, 4), (1, 2)),
        ((5, 8), (4, 4), (0, 3)),
        ((-3, -2), (4, 4), (1, 2)),
        ((5, 6), (3, 4), (0, 3)),
        ((1, 2), (3, 4), (1, 2)),
        ((-3, -2), (-4, -4), (-3, -2)),
        ((5, 6), (-4, -4), (-3, -2)),
        ((0, inf), (-4, -4), (-3, 0)),
        ((0, 2), (-3, 5), (-2, 2)),
        ((0, 2), (0, 1), (0, 0)),
        ((0, 2), (-1, 0), (0, 0)),
        ((0, 2), (0, 0), ALL),
        ((7, 7), (7, 7), (0, 0)),
        ((0, 9), (5, 8), (0, 7)),
        ((0, 5), (5, 8), (0, 5)),
    ],
)
def test_remainders_have_the_sign_of_the_divisor_and_stay_below_it(a, b, result):
    assert remainder(a, b) == result


def test_products_of_very_large_numbers_do_not_grow_without_bound():
    number = (1, 10)
    for _ in range(200):  # digits double each time
        number = product(number, number)
    assert number == (1, inf)
    assert product((2**900, 2**900), (2**900, 2**900)) == (HUGE, inf)
    assert product((-(2**900), -(2**900)), (2**900, 2**900)) == (-inf, -HUGE)
    assert product((1, 2**999), (1, inf)) == (1, inf)
    assert product(product((1, 2**900), (1, 2**900)), (0, inf)) == (0, inf)
