"""Gradients through whole models: what they pass through, what stops them, what is reported where
they cannot go on.
"""

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import DefinitionError, DiagnosticError
from irops.dialects.registry import Registry, default_registry
from irops.runtime import gradients
from irops.runtime.gradients import Backward, GradientSession

X = np.array([[1.0, -2, 3], [0.5, 4, -1]])
W = np.array([[1.0, 2], [3, -4], [5, 6]])


@pytest.fixture
def linear(net):
    """y = x w + b, with w and b as constants."""
    return net(
        "x: f64[?,3]; product: MatMul x w; sum: Add product b; y: Result sum", w=W, b=np.array([0.5, -0.5])
    )


def test_gradients_of_constants_are_asked_for_by_name(linear):
    dy = np.array([[1.0, 0], [2, 3]])
    found = irops.vjp(linear, {"x": X}, {"y": dy}, wrt=["w", "b", "x"])
    np.testing.assert_array_equal(found["w"], X.T @ dy)
    np.testing.assert_array_equal(found["b"], dy.sum(0))
    np.testing.assert_array_equal(found["x"], dy @ W.T)
    assert set(irops.vjp(linear, {"x": X}, {"y": dy})) == {"x"}
    assert set(irops.vjp(linear, {"x": X}, {"y": dy}, wrt=["b"])) == {"b"}


def test_a_constant_may_be_given_another_value(linear):
    session = GradientSession(linear)
    for scale in (1.0, 2.0):
        found = session.vjp({"x": X, "w": scale * W}, [np.ones((2, 2))])
        np.testing.assert_array_equal(found["x"], np.ones((2, 2)) @ (scale * W).T)
        np.testing.assert_array_equal(found.results["y"], X @ (scale * W) + [0.5, -0.5])
    with pytest.raises(irops.EvaluationError, match="IR603"):
        session.vjp({"x": X, "w": W.astype(np.float32)}, [np.ones((2, 2))])


def test_a_narrow_constant_is_combined_as_without_gradients(net):
    w = np.array([0.1, 0.2, 0.3], np.float16)
    model = net(
        "x: f32[3]; wide: Convert w destination_type=f32; product: Multiply x wide; y: Result product", w=w
    )
    x, dy = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)
    found = irops.vjp(model, {"x": x}, {"y": dy}, wrt=["w", "x"])
    assert found["w"].dtype == np.float16
    np.testing.assert_array_equal(found["w"], (dy * x).astype(np.float16))
    np.testing.assert_array_equal(found["x"], dy * w.astype(np.float32))


def test_cotangents_are_given_by_name_by_position_and_alone(linear):
    dy = np.ones((2, 2))
    wanted = dy @ W.T
    for cotangents in ({"y": dy}, {0: dy}, {"sum.0": dy}, [dy], dy, {"y": dy.tolist()}):
        np.testing.assert_array_equal(irops.vjp(linear, [X], cotangents)["x"], wanted)


def test_gradients_are_found_by_tensor_name_and_position(linear):
    found = irops.vjp(linear, {"x": X}, [np.ones((2, 2))])
    assert list(found) == ["x"]
    assert found[0] is found["x"]
    assert found["x.0"] is found["x"]


def test_cotangents_may_be_worked_out_of_the_results(linear):
    def halves(results):
        return {"y": results["y"] / 2}

    np.testing.assert_array_equal(irops.vjp(linear, [X], halves)["x"], (X @ W + [0.5, -0.5]) / 2 @ W.T)


@pytest.mark.parametrize(
    ("cotangents", "words"),
    [
        ({"z": np.ones((2, 2))}, "no result 'z'; its results are 'sum.0'"),
        ({"y": np.ones((2, 2), np.float32)}, r"is f32\[2,2\], must be f64\[2,2\]"),
        ({"y": np.ones((2, 1))}, r"is f64\[2,1\], must be f64\[2,2\]"),
        ([np.ones((2, 2)), np.ones((2, 2))], "no result 1"),
        ({"y": [[1, 2], [3]]}, "cannot be an array"),
    ],
)
def test_a_cotangent_that_does_not_fit_is_told(linear, cotangents, words):
    with pytest.raises(irops.EvaluationError, match=words) as error:
        irops.vjp(linear, [X], cotangents)
    assert error.value.diagnostics[0].code == "IR622"


def test_a_gradient_of_what_has_none_is_told(net):
    model = net(
        "x: f64[2,3]; lengths: i64[2]; turned: ReverseSequence x lengths batch_axis=0 seq_axis=1",
        "y: Result turned",
    )
    inputs = {"x": X, "lengths": np.array([2, 3])}
    assert set(irops.vjp(model, inputs, [X])) == {"x"}
    with pytest.raises(irops.EvaluationError, match=r"IR623.*'lengths', which is i64"):
        irops.vjp(model, inputs, [X], wrt=["lengths"])
    with pytest.raises(DiagnosticError, match=r"IR602.*no input 'turned'"):
        irops.vjp(model, inputs, [X], wrt=["turned"])


def test_nothing_reaches_lengths_that_are_floats(net):
    model = net(
        "x: f64[2,3]; lengths: f32[2]; turned: ReverseSequence x lengths batch_axis=0 seq_axis=1",
        "y: Result turned",
    )
    assert set(irops.vjp(model, {"x": X, "lengths": np.array([2, 3], np.float32)}, [X])) == {"x"}


def test_a_result_of_integers_has_no_cotangent(net):
    model = net("x: f64[2,3]", "whole: Convert x destination_type=i32", "y: Result whole", "z: Result x")
    assert set(irops.vjp(model, [X], {"z": X})) == {"x"}
    with pytest.raises(irops.EvaluationError, match=r"IR622.*whose type has no gradients"):
        irops.vjp(model, [X], {"y": np.ones((2, 3), np.int32)})


def test_what_reaches_a_tensor_on_several_ways_is_added_up(net):
    model = net(
        "x: f64[2,3]; square: Multiply x x; more: Add square x; y: Result more; z: Result x",
        "w: Result square",
    )
    found = irops.vjp(
        model, [X], {"y": np.ones((2, 3)), "z": np.full((2, 3), 10.0), "w": np.full((2, 3), 0.5)}
    )
    np.testing.assert_allclose(found["x"], 1.5 * 2 * X + 1 + 10)


def test_an_op_without_gradient_is_told_with_the_way_through_it(net):
    model = net(
        "x: f64[3]; e: Exp x; sums: CumSum-opset3 e axis; t: Tanh sums; s: Sin x; y: Result t; z: Result s",
        axis=np.array(0),
    )
    with pytest.raises(irops.EvaluationError) as error:
        irops.vjp(model, [X[0]], {"y": np.ones(3)})
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, diagnostic.location.layer_name) == ("IR621", "sums")
    assert (
        diagnostic.message == "CumSum-3 has no gradient, and one would have to flow through 'sums': "
        "'x' -> 'e' (Exp-1) -> 'sums' (CumSum-3) -> 't' (Tanh-1) -> 'y'"
    )
    with pytest.raises(irops.EvaluationError) as error:
        irops.vjp(model, [X[0]], lambda results: {"z": np.ones(3), "y": np.ones(3)})
    assert [d.location.layer_name for d in error.value.diagnostics] == ["s", "sums"]


def test_an_op_without_gradient_beside_the_way_is_no_fault(net):
    model = net(
        "x: f64[3]; w: f64[3]; sums: CumSum-opset3 x axis; product: Multiply sums w; s: Sin w",
        "size: ShapeOf-opset3 x output_type=i64; y: Result product; z: Result s; n: Result size",
        axis=np.array(0),
    )
    found = irops.vjp(model, {"x": X[0], "w": X[1]}, {"y": np.ones(3)}, wrt=["w"])
    np.testing.assert_array_equal(found["w"], np.cumsum(X[0]))
    late = irops.vjp(model, {"x": X[0], "w": X[1]}, lambda results: {"y": results["y"]}, wrt=["w"])
    np.testing.assert_array_equal(late["w"], np.cumsum(X[0]) ** 2 * X[1])


def test_a_long_way_is_told_from_both_ends(net):
    layers = [(f"l{k}", "Floor" if k == 10 else "Tanh", {}, [f"l{k - 1}" if k else "x"]) for k in range(20)]
    model = net("x: f64[3]", *layers, "y: Result l19")
    with pytest.raises(
        irops.EvaluationError,
        match=r"'x' -> 'l0' \(Tanh-1\) -> 'l1' \(Tanh-1\) -> 'l2' \(Tanh-1\) -> \.\.\. -> "
        r"'l17' \(Tanh-1\) -> 'l18' \(Tanh-1\) -> 'l19' \(Tanh-1\) -> 'y'$",
    ):
        irops.vjp(model, [X[0]], [X[0]])


def test_only_what_is_saved_is_kept_and_it_is_let_go_on_the_way(net, monkeypatch):
    """Of ReverseSequence the lengths alone are kept; of Exp its output, until it has been gone through."""
    model = net(
        "x: f64[2,3]; turned: ReverseSequence x lengths batch_axis=0 seq_axis=1; e: Exp turned; s: Sigmoid e",
        "y: Result s",
        lengths=np.array([2, 3]),
    )
    names = {layer.id: layer.name for layer in model.layers}
    kept, through = [], Backward._through

    def note(self, passage, outputs):
        kept.append((passage.step.layer.name, {names[layer] for layer, _ in self.values}))
        return through(self, passage, outputs)

    monkeypatch.setattr(Backward, "_through", note)
    irops.vjp(model, [X], [np.ones((2, 3))])
    assert kept == [("s", {"s", "e", "lengths"}), ("e", {"e", "lengths"}), ("turned", {"lengths"})]


def test_a_gradient_that_is_not_of_the_inputs_shape_is_told(net, monkeypatch):
    op = default_registry().op("Exp-1")
    monkeypatch.setitem(op.functions.gradients, "data", lambda d_output, output: d_output[:1])
    model = net("x: f64[3]", "e: Exp x", "y: Result e")
    match = r"IR608 the gradient of data of Exp-1 is f64\[1\], must be f64\[3\]"
    with pytest.raises(irops.EvaluationError, match=match):
        irops.vjp(model, [X[0]], [X[0]])


DEFINITION = """<layer type="Twice" version="extension" category="arithmetic">
  <summary>Twice a number.</summary><source>test</source>
  <type name="T">f32 f64</type>
  <input><port id="0" name="data" type="T">A number.</port></input>
  <output><port id="1" name="output" type="T" shape="same data">Twice that.</port></output>
  {gradient}
</layer>"""
FUNCTIONS = """from irops.spec.binding import gradient, kernel
@kernel("Twice-extension")
def twice(data):
    return data + data
{function}
"""
GRADIENT = '@gradient("Twice-extension")\ndef twice_gradient({parameters}):\n    return 2 * d_output\n'


def registry_with(folder, gradient, function):
    (folder / "Twice-extension.xml").write_text(DEFINITION.format(gradient=gradient))
    (folder / "twice.py").write_text(FUNCTIONS.format(function=function))
    return Registry([folder], plugins=False)


def test_an_op_of_ones_own_has_gradients_too(tmp_path, net):
    registry = registry_with(
        tmp_path, '<gradient of="data">d_data = 2 d_output</gradient>', GRADIENT.format(parameters="d_output")
    )
    model = net("x: f64[3]", "t: Twice-extension x", "y: Result t")
    model.layers[1].version = "extension"
    np.testing.assert_array_equal(irops.vjp(model, [X[0]], [X[1]], registry=registry)["x"], 2 * X[1])


@pytest.mark.parametrize(
    ("stated", "parameters", "words"),
    [
        ('of="data"', None, "declares a gradient of data, but no function computes it"),
        ("", "d_output", "which the definition does not declare"),
        ('of="data" saves="data"', "d_output", r"takes \(d_output\), must take \(d_output, data\)"),
        ('of="data"', "d_output, data", r"takes \(d_output, data\), must take \(d_output\)"),
        ('of="data"', "d_output, *, scale", "takes scale, which the definition does not name"),
        ('of="date"', "d_output", "a gradient is of 'date', must be of an input"),
        ('of="data" saves="date"', "d_output", "saves 'date', must save inputs and outputs"),
        ('of="data" when="training"', "d_output", "'training', must depend on an attribute of type bool"),
    ],
)
def test_what_a_definition_states_of_gradients_is_held_to_the_code(tmp_path, stated, parameters, words):
    gradient = f"<gradient {stated}>x</gradient>" if stated else ""
    function = "" if parameters is None else GRADIENT.format(parameters=parameters)
    registry = registry_with(tmp_path, gradient, function)
    with pytest.raises(DefinitionError, match=words):
        registry.op("Twice-extension")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128])
def test_gradients_of_a_type_are_added_up_in_that_type(dtype):
    a, b = np.array([1, 2.5]).astype(dtype), np.array([0.5, -2]).astype(dtype)
    if a.dtype.kind == "c":
        a = a + 2j
    found = gradients._sum(a, b)
    assert (found.dtype, found.tolist()) == (dtype, [a[0] + b[0], a[1] + b[1]])


def test_a_piece_of_a_size_that_only_the_run_shows_counts_as_zeros(net):
    model = net(
        "x: f64[6]; flags: f64[6]; found: NonZero-opset3 flags output_type=i64; line: Squeeze found zero",
        "some: Gather-opset8 x line zero batch_dims=0; halves: Split some zero num_splits=2",
        "y: Result halves:1; z: Result halves:0",
        zero=np.array(0),
    )
    inputs = {"x": np.arange(6.0), "flags": np.array([1.0, 0, 1, 1, 0, 1])}
    found = irops.vjp(model, inputs, {"y": np.array([7.0, 8])}, wrt="x")
    np.testing.assert_array_equal(found["x"], [0, 0, 0, 7, 0, 8])
