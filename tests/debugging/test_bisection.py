"""Search for few items that fail among many."""

import pytest

from irops.debugging.reduce.attempts import narrowed, without_each


class Needs:
    """Fails if all needed items are there; counts how often it is asked."""

    def __init__(self, *needed):
        self.needed, self.tries = set(needed), 0

    def __call__(self, items):
        self.tries += 1
        return self.needed <= set(items)


def searched(size, fails):
    return list(without_each(narrowed(range(size), fails), fails))


@pytest.mark.parametrize("item", [0, 1, 499, 500, 501, 998, 999])
def test_one_item_of_a_thousand_takes_twice_the_logarithm_at_most(item):
    fails = Needs(item)
    assert searched(1000, fails) == [item]
    assert fails.tries <= 21


@pytest.mark.parametrize("pair", [(499, 500), (0, 999), (10, 11), (120, 130), (249, 251)])
def test_two_items_that_fail_only_together(pair):
    fails = Needs(*pair)
    assert searched(1000, fails) == list(pair)
    assert fails.tries <= 64


def test_neighbours_at_the_border_of_halves_are_not_separated():
    fails = Needs(498, 499, 500, 501, 502)
    assert searched(1000, fails) == [498, 499, 500, 501, 502]


def test_nothing_is_left_out_where_all_is_needed():
    assert searched(7, Needs(*range(7))) == list(range(7))


def test_a_single_item_is_kept():
    fails = Needs()
    assert searched(1, fails) == [0]
    assert fails.tries == 0


def test_no_items_stay_none():
    assert searched(0, Needs()) == []


def test_items_that_hide_each_other_are_found_by_leaving_out():
    """The fault of 700 shows only without 100, unless 200 is there too."""

    def fails(items):
        return 700 in items and (100 not in items or 200 in items)

    assert searched(1000, fails) == [700]
