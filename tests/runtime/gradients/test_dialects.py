"""Gradients of ops of other dialects: those of the OpenVINO op that they share, under their own names."""

import numpy as np
import pytest

import irops
from irops.dialects.registry import default_registry
from irops.values.element import element_type

REVERSED = [op for op in default_registry().ids("onnx") if op.startswith("onnx:ReverseSequence")]


def turning(net, kind, **data):
    turned = ("op", "ReverseSequence", data, ["x", "lens"])
    return net(f"x: {kind}[3,2]; lens: i64[?]", turned, "y: Result op")


def as_onnx(model):
    for layer in model.layers:
        layer.version = "onnx:22"
    return model


@pytest.mark.parametrize("kind", ["f16", "f32", "f64", "complex64", "complex128"])
def test_reverse_sequence_of_onnx_goes_back_bit_by_bit(net, kind):
    model = as_onnx(turning(net, kind))
    x = np.arange(6).reshape(3, 2).astype(element_type(kind, foreign=True).dtype)
    dy = (x * 3 - 7).astype(x.dtype)
    found = irops.vjp(model, {"x": x, "lens": np.array([3, 2])}, {"y": dy})
    assert set(found) == {"x"}
    np.testing.assert_array_equal(
        found["x"], np.array([[dy[2, 0], dy[1, 1]], [dy[1, 0], dy[0, 1]], [dy[0, 0], dy[2, 1]]])
    )


@pytest.mark.parametrize("kind", ["i32", "boolean", "string"])
def test_what_has_no_gradient_in_openvino_has_none_in_onnx(net, kind):
    model = as_onnx(turning(net, kind))
    x = np.full((3, 2), "a" if kind == "string" else 0, element_type(kind).dtype)
    assert dict(irops.vjp(model, {"x": x, "lens": np.array([3, 2])}, {})) == {}


def test_a_shared_gradient_is_stated_under_ones_own_names():
    assert REVERSED
    for op_id in REVERSED:
        stated = default_registry().op(op_id).definition.gradients
        assert set(stated) == {"input"}
        assert stated["input"].saves == ("sequence_lens",)


X = np.array([[1.5, -2], [3, 4], [-5, 6]])
DY = np.array([[10.0, 20], [30, 40], [50, 60]])
BACK = np.array([[50.0, 40], [30, 20], [10, 60]])
LENS = np.array([3, 2])


def node(net, kind="f64", **data):
    """A node of Graiphic's, made as files would hold it; what a graph says of it, see tests/dialects."""
    model = turning(net, kind, **data)
    model.layer("op").version = "graiphic"
    return model


@pytest.mark.parametrize("coefficient", ["1", "0", "-1", "2.5", "1e-3"])
@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_a_node_sends_the_gradient_back_times_its_lda_coeff(net, coefficient, kind):
    dtype = element_type(kind).dtype
    model = node(net, kind, lda_coeff=coefficient)
    found = irops.vjp(model, {"x": X.astype(dtype), "lens": LENS}, {"y": DY.astype(dtype)})["x"]
    wide = np.float64 if kind == "f64" else np.float32
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, (BACK.astype(wide) * wide(coefficient)).astype(dtype))


def test_an_lda_coeff_of_1_changes_no_bit_and_one_of_0_multiplies_as_ieee_754_says(net):
    odd = np.array([[np.inf, -0.0], [np.nan, 1], [-np.inf, 5e-324]])
    odd.view(np.uint64)[1, 0] = 0x7FF0_0000_0000_0123  # a signalling NaN
    back = np.array([odd[[2, 1, 0], 0], odd[[1, 0, 2], 1]]).T
    inputs = {"x": X, "lens": LENS}
    assert (
        irops.vjp(node(net, lda_coeff="1"), inputs, {"y": odd})["x"].tobytes()
        == np.ascontiguousarray(back).tobytes()
    )
    stopped = irops.vjp(node(net, lda_coeff="0"), inputs, {"y": odd})["x"]
    np.testing.assert_array_equal(stopped, [[np.nan, 0], [np.nan, 0], [np.nan, 0]])
    assert not np.signbit(stopped[0, 1])
    turned = irops.vjp(node(net, lda_coeff="0"), inputs, {"y": -DY})["x"]
    assert np.signbit(turned).all()  # -60 times 0 is -0


def test_a_node_that_is_not_in_training_sends_nothing_back(net):
    assert dict(irops.vjp(node(net, training="false"), {"x": X, "lens": LENS}, {"y": DY})) == {}


def fanned(net, before="Exp", **data):
    """x goes to the result through the node and beside it."""
    turned = ("op", "ReverseSequence", data, ["before", "lens"])
    model = net(f"x: f64[3,2]; lens: i64[2]; before: {before} x", turned, "sum: Add op x; y: Result sum")
    model.layer("op").version = "graiphic"
    return model


def test_the_coefficient_is_applied_once_before_gradients_meet(net):
    found = irops.vjp(fanned(net, lda_coeff="3"), {"x": X, "lens": LENS}, {"y": DY})
    np.testing.assert_allclose(found["x"], 3 * BACK * np.exp(X) + DY)


def test_what_lies_before_a_node_that_is_not_in_training_is_reached_on_other_ways_and_needs_no_gradient(net):
    for before in ("Exp", "Sin"):  # irops states no gradient of Sin
        found = irops.vjp(fanned(net, before, training="false"), {"x": X, "lens": LENS}, {"y": DY})
        np.testing.assert_array_equal(found["x"], DY)


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_complex_numbers_are_attenuated_part_by_part(kind):
    """The coefficient is real: it meets each part by itself."""
    dtype = np.dtype(kind)
    op = default_registry().op("graiphic:ReverseSequence")
    dy = np.array([[1 + 2j], [complex(np.inf, 4)]], dtype)
    with np.errstate(invalid="ignore"):
        found = op.functions.gradients["input"](dy, np.array([2]), batch_axis=1, time_axis=0, lda_coeff=0.5)
    assert found.dtype == dtype
    assert found.tolist() == [[complex(np.inf, 2)], [0.5 + 1j]]


def test_a_node_that_irops_does_not_define_is_told(net):
    model = node(net)
    model.layer("op").type = "Compress"
    diagnostics = irops.check(model).diagnostics
    assert [d.name for d in diagnostics] == ["undefined-op"]
    assert "Graiphic's Compress" in diagnostics[0].message
