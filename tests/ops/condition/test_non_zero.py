"""How many positions NonZero finds in what is known in part."""

from __future__ import annotations

import numpy as np
import pytest
from invoking import infer_layer

from irops.dialects.registry import default_registry
from irops.values.element import element_type
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ("2,3", "[2,..6]"),
        ("2..5,3", "[2,..15]"),
        ("?", "[1,?]"),
        ("0,?", "[2,0]"),
        ("", "[..1,..1]"),
        ("...", "[?,?]"),
    ],
)
def test_between_none_and_all(shape, found):
    op = default_registry().op("NonZero-3")
    (fact,) = infer_layer(
        op, [Fact(element_type("f32"), Shape.parse(shape))], {"output_type": element_type("i32")}
    )
    assert (str(fact.shape), str(fact.element_type)) == (found, "i32")


def test_dimensions_that_cannot_be_zero_count():
    dims = dims_array(list(Shape.parse("2..5,0,?,1")))
    op = default_registry().op("NonZero-3")
    (fact,) = infer_layer(
        op, [Fact(element_type("i64"), Shape.of(4), dims)], {"output_type": element_type("i64")}
    )
    assert str(fact.shape) == "[1,2..3]"


def test_a_constant_is_counted():
    op = default_registry().op("NonZero-3")
    data = np.array([[0, 1], [2, 0]], np.float32)
    (fact,) = infer_layer(
        op, [Fact(element_type("f32"), Shape(data.shape), data)], {"output_type": element_type("i64")}
    )
    assert str(fact.shape) == "[2,2]"
