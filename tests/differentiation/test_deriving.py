"""Every op states its derivative, and rules as arrays and as models agree."""

from __future__ import annotations

import numpy as np
import pytest
from differentiable import CASES, SAMPLED

import irops
from irops.differentiation.deriving import rule_of
from irops.registry import default_registry
from irops.runtime.gradients import GradientSession
from irops.values.element import element_type

OPS = [name for name in default_registry().ids() if default_registry().op(name).definition.inputs]


def differentiable(port) -> bool:
    return any(element_type(kind).differentiable for kind in port.allowed if kind != "string")


@pytest.mark.parametrize("name", OPS)
def test_every_input_of_floats_has_a_gradient_or_a_reason_for_none(name):
    op = default_registry().op(name)
    definition = op.definition
    for port in definition.inputs:
        if differentiable(port):
            stated = port.name in definition.gradients or definition.no_gradient(port.name) is not None
            assert stated, f"{name} says nothing of the gradient of {port.name}"
    for of in definition.gradients:
        assert of in op.functions.gradients or rule_of(op) is not None, f"{name} has no rule for {of}"


@pytest.mark.parametrize("name", OPS)
def test_an_op_has_a_gradient_or_says_why_it_has_none(name):
    definition = default_registry().op(name).definition
    assert definition.gradients or definition.no_gradients


@pytest.mark.parametrize("case", [*CASES, *SAMPLED], ids=str)
def test_a_gradient_model_computes_what_vjp_does(case, net):
    graph = irops.Graph(net(*case.layers()))
    inputs = {}
    for number, array in enumerate(case.inputs):
        if array.dtype == np.float64:
            inputs[f"i{number}"] = array
        else:
            graph.replace(graph[f"i{number}"], graph.constant(array, f"c{number}"))
    model = graph.model()
    rng = np.random.default_rng(5)
    results = irops.run(model, inputs)
    cotangents = {name: rng.standard_normal(y.shape).astype(y.dtype) for name, y in results.items()}
    expected = irops.vjp(model, inputs, cotangents)
    gradients = irops.gradient_model(model, of=list(results), wrt=list(expected))
    given = {**inputs, **{f"cotangent/{name}": array for name, array in cotangents.items()}}
    found = irops.run(gradients, given)
    for name, array in expected.items():
        np.testing.assert_allclose(found[f"grad/{name}"], array, rtol=1e-9, atol=1e-12)
    for name, array in results.items():
        np.testing.assert_array_equal(found[name], array)


def sines(graph_of=irops.Graph):
    graph = graph_of("sines")
    x = graph.parameter("x", "f64[3]")
    w = graph.constant(np.array([0.5, 1.0, 2.0]), "w")
    graph.result(graph.add("Sin-1", graph.add("Multiply-1", x, w)), "y")
    return graph.model()


def test_a_gradient_model_of_a_gradient_model_gives_second_derivatives():
    once = irops.gradient_model(sines(), of="y", wrt="x")
    twice = irops.gradient_model(once, of=["grad/x"], wrt=["x"])
    x, ones = np.array([0.3, 0.7, 1.1]), np.ones(3)
    given = {"x": x, "cotangent/y": ones, "cotangent/grad/x": ones}
    found = irops.run(twice, given)
    w = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(found["grad/x"], w * np.cos(w * x), rtol=1e-12)
    np.testing.assert_allclose(found["grad/x_0"], -w * w * np.sin(w * x), rtol=1e-12)


def test_a_gradient_model_names_what_has_no_gradient_with_the_reason():
    graph = irops.Graph("random")
    low = graph.parameter("low", "f32[]")
    graph.result(graph.add("RandomUniform-8", [2], low, np.float32(1), output_type="f32"), "y")
    with pytest.raises(irops.EvaluationError, match="because its output is drawn at random"):
        irops.gradient_model(graph.model(), of="y", wrt="low")
    with pytest.raises(irops.EvaluationError, match="because its output is drawn at random"):
        irops.vjp(graph.model(), {"low": np.float32(0)}, {"y": np.ones(2, np.float32)})


def test_an_op_that_changes_in_steps_ends_a_path_without_an_error():
    graph = irops.Graph("steps")
    x = graph.parameter("x", "f32[2]")
    graph.result(graph.add("Add-1", graph.add("Floor-1", x), x), "y")
    found = irops.vjp(graph.model(), {"x": np.float32([1.5, 2])}, {"y": np.ones(2, np.float32)})
    assert found["x"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("op", "attributes", "expected"),
    [
        ("ReLU-1", {}, [0, 0, 1]),
        ("Abs-1", {}, [-1, 0, 1]),
        ("Clamp-1", {"min": 0, "max": 2}, [0, 1, 1]),
        ("HSigmoid-5", {}, [1 / 6, 1 / 6, 1 / 6]),
    ],
)
def test_gradients_at_kinks_are_those_of_pytorch(op, attributes, expected):
    graph = irops.Graph("kinks")
    graph.result(graph.add(op, graph.parameter("x", "f64[3]"), **attributes), "y")
    found = irops.vjp(graph.model(), {"x": np.array([-1.0, 0, 2])}, {"y": np.ones(3)})
    np.testing.assert_allclose(found["x"], expected, rtol=1e-12)


def test_equal_elements_share_the_gradient_of_their_maximum():
    graph = irops.Graph("ties")
    x = graph.parameter("x", "f64[3]")
    graph.result(graph.add("ReduceMax-1", x, [0], keep_dims=False), "y")
    found = irops.vjp(graph.model(), {"x": np.array([2.0, 1, 2])}, {"y": np.array(1.0)})
    assert found["x"].tolist() == [0.5, 0, 0.5]


def test_the_sizes_of_inputs_may_be_unknown_in_a_gradient_model():
    graph = irops.Graph("dynamic")
    a, b = graph.parameter("a", "f64[?,3]"), graph.parameter("b", "f64[?,?]")
    graph.result(graph.add("Multiply-1", a, b), "y")
    model = graph.model()
    gradients = irops.gradient_model(model, of="y", wrt=["a", "b"])
    for rows, columns in ((1, 1), (4, 3), (1, 3), (4, 1)):
        inputs = {
            "a": np.arange(12.0).reshape(4, 3),
            "b": np.arange(1.0, rows * columns + 1).reshape(rows, columns),
        }
        cotangent = np.arange(12.0).reshape(4, 3) - 5
        expected = irops.vjp(model, inputs, {"y": cotangent})
        found = irops.run(gradients, {**inputs, "cotangent/y": cotangent})
        for name, array in expected.items():
            np.testing.assert_allclose(found[f"grad/{name}"], array, rtol=1e-12)


def test_no_gradient_reaches_the_initial_value_of_a_variable_that_has_one():
    graph = irops.Graph("state")
    x = graph.parameter("x", "f64[2]")
    read = graph.add("ReadValue-6", x, variable_id="v", variable_type="f64", variable_shape="2")
    graph.result(graph.add("Assign-6", graph.add("Multiply-1", read, read), variable_id="v"), "y")
    session = GradientSession(graph.model())
    given, ones = {"x": np.array([1.0, 3.0])}, {"y": np.ones(2)}
    assert session.vjp(given, ones)["x"].tolist() == [2, 6]
    assert "x" not in session.vjp(given, ones)


def test_a_constant_whole_exponent_is_no_variable():
    graph = irops.Graph("powers")
    x = graph.parameter("x", "f64[2]")
    square = graph.add("Power-1", x, graph.constant(np.array(2.0), "two"))
    graph.result(graph.add("Power-1", square, graph.constant(np.array(0.75), "fraction")), "y")
    x, wrt = np.array([-1.5, 2.0]), ["x", "two", "fraction"]
    found = irops.vjp(graph.model(), {"x": x}, {"y": np.ones(2)}, wrt=wrt)
    assert sorted(found) == ["fraction", "x"]
    np.testing.assert_allclose(found["fraction"], (np.abs(x) ** 1.5 * np.log(x * x)).sum(), rtol=1e-12)
    results = [layer.name for layer in irops.gradient_model(graph.model(), of="y", wrt=wrt).layers]
    assert "grad/fraction" in results
    assert "grad/two" not in results


@pytest.mark.parametrize("fill", [-np.inf, np.finfo(np.float32).min, np.finfo(np.float32).max])
def test_a_constant_that_stands_for_infinity_has_no_gradient(fill):
    graph = irops.Graph("masked")
    x = graph.parameter("x", "f32[2]")
    masked = graph.add("Select-1", np.array([True, False]), x, graph.constant(np.float32([fill]), "fill"))
    graph.result(graph.add("SoftMax-8", masked, axis=0), "y")
    given = {"x": np.float32([1, 2])}, {"y": np.float32([1, 2])}
    assert list(irops.vjp(graph.model(), *given, wrt=["x", "fill"])) == ["x"]


def shared_square():
    """A square matrix that is the second operand of the layer, and of its gradient, transposed."""
    graph = irops.Graph("square")
    x = graph.parameter("x", "f32[N,4]")
    w = graph.constant(np.arange(16, dtype=np.float32).reshape(4, 4), "w")
    graph.result(graph.add("MatMul-1", x, w, transpose_b=True), "y")
    return graph.model()


def test_a_gradient_model_multiplies_by_no_constant_both_as_it_is_and_transposed_from_the_right():
    gradients = irops.Graph(irops.gradient_model(shared_square(), of="y", wrt="x"))
    w = gradients["w"].output
    uses = {place for node in w.users for place, source in enumerate(node.sources) if source is w}
    assert uses == {0, 1}


def test_a_gradient_model_sums_over_constant_axes_where_sizes_are_unknown():
    graph = irops.Graph("unknown")
    a, b = graph.parameter("a", "f64[?,?,3]"), graph.parameter("b", "f64[?,3]")
    graph.result(graph.add("Multiply-1", a, b), "y")
    gradients = irops.gradient_model(graph.model(), of="y", wrt=["a", "b"])
    changed = irops.Graph(gradients)
    sums = [node for node in changed if node.type == "ReduceSum"]
    assert sums
    assert all(node.sources[1].value is not None for node in sums)
    rng = np.random.default_rng(2)
    for left, right in (((2, 4, 3), (4, 3)), ((2, 1, 3), (5, 3)), ((2, 5, 3), (1, 3)), ((2, 0, 3), (1, 3))):
        inputs = {"a": rng.standard_normal(left), "b": rng.standard_normal(right)}
        cotangent = rng.standard_normal(irops.run(graph.model(), inputs)["y"].shape)
        found = irops.run(gradients, {**inputs, "cotangent/y": cotangent})
        for name, array in irops.vjp(graph.model(), inputs, {"y": cotangent}).items():
            np.testing.assert_allclose(found[f"grad/{name}"], array, rtol=1e-12)


def test_the_forward_derivative_of_a_gradient_model_is_a_product_with_the_hessian():
    once = irops.gradient_model(sines(), of="y", wrt="x")
    x, w, v = np.array([0.3, 0.7, 1.1]), np.array([0.5, 1.0, 2.0]), np.array([1.0, -2.0, 0.5])
    _, along = irops.jvp(once, {"x": x, "cotangent/y": np.ones(3)}, {"x": v})
    np.testing.assert_allclose(along["grad/x"], -w * w * np.sin(w * x) * v, rtol=1e-12)
    np.testing.assert_allclose(along["y"], w * np.cos(w * x) * v, rtol=1e-12)


def test_a_result_that_no_tangent_reaches_has_zeros_and_one_of_integers_none():
    graph = irops.Graph("two")
    x, z = graph.parameter("x", "f32[2]"), graph.parameter("z", "f32[3]")
    graph.result(graph.add("Exp-1", x), "y")
    graph.result(z, "same")
    graph.result(graph.add("ShapeOf-3", x), "sizes")
    ones = np.ones(2, np.float32)
    results, along = irops.jvp(graph.model(), {"x": 0 * ones, "z": np.ones(3, np.float32)}, {"x": ones})
    assert list(results) == ["y", "same", "sizes"]
    assert {name: array.tolist() for name, array in along.items()} == {"y": [1, 1], "same": [0, 0, 0]}


def test_a_tangent_has_the_type_and_shape_of_its_input():
    x = np.ones(3)
    with pytest.raises(irops.EvaluationError, match="the tangent of 'x' is f32"):
        irops.jvp(sines(), {"x": x}, {"x": np.ones(3, np.float32)})
    with pytest.raises(irops.EvaluationError, match="the tangent of 'w' is f64"):
        irops.jvp(sines(), {"x": x}, {"w": np.ones(2)})


def test_an_initial_value_has_no_tangent_where_its_variable_has_a_value():
    graph = irops.Graph("state")
    x = graph.parameter("x", "f64[2]")
    read = graph.add("ReadValue-6", x, variable_id="v", variable_type="f64", variable_shape="2")
    graph.result(graph.add("Assign-6", graph.add("Multiply-1", read, read), variable_id="v"), "y")
    session = GradientSession(graph.model())
    given, ones = {"x": np.array([1.0, 3.0])}, {"x": np.ones(2)}
    assert session.jvp(given, ones)[1]["y"].tolist() == [2, 6]
    assert session.jvp(given, ones)[1]["y"].tolist() == [0, 0]


def test_a_window_of_a_maximum_that_covers_padding_alone_sends_no_gradient_back():
    graph = irops.Graph("padding")
    x = graph.parameter("x", "f64[1,1,3]")
    pooled = graph.add(
        "MaxPool-1", x, strides=[2], pads_begin=[1], pads_end=[1], kernel=[2], rounding_type="ceil"
    )
    graph.result(pooled, "y")
    found = irops.vjp(graph.model(), {"x": np.array([[[1.0, 5, 7]]])}, {"y": np.ones((1, 1, 3))})
    assert found["x"].tolist() == [[[1, 0, 1]]]


def test_results_may_be_of_integers_unless_their_gradients_are_asked_for():
    graph = irops.Graph("sizes")
    x = graph.parameter("x", "f64[2]")
    graph.result(graph.add("Sin-1", x), "y")
    graph.result(graph.add("ShapeOf-3", x), "sizes")
    model = irops.gradient_model(graph.model())
    found = irops.run(model, {"x": np.zeros(2), "cotangent/y": np.ones(2)})
    assert found["grad/x"].tolist() == [1, 1]
    with pytest.raises(irops.EvaluationError, match="gradients are asked for of 'sizes'"):
        irops.gradient_model(graph.model(), of=["y", "sizes"])
