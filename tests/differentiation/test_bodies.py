"""Gradients flow through the bodies of If, Loop and TensorIterator."""

from __future__ import annotations

import numpy as np
import pytest

import irops

STEP = 1e-6


def assert_slopes(model, inputs, wrt):
    """irops.vjp and irops.jvp give the slopes of irops.run."""
    rng = np.random.default_rng(3)
    results = irops.run(model, inputs)
    cotangents = {name: rng.standard_normal(array.shape) for name, array in results.items()}
    found = irops.vjp(model, inputs, cotangents, wrt=wrt)
    for name in wrt:
        direction = rng.standard_normal(inputs[name].shape)
        _, along = irops.jvp(model, inputs, {name: direction})
        forward = sum(np.vdot(c, along[n]) for n, c in cotangents.items())
        assert forward == pytest.approx(np.vdot(found[name], direction), rel=1e-10, abs=1e-12), name
        sides = [irops.run(model, {**inputs, name: inputs[name] + way * direction}) for way in (STEP, -STEP)]
        slope = sum(np.vdot(c, sides[0][n] - sides[1][n]) for n, c in cotangents.items()) / (2 * STEP)
        assert np.vdot(found[name], direction) == pytest.approx(slope, rel=1e-6, abs=1e-8), name
    return found, cotangents


def assert_model_agrees(model, inputs, found, cotangents):
    gradients = irops.gradient_model(model, of=list(cotangents), wrt=list(found))
    assert not irops.check(gradients).errors
    given = {**inputs, **{f"cotangent/{name}": array for name, array in cotangents.items()}}
    again = irops.run(gradients, given)
    for name, array in found.items():
        np.testing.assert_allclose(again[f"grad/{name}"], array, rtol=1e-12, atol=1e-14)


def body_of_sides(op):
    graph = irops.Graph(op)
    a, b = graph.parameter("a", "f64[3]"), graph.parameter("b", "f64[3]")
    graph.result(graph.add(op, a, graph.ops.Sin(b) if op == "Multiply-1" else a), "out")
    return graph


def choice(condition="a"):
    graph = irops.Graph("choice")
    a, b = graph.parameter("a", "f64[3]"), graph.parameter("b", "f64[3]")
    total = graph.add("ReduceSum-1", a if condition == "a" else np.ones(1), [0], keep_dims=False)
    (out,) = graph.If(
        graph.add("Greater-1", total, 0),
        body_of_sides("Multiply-1"),
        body_of_sides("SquaredDifference-1"),
        {"a": a, "b": b},
    )
    graph.result(graph.ops.Exp(out), "y")
    return graph.model()


@pytest.mark.parametrize("sign", [1, -1])
def test_the_gradient_of_an_if_is_that_of_the_body_that_runs(sign):
    inputs = {"a": sign * np.array([0.5, 1, 1.5]), "b": np.array([0.3, 0.6, 2.0])}
    found, cotangents = assert_slopes(choice(), inputs, ["a", "b"])
    assert found["b"].any() == (sign == 1)
    assert_model_agrees(choice(), inputs, found, cotangents)


def test_a_known_condition_leaves_no_if_in_the_gradients():
    model = choice("constant")
    inputs = {"a": np.array([0.5, 1, 1.5]), "b": np.array([0.3, 0.6, 2.0])}
    found, cotangents = assert_slopes(model, inputs, ["a", "b"])
    assert_model_agrees(model, inputs, found, cotangents)
    gradients = irops.gradient_model(model, of="y", wrt=["a", "b"])
    assert sum(layer.type == "If" for layer in gradients.layers) <= 1


def recurrence():
    body = irops.Graph("step")
    part, state, factor = (
        body.parameter(n, f"f64[{s}]") for n, s in (("part", "2,1"), ("state", "2,1"), ("factor", "1"))
    )
    after = body.ops.Tanh(state * factor + part * part)
    body.result(after, "after")
    body.result(after * part, "out")
    return body


@pytest.mark.parametrize("stride", [1, -1])
@pytest.mark.parametrize("size", [1, 2])
def test_a_tensor_iterator_passes_gradients_to_parts_states_and_factors(stride, size):
    body = recurrence()
    if size == 2:
        body = irops.Graph("pairs")
        part, state, factor = (
            body.parameter(n, f"f64[{s}]") for n, s in (("part", "2,2"), ("state", "2,1"), ("factor", "1"))
        )
        after = body.ops.Tanh(state * factor + body.add("ReduceSum-1", part * part, [1], keep_dims=True))
        body.result(after, "after")
        body.result(part * after, "out")
    graph = irops.Graph("iterated")
    x, h, w = (graph.parameter(n, f"f64[{s}]") for n, s in (("x", "2,6"), ("h", "2,1"), ("w", "1")))
    ends = {"start": 0, "end": -1} if stride > 0 else {"start": -1, "end": 0}
    cut = {**ends, "stride": stride * size, "part_size": size}
    last, every = graph.TensorIterator(
        body,
        {"part": graph.sliced(x, 1, **cut), "state": graph.carried(h, "after"), "factor": w},
        ["after", graph.stacked("out", 1, **cut)],
    )
    graph.result(last, "last")
    graph.result(every, "every")
    rng = np.random.default_rng(1)
    inputs = {"x": rng.standard_normal((2, 6)), "h": rng.standard_normal((2, 1)), "w": np.array([0.7])}
    found, cotangents = assert_slopes(graph.model(), inputs, ["x", "h", "w"])
    assert_model_agrees(graph.model(), inputs, found, cotangents)


def halving():
    """A loop that multiplies until a sum is small: how often depends on the data."""
    body = irops.Graph("halve")
    state, factor = body.parameter("state", "f64[2]"), body.parameter("factor", "f64[2]")
    number = body.parameter("number", "i64[]")
    after = state * factor + body.add("Convert-1", number, destination_type="f64") * 0.001
    body.result(after, "after")
    body.result(body.add("Greater-1", body.add("ReduceSum-1", after, [0]), 0.3), "goes_on")
    graph = irops.Graph("while")
    x, w = graph.parameter("x", "f64[2]"), graph.parameter("w", "f64[2]")
    last, every = graph.Loop(
        body,
        {"state": graph.carried(x, "after"), "factor": w},
        ["after", graph.stacked("after", 0)],
        iteration="number",
        continue_if="goes_on",
    )
    graph.result(last, "last")
    graph.result(graph.add("ReduceSum-1", every, [0]), "total")
    return graph.model()


def test_a_loop_passes_gradients_through_as_many_iterations_as_run():
    for start in (0.5, 4.0):
        inputs = {"x": np.array([start, 2 * start]), "w": np.array([0.45, 0.55])}
        assert_slopes(halving(), inputs, ["x", "w"])


def test_a_gradient_model_says_which_loop_has_no_known_number_of_iterations():
    with pytest.raises(irops.EvaluationError, match="number of its iterations is not known without a run"):
        irops.gradient_model(halving(), of="last", wrt="x")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_loop_of_a_known_number_of_iterations_has_a_gradient_model(count):
    inner = choice_body()
    graph = irops.Graph("for")
    x, w = graph.parameter("x", "f64[2]"), graph.parameter("w", "f64[2]")
    (last,) = graph.Loop(
        inner, {"state": graph.carried(x, "after"), "factor": w}, ["after"], trip_count=count
    )
    graph.result(graph.ops.Sin(last), "y")
    inputs = {"x": np.array([0.4, 0.8]), "w": np.array([1.3, 0.7])}
    found, cotangents = assert_slopes(graph.model(), inputs, ["x", "w"])
    if not count:
        assert not found["w"].any()
    given = irops.vjp(graph.model(), inputs, cotangents)
    np.testing.assert_array_equal(given["x"], found["x"])


def choice_body():
    """A body with an If inside of it, whose condition depends on the data."""
    sides = []
    for number in (1.0, 0.5):
        side = irops.Graph("side")
        a, b = side.parameter("a", "f64[2]"), side.parameter("b", "f64[2]")
        side.result(side.ops.Sin(a * b) * number, "out")
        sides.append(side)
    body = irops.Graph("body")
    state, factor = body.parameter("state", "f64[2]"), body.parameter("factor", "f64[2]")
    is_large = body.add("Greater-1", body.add("ReduceSum-1", state, [0]), 1.0)
    (after,) = body.If(is_large, *sides, {"a": state, "b": factor})
    body.result(after, "after")
    return body


@pytest.mark.parametrize("size", [0.2, 1.5])
def test_an_if_inside_of_an_if_has_a_gradient_model(size):
    inner, other = choice_body(), irops.Graph("other")
    a, b = other.parameter("state", "f64[2]"), other.parameter("factor", "f64[2]")
    other.result(a * b, "out")
    graph = irops.Graph("nested")
    x, w, flag = (
        graph.parameter("x", "f64[2]"),
        graph.parameter("w", "f64[2]"),
        graph.parameter("flag", "boolean[]"),
    )
    graph.result(graph.If(flag, inner, other, {"state": x, "factor": w})[0], "y")
    for is_inner in (True, False):
        inputs = {"x": np.array([size, size]), "w": np.array([1.3, 0.7]), "flag": np.array(is_inner)}
        found, cotangents = assert_slopes(graph.model(), inputs, ["x", "w"])
        assert_model_agrees(graph.model(), inputs, found, cotangents)


def test_a_body_in_f16_is_differentiated_in_f32():
    body = irops.Graph("scaled")
    x = body.parameter("x", "f16[3]")
    body.result(body.ops.Exp(x * body.constant(np.float16([0.5, 1, 2]), "w")), "out")
    other = irops.Graph("same")
    other.result(other.parameter("x", "f16[3]"), "out")
    graph = irops.Graph("narrow")
    data, flag = graph.parameter("x", "f16[3]"), graph.parameter("flag", "boolean[]")
    graph.result(graph.If(flag, body, other, {"x": data})[0], "y")
    x = np.float16([0.1, 0.2, 0.3])
    found = irops.vjp(graph.model(), {"x": x, "flag": np.array(True)}, {"y": np.ones(3, np.float16)})
    w = np.array([0.5, 1, 2])
    np.testing.assert_allclose(found["x"], w * np.exp(w * x), rtol=1e-3)


def test_what_has_no_gradient_in_a_body_is_named_with_the_reason():
    body = irops.Graph("unique")
    x = body.parameter("x", "f32[2]")
    body.result(body.add("Unique-10", x)[0], "out")
    graph = irops.Graph("loop")
    x = graph.parameter("x", "f32[2]")
    graph.result(graph.Loop(body, {"x": x}, ["out"], trip_count=1)[0], "y")
    with pytest.raises(irops.EvaluationError, match="Unique-10 has no gradient, because which elements"):
        irops.vjp(graph.model(), {"x": np.float32([0, 1])}, {"y": np.ones(2, np.float32)})
