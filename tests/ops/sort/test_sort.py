"""TopK and SearchSorted beyond their examples: element types and orders."""

import numpy as np
import pytest

import irops
from irops.conformance.cases import outcome
from irops.dialects.registry import default_registry
from irops.spec.load import counterexamples
from irops.values.element import element_type


@pytest.mark.parametrize("mode", ["max", "min"])
@pytest.mark.parametrize("sort", ["value", "index"])
@pytest.mark.parametrize("axis", [0, 1])
def test_few_of_many_are_those_of_the_whole_order(mode, sort, axis):
    random = np.random.default_rng(0)
    data = random.standard_normal((40, 50)).astype(np.float32)
    data[:, :25] = np.round(data[:, :25])  # with ties
    data[3], data[:, 5], data[4, ::2], data[0, 0] = np.nan, np.nan, -np.inf, -0.0
    values, indices = irops.call("TopK-11", data, np.array(6), axis=axis, mode=mode, sort=sort)
    sign = -1 if mode == "max" else 1
    for line, (chosen, elements) in enumerate(zip(*(np.moveaxis(a, axis, 1) for a in (indices, values)))):
        row = np.take(data, line, 1 - axis)
        order = sorted(range(len(row)), key=lambda i: (np.isnan(row[i]), sign * np.nan_to_num(row[i]), i))[:6]
        assert chosen.tolist() == (sorted(order) if sort == "index" else order)
        assert np.array_equal(elements, row[chosen], equal_nan=True)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("kind", ["f32", "f16", "bf16", "f64", "i8", "i64", "u64", "u4"])
def test_every_row_is_searched_as_numpy_searches(kind, right):
    random = np.random.default_rng(1)
    sequences = np.sort(random.integers(0, 8, (5, 9)), axis=1)
    values = random.integers(0, 9, (5, 12))
    given = (array.astype(element_type(kind).dtype) for array in (sequences, values))
    side = "right" if right else "left"
    wanted = [np.searchsorted(s, v, side) for s, v in zip(sequences, values)]
    assert np.array_equal(irops.call("SearchSorted-15", *given, right_mode=right), wanted)


def test_what_is_no_number_breaks_the_order_too():
    op = default_registry().op("SearchSorted-15")
    case = next(c for c in counterexamples(op.definition) if c.violates == "C3")
    case.tensors[0].value[1] = np.nan
    assert "nan after 1.0" in outcome(op, case)[1][0].message
