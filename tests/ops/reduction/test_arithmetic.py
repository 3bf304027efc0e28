"""What is known in part of reductions, and numbers that are hard to gather."""

from itertools import product

import numpy as np
import pytest
from invoking import inferred

import irops
from irops.values.dim import ANY, Dim

OPS = ["ReduceSum-1", "ReduceProd-1", "ReduceMax-1", "ReduceMean-1"]


@pytest.mark.parametrize("op_id", OPS)
def test_the_bounds_are_the_least_and_the_greatest_that_can_be(op_id):
    spans = [Dim(-2, 1), Dim(0, 3), Dim(3, 3), Dim(-3, -1)]
    for a, b in product(spans, spans):
        if a.known and b.known:
            continue
        found = inferred(op_id, [a, b], [-1])[0].dims[0]
        elements = np.array(list(product(range(a.low, a.high + 1), range(b.low, b.high + 1))))
        can_be = irops.call(op_id, elements, np.array([1]))
        assert (found.low, found.high) == (can_be.min(), can_be.max())


def test_axes_stay_or_go_as_they_do_for_elements():
    data = [[ANY, 2], [3, Dim(4, 5)]]
    assert inferred("ReduceProd-1", data, [1], keep_dims=True)[0].known.shape == (2, 1)
    assert inferred("ReduceProd-1", data, [1])[0].dims == (ANY, Dim(12, 15))
    assert inferred("ReduceMax-1", data, [0, 1])[0].dims == (Dim(4, float("inf")),)


def test_nothing_is_known_along_axes_that_are_not_known():
    assert inferred("ReduceSum-1", [[1, 2], [3, 4]], "i64[1]")[0].known is None


def test_many_small_numbers_of_a_narrow_type_are_not_lost():
    data = np.full((1, 70000), 0.1, np.float16)
    assert irops.call("ReduceSum-1", data, np.array([1]))[0] == np.float16(70000 * float(np.float16(0.1)))
    single = np.full(1 << 20, 0.1, np.float32).reshape(-1, 1)
    assert irops.call("ReduceSum-1", single, np.array([0]))[0] == pytest.approx(0.1 * 2**20, rel=1e-6)
