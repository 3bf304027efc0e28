"""SearchSorted beyond its examples: compared with NumPy's search, and the order that it requires."""

import numpy as np
import pytest

import irops
from irops.conformance.cases import outcome
from irops.dialects.registry import default_registry
from irops.spec.load import counterexamples
from irops.values.element import element_type


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
