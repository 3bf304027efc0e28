"""Squeeze and Unsqueeze where sizes or axes are known in part."""

from __future__ import annotations

import numpy as np
import pytest
from invoking import infer_layer

import irops
from irops.analysis.invocation import OpFault
from irops.dialects.registry import default_registry
from irops.values.element import element_type
from irops.values.fact import Fact
from irops.values.shape import Shape


def of(shape, kind="f32"):
    return Fact(element_type(kind), Shape.parse(shape))


def axes(*numbers):
    return Fact.of(np.array(numbers, np.int64))


def shape_of(op_id, *inputs):
    return str(infer_layer(default_registry().op(op_id), inputs, {})[0].shape)


@pytest.mark.parametrize(
    ("data", "named", "shape"),
    [
        ("?,3", axes(0), "[3]"),
        ("2..,3", axes(0), "[2..,3]"),
        ("?,3", None, "[...]"),
        ("2..,1,3", axes(), "[2..,3]"),
        ("...", axes(0), "[...]"),
        ("2,3", of("1", "i64"), "[2,3]"),
        ("2,3", of("?", "i64"), "[2,3]"),
        ("1,5,1", of("1", "i64"), "[1..5,1..5]"),
        ("1,5", of("2", "i64"), "[...]"),
        ("", axes(-1), "[]"),
    ],
)
def test_squeezed_shapes(data, named, shape):
    assert shape_of("Squeeze-1", of(data), *([] if named is None else [named])) == shape


def test_a_scalar_has_no_second_axis_to_squeeze():
    with pytest.raises(OpFault, match="axis 1 at rank 0"):
        shape_of("Squeeze-1", of(""), axes(1))


@pytest.mark.parametrize(
    ("data", "named", "shape"),
    [
        ("?,3", axes(1), "[?,1,3]"),
        ("2,3", of("1", "i64"), "[1..2,1..3,1..3]"),
        ("2,3", of("2", "i64"), "[...]"),
        ("...", axes(0), "[...]"),
        ("2,3,4", axes(4, -1, 2), "[2,3,1,4,1,1]"),
        ("2,3", axes(0, -3, 1), "[1,1,1,2,3]"),
    ],
)
def test_unsqueezed_shapes(data, named, shape):
    assert shape_of("Unsqueeze-1", of(data), named) == shape


@pytest.mark.parametrize("number", [np.nan, np.inf, 2.0**70, -(2.0**70)])
@pytest.mark.parametrize("op_id", ["Squeeze-1", "Unsqueeze-1"])
def test_what_is_no_axis_is_refused(op_id, number):
    with pytest.raises(irops.EvaluationError, match="requires: every element of axes lies in"):
        irops.call(op_id, np.ones((1, 2), np.float32), np.array([number], np.float32))
