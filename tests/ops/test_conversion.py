"""Conversions in what examples of Convert do not show, and of values that are known in part."""

from itertools import product
from math import inf

import numpy as np
import pytest
from invoking import inferred

from irops.ops.conversion import converted, nearest
from irops.values.dim import ANY, Dim, Symbol
from irops.values.element import element_type, element_type_of, element_types, tagged
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape

TYPES = [t for t in element_types() if t.kind not in ("dynamic", "string")]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_what_a_type_holds_survives_the_way_through_f64(kind):
    held = some_of(kind)
    back = converted(converted(held, element_type("f64")), kind)
    assert element_type_of(back) is kind
    assert back.tobytes() == held.tobytes()


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_every_pair_of_types_converts_scalars_and_nothing_too(source):
    for destination, shape in product(TYPES, ((), (0, 3), (2, 1))):
        array = (
            tagged(np.zeros(shape, np.uint8), source)
            if source.dtype == np.uint8
            else np.ones(shape, source.dtype)
        )
        found = converted(array, destination)
        assert found.shape == shape
        assert element_type_of(found) is destination


def some_of(kind):
    if kind.bits <= 8 and kind.kind != "boolean":
        codes = np.arange(1 << kind.bits, dtype=np.uint8)
        if kind.kind == "signed" or (kind.integral and kind.dtype != np.uint8):
            return np.arange(*(int(end) + past for past, end in enumerate(kind.extent))).astype(kind.dtype)
        array = tagged(codes, kind) if kind.dtype == np.uint8 else codes.view(kind.dtype)
        return array if kind.kind in ("unsigned", "lookup") else array[~np.isnan(array.astype(np.float32))]
    if kind.kind == "boolean":
        return np.array([True, False])
    numbers = [0, 1, 100, -1, -128] if kind.kind != "unsigned" else [0, 1, 200, 2**15]
    return np.array(numbers, kind.dtype)


def test_integers_of_64_bits_keep_their_low_bits_exactly():
    wide = np.array([2**63 - 1, -(2**63), 2**53 + 1])
    assert converted(wide, element_type("u64")).tolist() == [2**63 - 1, 2**63, 2**53 + 1]
    assert converted(wide, element_type("i32")).tolist() == [-1, 0, 1]
    assert converted(wide, element_type("u6")).tolist() == [63, 0, 1]


def test_the_nearest_integer_saturates_at_the_ends_of_64_bits():
    far = np.array([np.nan, -np.inf, np.inf, 9.3e18, -9.3e18, 2.5, 3.5, 2.0**63, 2.0**64])
    low, high, most = -(2**63), 2**63 - 1, 2**64 - 1
    assert nearest(far, element_type("i64")).tolist() == [low, low, high, high, low, 2, 4, high, high]
    unsigned = nearest(far, element_type("u64")).tolist()
    assert unsigned == [0, 0, most, 9300000000000000000, 0, 2, 4, high + 1, most]
    assert nearest(far, element_type("u4")).tolist() == [0, 0, 15, 15, 0, 2, 4, 15, 15]


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
