"""Dims: arithmetic gives the smallest interval, not only one that is large enough. Every pair of small
intervals is tried, against the numbers in them.
"""

import operator
from itertools import product

import pytest

from irops.values.dim import Dim, broadcast, maximum, minimum, slack, unify
from irops.values.violation import Violation

RANGE = range(-3, 5)
INTERVALS = [Dim(low, high) for low in RANGE for high in RANGE if low <= high]
PAIRS = list(product(INTERVALS, INTERVALS))
SIZES = [(a, b) for a, b in PAIRS if a.low >= 0 and b.low >= 0]


def members(dim):
    return range(dim.low, dim.high + 1)


def results(function, a, b):
    """What a function gives for all members of two intervals for which it gives anything."""
    found = set()
    for x, y in product(members(a), members(b)):
        result = function(x, y)
        if result is not None:
            found.add(result)
    return found


def hull(numbers):
    return Dim(min(numbers), max(numbers))


@pytest.mark.parametrize("operate", [operator.add, operator.sub, operator.mul, min, max])
def test_arithmetic_gives_the_smallest_interval(operate):
    of_dims = {min: minimum, max: maximum}.get(operate, operate)
    for a, b in PAIRS:
        assert of_dims(a, b) == hull(results(operate, a, b)), (a, b)


@pytest.mark.parametrize("operate", [operator.floordiv, lambda x, y: -(-x // y)])
def test_division_gives_the_smallest_interval_over_divisors_other_than_0(operate):
    of_dims = operator.floordiv if operate is operator.floordiv else Dim.ceil_div
    for a, b in PAIRS:
        if b != 0:
            found = results(lambda x, y: operate(x, y) if y else None, a, b)
            assert of_dims(a, b) == hull(found), (a, b)


def test_the_remainder_by_a_known_number_is_the_smallest_interval():
    for a, b in PAIRS:
        if b.known and b != 0:
            assert a % b == hull(results(operator.mod, a, b)), (a, b)


def test_the_remainder_lies_between_0_and_the_divisor_and_is_no_larger_than_the_number():
    for a, b in PAIRS:
        if b.low > 0:
            found = a % b
            assert found.low >= 0
            assert found.high <= b.high - 1
            assert a.low < 0 or found.high <= a.high
            assert set(members(found)) >= results(operator.mod, a, b)


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_a_comparison_is_true_exactly_where_it_can_be(compare):
    for a, b in PAIRS:
        assert compare(a, b) == (True in results(compare, a, b)), (a, b)


def test_two_dims_can_be_equal_exactly_where_they_share_a_number():
    for a, b in PAIRS:
        assert a.can_be(b) == bool(set(members(a)) & set(members(b))), (a, b)


def test_two_dims_are_equal_objects_exactly_where_the_same_is_known_of_both():
    for a, b in PAIRS:
        assert (a == b) == (list(members(a)) == list(members(b)))
        assert a != b or hash(a) == hash(b)


def test_a_known_dim_is_equal_to_its_number_and_hashes_as_it():
    for n in (*RANGE, 5000):
        assert Dim(n, n) == n
        assert hash(Dim(n, n)) == hash(n)
        assert Dim(n, n + 1) != n
        assert Dim(n - 1, n) != n


def test_bounding_a_dim_gives_the_smallest_interval():
    for dim, n in product(INTERVALS, RANGE):
        assert dim.at_least(n) == hull({max(x, n) for x in members(dim)})
        assert dim.at_most(n) == hull({min(x, n) for x in members(dim)})


def test_the_union_reaches_from_the_lower_bound_to_the_higher():
    for a, b in PAIRS:
        assert a.union(b) == hull({*members(a), *members(b)})


def test_unifying_gives_what_both_share_and_violates_where_they_share_nothing():
    for a, b in PAIRS:
        shared = set(members(a)) & set(members(b))
        if shared:
            assert unify(a, b, "C1") == hull(shared)
        else:
            with pytest.raises(Violation):
                unify(a, b, "C1")


def broadcast_sizes(x, y):
    if y in (x, 1):
        return x
    return y if x == 1 else None


def test_broadcasting_gives_the_smallest_interval_and_violates_where_nothing_fits():
    for a, b in SIZES:
        found = results(broadcast_sizes, a, b)
        if found:
            assert broadcast(a, b, "C1") == hull(found), (a, b)
        else:
            with pytest.raises(Violation):
                broadcast(a, b, "C1")


def test_the_slack_of_a_window_is_the_smallest_interval_over_windows_that_fit():
    for size, window in SIZES:
        found = results(lambda x, y: x - y if x >= y else None, size, window)
        if found:
            assert slack(size, window, "C1") == hull(found)
        else:
            with pytest.raises(Violation):
                slack(size, window, "C1")
