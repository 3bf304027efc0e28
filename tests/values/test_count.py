"""Counts of elements: a factor that is missing is what it must be, whatever the numbers are."""

from __future__ import annotations

from math import inf, prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from irops.values.count import missing_factor
from irops.values.dim import ANY, Dim

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
    found = missing_factor([*(size for size, _ in parts), Dim(1, x + 2)], [number for _, number in parts])
    assert found is not None
    assert found.can_be(x)
    found = missing_factor([prod(whole)], [size for size, _ in parts])
    assert found is not None
    assert found.can_be(x)


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
        ([5], [ANY], Dim(1, 5)),
        ([B * 2 + B * S], [S + 2], B),
        ([2**70], [2**69], 2),
        ([S // 2, 8, 8, 3], [8, S // 2, 8], 3),
    ],
)
def test_what_cancels_out_is_known_exactly(whole, parts, factor):
    assert missing_factor(whole, parts) == factor


@pytest.mark.parametrize(
    ("whole", "parts"),
    [([7], [2]), ([2, 6], [0]), ([2, 6], [5]), ([Dim(1, 2)], [3]), ([B, 5], [B, 2]), ([3], [4])],
)
def test_there_may_be_no_such_factor(whole, parts):
    assert missing_factor(whole, parts) is None


def test_no_factor_of_a_size_that_is_not_0_is_0():
    rounded = Dim(1, inf, (B // 4 * 4).symbol)
    assert missing_factor([rounded, B], [B]) == Dim(4, inf)
