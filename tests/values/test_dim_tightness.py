"""Dims: arithmetic gives the smallest interval, not only one that is large enough. Every pair of small
intervals, some of them without an end, is tried against the numbers in them.
"""

import operator
from itertools import product
from math import inf

import numpy as np
import pytest

from irops.values.dim import (
    Dim,
    broadcast,
    maximum,
    minimum,
    missing_factor,
    remainder as remainder_of_bounds,
    slack,
    unify,
)
from irops.values.violation import Violation

FAR, LARGE = 60, 12
"""Numbers up to which intervals without an end are tried, and above which a result stands for infinity."""
ENDS = range(-3, 4)
INTERVALS = [Dim(low, high) for low in (-inf, *ENDS) for high in (*ENDS, inf) if low <= high]
PAIRS = list(product(INTERVALS, INTERVALS))


def members(dim):
    return np.arange(max(dim.low, -FAR), min(dim.high, FAR) + 1).astype(int)


def hull(numbers):
    low, high = int(numbers.min()), int(numbers.max())
    return Dim(low if low > -LARGE else -inf, high if high < LARGE else inf)


def of_members(function, a, b, fits):
    """What a function gives for all members of two intervals that fit each other."""
    x, y = np.broadcast_arrays(members(a)[:, np.newaxis], members(b))
    chosen = np.broadcast_to(fits(x, y), x.shape)
    return function(x[chosen], y[chosen])


def anything(x, y):
    return True


def is_divisor(x, y):
    return y != 0


@pytest.mark.parametrize(
    ("of_numbers", "of_dims", "fits"),
    [
        (np.add, operator.add, anything),
        (np.subtract, operator.sub, anything),
        (np.multiply, operator.mul, anything),
        (np.minimum, minimum, anything),
        (np.maximum, maximum, anything),
        (np.floor_divide, operator.floordiv, is_divisor),
        (lambda x, y: -(-x // y), Dim.ceil_div, is_divisor),
        (lambda x, y: np.concatenate([x, y]), Dim.union, anything),
    ],
)
def test_arithmetic_gives_the_smallest_interval(of_numbers, of_dims, fits):
    for a, b in PAIRS:
        if (found := of_members(of_numbers, a, b, fits)).size:
            assert of_dims(a, b) == hull(found), (a, b)


def broadcast_together(x, y):
    return (x == y) | (x == 1) | (y == 1)


@pytest.mark.parametrize(
    ("of_numbers", "of_dims", "fits", "low"),
    [
        (lambda x, y: x, unify, np.equal, -inf),
        (lambda x, y: np.where(x == 1, y, x), broadcast, broadcast_together, 0),
        (np.subtract, slack, np.greater_equal, 0),
    ],
)
def test_sizes_that_fit_give_the_smallest_interval_and_others_violate(of_numbers, of_dims, fits, low):
    for a, b in [pair for pair in PAIRS if min(pair[0].low, pair[1].low) >= low]:
        if (found := of_members(of_numbers, a, b, fits)).size:
            assert of_dims(a, b, "C1") == hull(found), (a, b)
        else:
            with pytest.raises(Violation):
                of_dims(a, b, "C1")


def test_the_remainder_by_a_known_number_is_the_smallest_interval():
    for a, b in PAIRS:
        if b.known and b != 0:
            assert a % b == hull(of_members(np.mod, a, b, anything)), (a, b)


def test_the_remainder_lies_between_0_and_the_divisor_and_is_no_larger_than_the_number():
    for a, b in PAIRS:
        if b.low > 0:
            found = a % b
            assert (found.low >= 0, found.high <= b.high - 1) == (True, True)
            assert a.low < 0 or found.high <= a.high
            assert np.isin(of_members(np.mod, a, b, anything), members(found)).all()


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ((2, 3), (4, inf), (2, 3)),
        ((1, 2), (3, 4), (1, 2)),
        ((0, inf), (1, inf), (0, inf)),
        ((2, 4), (4, inf), (0, 4)),
        ((-3, 4), (4, inf), (0, inf)),
        ((5, 6), (3, 4), (0, 3)),
        ((0, 2), (-3, 5), (-2, 2)),
        ((0, 2), (0, 1), (0, 0)),
        ((0, 2), (-1, 0), (0, 0)),
        ((0, 2), (0, 0), (-inf, inf)),
        ((0, 9), (5, 8), (0, 7)),
    ],
)
def test_a_remainder_by_an_unknown_number_has_the_sign_of_the_divisor(a, b, result):
    assert remainder_of_bounds(a, b) == result


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_a_comparison_is_true_exactly_where_it_can_be(compare):
    for a, b in PAIRS:
        assert compare(a, b) == of_members(compare, a, b, anything).any(), (a, b)


def test_two_dims_can_be_equal_exactly_where_they_share_a_number():
    for a, b in PAIRS:
        assert a.can_be(b) == bool(set(members(a)) & set(members(b))), (a, b)


def test_two_dims_are_equal_objects_exactly_where_the_same_is_known_of_both():
    for a, b in PAIRS:
        assert (a == b) == (list(members(a)) == list(members(b)))
        assert a != b or hash(a) == hash(b)


def test_a_known_dim_is_equal_to_its_number_and_hashes_as_it():
    for n in (*ENDS, 4096, 4097):
        assert Dim(n, n) == Dim.of(n) == n == int(Dim(n, n))
        assert hash(Dim(n, n)) == hash(n)
        assert Dim(n, n + 1) != n
        assert Dim(n - 1, n) != n


def test_bounding_a_dim_gives_the_smallest_interval():
    for dim, n in product(INTERVALS, ENDS):
        assert dim.at_least(n) == hull(np.maximum(members(dim), n))
        assert dim.at_most(n) == hull(np.minimum(members(dim), n))


def test_a_missing_factor_is_the_smallest_interval_unless_a_number_is_divided_by_an_unknown_one():
    sizes = [Dim(low, high) for low in range(8) for high in (*range(8), inf) if low <= high]
    factors = np.arange(FAR + 1)
    for whole, part in product(sizes, sizes):
        products = factors[:, np.newaxis] * members(part)
        fitting = factors[((products >= whole.low) & (products <= whole.high)).any(axis=1)]
        found, wanted = missing_factor([whole], [part]), hull(fitting) if fitting.size else None
        if whole.known and not part.known:
            assert wanted is None or (found.low <= wanted.low and found.high >= wanted.high), (whole, part)
        else:
            assert found == wanted, (whole, part)
