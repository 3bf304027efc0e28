"""What is known in part of reductions, and numbers that are hard to gather."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from invoking import attach_values, infer_layer

import irops
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.values.dim import ANY, Dim
from irops.values.element import I64
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape

OPS = ["ReduceSum-1", "ReduceProd-1", "ReduceMax-1", "ReduceMean-1"]


def known(op_id, data, axes, **attributes):
    op = default_registry().op(op_id)
    bound = bind(op, attributes).values
    facts = [Fact(I64, Shape(np.shape(data)), dims_array(data)), axes]
    return attach_values(op, facts, bound, infer_layer(op, facts, bound), 1 << 16)[0]


@pytest.mark.parametrize("op_id", OPS)
def test_the_bounds_are_the_least_and_the_greatest_that_can_be(op_id):
    spans = [Dim(-2, 1), Dim(0, 3), Dim(3, 3), Dim(-3, -1)]
    last = Fact(I64, Shape((1,)), np.array([-1]))
    for a, b in product(spans, spans):
        if a.known and b.known:
            continue
        found = known(op_id, [a, b], last).dims[0]
        elements = np.array(list(product(range(a.low, a.high + 1), range(b.low, b.high + 1))))
        can_be = irops.call(op_id, elements, np.array([1]))
        assert (found.low, found.high) == (can_be.min(), can_be.max())


def test_axes_stay_or_go_as_they_do_for_elements():
    data = [[ANY, 2], [3, Dim(4, 5)]]
    rows = Fact(I64, Shape((1,)), np.array([1]))
    assert known("ReduceProd-1", data, rows, keep_dims="true").known.shape == (2, 1)
    assert known("ReduceProd-1", data, rows).dims == (ANY, Dim(12, 15))
    both = Fact(I64, Shape((2,)), np.array([0, 1]))
    assert known("ReduceMax-1", data, both).dims == (Dim(4, float("inf")),)


def test_nothing_is_known_along_axes_that_are_not_known():
    assert known("ReduceSum-1", [[1, 2], [3, 4]], Fact(I64, Shape((1,)))).known is None


def test_many_small_numbers_of_a_narrow_type_are_not_lost():
    data = np.full((1, 70000), 0.1, np.float16)
    assert irops.call("ReduceSum-1", data, np.array([1]))[0] == np.float16(70000 * float(np.float16(0.1)))
    single = np.full(1 << 20, 0.1, np.float32).reshape(-1, 1)
    assert irops.call("ReduceSum-1", single, np.array([0]))[0] == pytest.approx(0.1 * 2**20, rel=1e-6)


def test_sums_of_64_bits_wrap_around_and_others_are_gathered_wide():
    top = np.array([2**63 - 1, 1], np.int64)
    assert irops.call("ReduceSum-1", top, np.array([0])) == -(2**63)
    assert irops.call("ReduceMean-1", np.array([2**31 - 1] * 3, np.int32), np.array([0])) == 2**31 - 1


def test_axes_with_a_name_twice_are_refused_when_they_are_given():
    with pytest.raises(irops.EvaluationError, match="no axis is named twice"):
        irops.call("ReduceSum-1", np.ones((2, 3), np.float32), np.array([1, -1]))
