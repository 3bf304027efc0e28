"""How many elements a slice takes, of axes and positions that are known in part."""

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irops.ops.movement.slice import slice_of, sliced_size
from irops.values.dim import UNKNOWN, Dim
from irops.values.shape import MAX_DIM, Shape

LAST, BEFORE_FIRST = Dim.of(MAX_DIM), Dim.of(-MAX_DIM - 1)


def intervals(low, high):
    return st.tuples(st.integers(low, high), st.integers(0, 5)).map(
        lambda p: Dim(p[0], min(p[0] + p[1], high))
    )


def numbers(dim):
    return range(dim.low, dim.high + 1)


def taken(size, start, stop, step):
    return len(np.arange(size)[slice_of(size, start, stop, step)])


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    intervals(0, 8),
    intervals(-9, 9),
    intervals(-9, 9),
    st.sampled_from([Dim.of(1), Dim.of(2), Dim.of(-1), Dim.of(-3), Dim(2, 3), Dim(-2, -1)]),
)
def test_intervals_are_exact(size, start, stop, step):
    counts = [taken(*numbers) for numbers in product(*map(numbers, (size, start, stop, step)))]
    assert sliced_size(size, start, stop, step) == Dim(min(counts), max(counts))


@pytest.mark.parametrize(
    ("size", "start", "stop", "step", "count"),
    [
        ("?", 0, LAST, 1, "?"),
        ("?", 0, LAST, 2, "?"),
        ("5..", 1, LAST, 1, "4.."),
        ("?", -5, LAST, 1, "..5"),
        ("?", 0, -1, 1, "?"),
        ("?", LAST, BEFORE_FIRST, -1, "?"),
        ("?", -1, BEFORE_FIRST, -1, "?"),
        ("?", 5, BEFORE_FIRST, -2, "..3"),
        ("?", -5, 10, 1, "..5"),
        ("5..100", -5, 10, 1, "..5"),
        ("5..", 5, -3, -1, "..2"),
        ("?", UNKNOWN, UNKNOWN, 1, "?"),
        ("10", UNKNOWN, 4, 1, "..4"),
        ("10", 0, 9, UNKNOWN, "..10"),
        ("10", 0, LAST, MAX_DIM, "1"),
    ],
)
def test_unlimited_axes_and_the_ends_of_64_bits(size, start, stop, step, count):
    (axis,) = Shape.parse(size)
    assert str(sliced_size(axis, Dim.of(start), Dim.of(stop), Dim.of(step))) == count


def test_a_slice_that_takes_all_keeps_the_name_of_the_axis():
    batch = Dim(1, 8).named("batch")
    for start, stop, step in ((0, LAST, 1), (0, batch, 1), (-8, Dim.of(8), 1), (-1, BEFORE_FIRST, -1)):
        assert sliced_size(batch, Dim.of(start), stop, Dim.of(step)).symbol == batch.symbol


def test_what_one_slice_leaves_the_other_takes():
    past, new = Dim(0, inf).named("past"), Dim(1, inf).named("new")
    whole, one = past + new, Dim.of(1)
    assert sliced_size(whole, Dim.of(0), past, one).symbol == past.symbol
    assert sliced_size(whole, past, LAST, one).symbol == new.symbol
    assert sliced_size(past + 8, past, LAST, one) == 8
