"""Counts of elements: a factor that is missing is what it must be, whatever the numbers are. Single intervals
are tried in test_dim_tightness.py.
"""

from math import inf, prod

import pytest
from hypothesis import assume, given, strategies as st

from irops.values.dim import ANY, Dim, Product, missing_factor

B, S = ANY.named("batch"), Dim(1, 10).named("length")


@st.composite
def sizes_with_members(draw):
    """Up to three sizes, known or not, named or not, and numbers that they may be."""
    numbers = {"a": draw(st.integers(1, 6)), "b": draw(st.integers(1, 6))}
    sizes = []
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from([None, "a", "b"]))
        number = numbers[name] if name else draw(st.integers(0, 6))
        low, high = draw(st.integers(0, number)), draw(st.sampled_from([number, number + 3, inf]))
        sizes.append((Dim(low, high).named(name) if name else Dim(low, high), number))
    return sizes


@given(sizes_with_members(), st.data())
def test_a_missing_factor_is_found_for_every_member(parts, data):
    x = data.draw(st.integers(1, 12))
    whole = [number for _, number in parts] + [x]
    assume(prod(whole) > 0)
    sizes, numbers = [size for size, _ in parts], [number for _, number in parts]
    assert missing_factor([*sizes, Dim(1, x + 2)], numbers).can_be(x)
    assert missing_factor([prod(whole)], sizes).can_be(x)


@pytest.mark.parametrize(
    ("whole", "parts", "factor"),
    [
        ([2, 6], [4], 3),
        ([B, S, 768], [B, S, 12], 64),
        ([B, S, 768], [B, 768], S),
        ([B * S, 4], [S], B * 4),
        ([B, 6], [4], Dim(0, inf)),
        ([Dim(1, 10), 6], [3], Dim(2, 20)),
        ([Dim(1, 10), 3], [2], Dim(3, 15)),
        ([Dim(2, inf), 6], [4], Dim(3, inf)),
        ([], [], 1),
        ([0, 6], [3], 0),
        ([0, 6], [0], ANY),
        ([ANY, 6], [0], ANY),
        ([5], [Dim(2, inf)], Dim(1, 2)),
        ([B * 2 + B * S], [S + 2], B),
        ([2**70], [2**69], 2),
        ([S // 2, 8, 8, 3], [8, S // 2, 8], 3),
        *(([2, 6], [part], None) for part in (0, 5)),
        ([B, 5], [B, 2], None),
        ([-6], [3], -2),
        ([Dim(5, 5)], [Dim(1, 5)], Dim(1, 5)),
        ([0, ANY], [Dim(2, 3)], 0),
        ([0, 6], [Dim(0, 3)], ANY),
        ([6], [Dim(4, 5)], None),
        ([6], [Dim(3, 5)], 2),
        ([Dim(6, 12)], [6, Dim(1, 2)], Dim(1, 2)),
        ([10, Dim(1, 3)], [4], Dim(5, 5)),
        ([10, Dim(1, 4)], [4], Dim(5, 10)),
        ([12, B], [4, B], 3),
        ([12, B], [8, B], None),
        ([6, B, S], [4, B], Dim(3, 15)),
        ([B * 4, 3], [B, 2], 6),
        ([(B + 2) * S], [B + 2], S),
        ([B, B], [B], B),
    ],
)
def test_a_missing_factor_is_as_narrow_as_it_can_be(whole, parts, factor):
    assert missing_factor(whole, parts) == factor


def test_no_factor_of_a_size_that_is_not_0_is_0():
    rounded = Dim(1, inf, (B // 4 * 4).symbol)
    assert missing_factor([rounded, B], [B]) == Dim(4, inf)


@pytest.mark.parametrize(
    ("whole", "parts", "symbol"),
    [
        ([B, 6], [3], "2*batch"),
        ([B, 3], [B], None),
        ([B, S], [B], "length"),
        ([B], [S], "((batch)//(length))"),
        ([B, 6], [4], "3*((batch)//(2))"),
        ([ANY], [S], None),
        ([B * S], [B, 2], "((length)//(2))"),
    ],
)
def test_a_missing_factor_keeps_the_names_that_are_left(whole, parts, symbol):
    found = missing_factor(whole, parts).symbol
    assert (None if found is None else str(found)) == symbol


def test_a_known_factor_that_may_be_0_cancels_all_the_same():
    assert missing_factor([ANY.named("z"), 4], [ANY.named("z")]) == 4


def test_a_product_counts_numbers_names_and_the_rest():
    found = Product([2, B, S, Dim(1, 3), 5, B * 3])
    assert found.number == 30
    assert {str(symbol): count for symbol, count in found.named.items()} == {"batch": 2, "length": 1}
    assert found.rest == Dim(1, 3)
    assert found.sizes[S.symbol] == Dim(1, 10)
    other = Product([B])
    assert found.without(other) == ANY
    assert other.without(found) == 1
    assert Product([S]).without(other) == S


def test_the_factors_of_a_size_that_is_not_0_are_not_0():
    found = Product([Dim(1, inf, (B * S).symbol)])
    assert found.sizes[B.symbol] == Dim(1, inf)
    assert found.sizes[S.symbol] == Dim(1, 10)
    found = Product([Dim(0, inf, (B * S).symbol)])
    assert found.sizes[B.symbol] == ANY
    negative = Dim(-5, 0).named("n")
    found = Product([Dim(1, inf, (B * negative).symbol)])
    assert found.sizes[negative.symbol] == Dim(-5, -1)


@pytest.mark.parametrize(
    ("named", "bounds", "kept"),
    [(Dim(0, 100), (4, 9), (2, 4)), (Dim(0, 3), (50, 60), (0, 3))],
    ids=["the bounds of the size that it is part of", "none that contradict the symbol"],
)
def test_a_factor_keeps_bounds(named, bounds, kept):
    quotient = missing_factor([Dim(*bounds, (named.named("N") * 2).symbol)], [2])
    assert (quotient.bounds, quotient.spelled) == (kept, "N")
