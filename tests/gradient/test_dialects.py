"""Gradients of ops of other dialects: those of the OpenVINO op that they share, under their own names."""
from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.registry import default_registry
from irops.values.element import element_type

REVERSED = [op for op in default_registry().ids("onnx") if op.startswith("onnx:ReverseSequence")]


def turning(net, kind, **data):
    return net(("x", "Parameter", {"element_type": kind, "shape": "3,2"}, []), ("lens", "Parameter", {"element_type": "i64", "shape": "?"}, []),
               ("op", "ReverseSequence", data, ["x", "lens"]), ("y", "Result", {}, ["op"]))


def as_onnx(model):
    model.layer("op").version = "onnx:22"
    return model


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_reverse_sequence_of_onnx_goes_back_bit_by_bit(net, kind):
    model = as_onnx(turning(net, kind))
    x = np.arange(6).reshape(3, 2).astype(element_type(kind).dtype)
    dy = (x * 3 - 7).astype(x.dtype)
    found = irops.vjp(model, {"x": x, "lens": np.array([3, 2])}, {"y": dy})
    assert set(found) == {"x"}
    np.testing.assert_array_equal(found["x"], np.array([[dy[2, 0], dy[1, 1]], [dy[1, 0], dy[0, 1]], [dy[0, 0], dy[2, 1]]]))


@pytest.mark.parametrize("kind", ["i32", "boolean", "string"])
def test_what_has_no_gradient_in_openvino_has_none_in_onnx(net, kind):
    model = as_onnx(turning(net, kind))
    x = np.zeros((3, 2), element_type(kind).dtype)
    assert dict(irops.vjp(model, {"x": x, "lens": np.array([3, 2])}, {})) == {}


def test_a_shared_gradient_is_stated_under_ones_own_names():
    assert REVERSED
    for op_id in REVERSED:
        stated = default_registry().op(op_id).definition.gradients
        assert set(stated) == {"input"}
        assert stated["input"].saves == ("sequence_lens",)
