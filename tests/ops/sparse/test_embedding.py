"""Bags against sums that are taken one by one."""

import numpy as np
import pytest

import irops

RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((6, 2, 3))
INDICES = RNG.integers(0, 6, 9)
WEIGHTS = RNG.standard_normal(9)


def total(places):
    return sum((WEIGHTS[i] * TABLE[INDICES[i]] for i in places), np.zeros((2, 3)))


def test_bags_begin_at_offsets():
    offsets = np.array([1, 4, 4, 7])
    found = irops.call("EmbeddingBagOffsetsSum-3", TABLE, INDICES, offsets, np.array(5), WEIGHTS)
    np.testing.assert_allclose(found, [total(range(1, 4)), TABLE[5], total(range(4, 7)), total(range(7, 9))])


def test_segments_may_come_in_any_order():
    ids = np.array([3, 0, 0, 3, 1, 0, 3, 1, 1])
    found = irops.call("EmbeddingSegmentsSum-3", TABLE, INDICES, ids, np.array(4), np.array(-1), WEIGHTS)
    np.testing.assert_allclose(found, [total(np.flatnonzero(ids == segment)) for segment in range(4)])


def test_narrow_floats_are_summed_in_f32():
    table = np.full((1, 1), 1, np.float16)
    found = irops.call("EmbeddingBagPackedSum-3", table, np.zeros((1, 4097), np.int64))
    assert found.dtype == np.float16
    assert found.tolist() == [[4096]]  # 4097, rounded once; sums in f16 stay at 2048


def test_segments_of_nothing_take_no_memory():
    none, count = np.zeros(0, np.int64), 2**40
    assert irops.call(
        "EmbeddingSegmentsSum-3", np.zeros((3, 0), np.float32), none, none, np.array(count)
    ).shape == (count, 0)


@pytest.mark.parametrize(("bags", "length"), [(9, 3), (2, 40), (1, 1)])
def test_rows_are_added_in_the_order_of_their_indices(bags, length):
    random = np.random.default_rng(bags)
    table = random.random((5, 3), np.float32)
    indices, weights = random.integers(0, 5, bags * length), random.random(bags * length, np.float32)
    segments = np.sort(random.integers(0, bags, bags * length))
    expected = np.zeros((bags, 3), np.float32)
    for index, weight, segment in zip(indices, weights, segments):
        expected[segment] += table[index] * weight
    result = irops.call("EmbeddingSegmentsSum-3", table, indices, segments, bags, None, weights)
    assert result.tolist() == expected.tolist()
    shuffled = random.permutation(len(indices))
    again = irops.call(
        "EmbeddingSegmentsSum-3", table, indices[shuffled], segments[shuffled], bags, None, weights[shuffled]
    )
    assert np.allclose(again, expected, rtol=1e-5)
