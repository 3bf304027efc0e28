"""Conversions in what examples of Convert do not show."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from irops.ops.conversion import converted, nearest
from irops.values.element import element_type, element_type_of, element_types, tagged

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
