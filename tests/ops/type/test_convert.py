"""Convert on values that are known in part."""

from math import inf

import numpy as np
import pytest
from invoking import inferred

from irops.values.dim import ANY, Dim, Symbol
from irops.values.element import element_type
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape

BATCH = Dim(0, inf, Symbol.named("batch"))


def known(dims, source, destination):
    fact = Fact(element_type(source), Shape.of(len(dims)), dims_array(dims))
    return inferred("Convert-1", fact, destination_type=destination)[0].known


@pytest.mark.parametrize("there", ["i32", "u64", "f32", "f64"])
def test_dimensions_keep_bounds_and_names_on_the_way_through_other_types(there):
    back = known(list(known([BATCH, Dim(2, 5), Dim.of(7)], "i64", there)), there, "i64")
    assert back.tolist() == [ANY, Dim(2, 5), Dim.of(7)]
    assert back[0].symbol == BATCH.symbol


def test_a_number_that_may_not_fit_is_not_known():
    assert known([Dim(0, 300), Dim(2, 5)], "i64", "u8").tolist() == [Dim(0, 255), Dim(2, 5)]


def test_what_is_surely_not_zero_is_true():
    assert known([Dim(2, 5), Dim(0, 5), Dim.of(0)], "i64", "boolean").tolist() == [
        Dim.of(1),
        Dim(0, 1),
        Dim.of(0),
    ]


def test_half_precision_rounds_bounds_and_forgets_names():
    low, high = known([Dim(2049, 4099), BATCH], "i64", "f16")[0].bounds, known([BATCH], "i64", "f16")[0]
    assert low == (2048, 4100)
    assert high == ANY
    assert high.symbol is None


def test_nothing_is_said_of_types_that_few_numbers_survive():
    assert known([Dim(2, 5)], "i64", "f8e8m0") is None
    assert known([Dim(2, 5)], "i64", "nf4") is None


def test_a_converted_constant_is_folded_to_elements():
    assert known([Dim.of(-1), Dim.of(2)], "i64", "i32").dtype == np.int32
