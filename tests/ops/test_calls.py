"""Ops called with arrays that are no good examples: ends of types, narrow types, NaN, sizes of 0."""

import numpy as np
import pytest
from tables import table, tensor

import irops
from irops.values.element import element_type, element_type_of


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "outputs"), table(__file__, "calls_give_what_the_row_says")
)
def test_calls_give_what_the_row_says(op, inputs, attributes, outputs):
    found = irops.call(op, *map(tensor, inputs), **attributes)
    for output, text in zip(found if isinstance(found, tuple) else (found,), outputs, strict=True):
        assert element_type_of(output) is element_type(text.partition("[")[0])
        np.testing.assert_array_equal(output, tensor(text))


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "words"), table(__file__, "calls_are_refused_for_their_values")
)
def test_calls_are_refused_for_their_values(op, inputs, attributes, words):
    with pytest.raises(irops.EvaluationError) as error:
        irops.call(op, *map(tensor, inputs), **attributes)
    assert words in str(error.value)
