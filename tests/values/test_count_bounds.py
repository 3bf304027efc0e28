"""The bounds of a size hold for its factors, too."""

from __future__ import annotations

from irops.values.dim import Dim, missing_factor


def test_a_factor_keeps_the_bounds_of_the_size_that_it_is_part_of():
    twice = Dim(0, 100).named("N") * 2
    quotient = missing_factor([Dim(4, 9, twice.symbol)], [2])
    assert quotient is not None
    assert (quotient.bounds, quotient.spelled) == ((2, 4), "N")


def test_bounds_that_contradict_the_symbol_are_not_combined():
    twice = Dim(0, 3).named("N") * 2
    quotient = missing_factor([Dim(50, 60, twice.symbol)], [2])
    assert quotient is not None
    assert quotient.bounds == (0, 3)
