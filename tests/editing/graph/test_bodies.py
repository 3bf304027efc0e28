"""Nodes with bodies, and bodies of models that are changed."""

from pathlib import Path

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import DiagnosticError

RUNNING = Path(__file__).parents[3] / "examples" / "running_total" / "model.xml"


def summing():
    body = irops.Graph("body")
    row, total = body.parameter("row", "f32[1,4]"), body.parameter("total", "f32[1,4]")
    new = total + row * np.float32(2)
    body.result(new, "next")
    body.result(-new, "minus")
    return body


def test_a_tensor_iterator_slices_carries_and_stacks(tmp_path):
    graph = irops.Graph()
    x = graph.parameter("x", "f32[N,4]")
    zeros = np.zeros((1, 4), np.float32)
    last, all_rows = graph.TensorIterator(
        summing(),
        {"row": graph.sliced(x, axis=0), "total": graph.carried(zeros, "next")},
        ["next", graph.stacked("minus", axis=0)],
    )
    graph.result(last, "last")
    graph.result(all_rows, "all")
    irops.write(graph.model(), tmp_path / "m.xml")
    assert not irops.check(tmp_path / "m.xml").diagnostics
    data = np.arange(12, dtype=np.float32).reshape(3, 4)
    results = irops.run(tmp_path / "m.xml", {"x": data})
    assert (results["last"] == 2 * data.sum(0, keepdims=True)).all()
    assert (results["all"] == -2 * data.cumsum(0)).all()


def test_a_loop_counts_and_stops(tmp_path):
    body = irops.Graph("body")
    number, limit = body.parameter("number", "i64[1]"), body.parameter("limit", "i64[1]")
    value = body.parameter("value", "i64[1]")
    body.result(value * 2 + number, "next")
    body.result(value * 2 + number < limit, "more")
    graph = irops.Graph()
    start, limit = graph.parameter("start", "i64[1]"), graph.parameter("limit", "i64[1]")
    (last,) = graph.Loop(
        body,
        {"limit": limit, "value": graph.carried(start, "next")},
        ["next"],
        iteration="number",
        continue_if="more",
        name="doubling",
    )
    graph.result(last, "last")
    irops.write(graph.model(), tmp_path / "m.xml")
    assert not [d for d in irops.check(tmp_path / "m.xml") if d.severity == "error"]
    value, number = 1, 0
    while True:
        value, number = value * 2 + number, number + 1
        if value >= 50:
            break
    inputs = {"start": np.array([1]), "limit": np.array([50])}
    assert irops.run(tmp_path / "m.xml", inputs)["last"].tolist() == [value]


def test_a_loop_without_a_condition_runs_as_often_as_it_is_told():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[1,4]")
    body = irops.Graph("body")
    body.result(body.parameter("a", "f32[1,4]") * 3, "b")
    (last,) = graph.Loop(body, {"a": graph.carried(x, "b")}, ["b"], trip_count=4)
    graph.result(last, "y")
    assert irops.run(graph.model(), {"x": np.ones((1, 4), np.float32)})["y"].tolist() == [[81] * 4]


def test_an_if_gives_the_results_of_one_of_two_graphs():
    then, otherwise = irops.Graph("then"), irops.Graph("otherwise")
    then.result(then.parameter("a", "f32[2]") * 2, "doubled")
    otherwise.result(otherwise.parameter("a", "f32[2]") - otherwise.parameter("b", "f32[2]"), "rest")
    graph = irops.Graph()
    condition = graph.parameter("condition", "boolean[]")
    a, b = graph.parameter("a", "f32[2]"), graph.parameter("b", "f32[2]")
    (y,) = graph.If(condition, then, otherwise, {"a": a, "b": b}, name="choice")
    graph.result(y, "y")
    assert str(y) == "f32[2]"
    for chosen, expected in ((True, [6, 6]), (False, [1, 1])):
        inputs = [np.array(chosen), np.full(2, 3.0, np.float32), np.full(2, 2, np.float32)]
        assert irops.run(graph.model(), inputs)["y"].tolist() == expected


def test_what_does_not_flow_is_refused():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[3,4]")
    zeros = np.zeros((1, 4), np.float32)
    carried = graph.carried(zeros, "next")
    before = list(graph.order)
    for inputs, outputs, message in (
        ({"row": graph.sliced(x)}, ["next"], "nothing flows into the input 'total'"),
        ({"rows": graph.sliced(x), "total": carried}, ["next"], "did you mean 'row'"),
        ({"row": graph.sliced(x), "total": graph.carried(zeros, "nxt")}, ["next"], "did you mean 'next'"),
        ({"row": graph.sliced(x), "total": carried}, ["last"], "has no result 'last'"),
        ({"row": graph.sliced(x, axis=2), "total": carried}, ["next"], "requires"),
    ):
        with pytest.raises(DiagnosticError, match=message):
            graph.TensorIterator(summing(), inputs, outputs)
        assert list(graph.order) == before
    with pytest.raises(DiagnosticError, match="its own body"):
        graph.TensorIterator(graph, {}, [])


def test_the_bodies_of_an_if_have_as_many_results():
    then, otherwise = summing(), irops.Graph("other")
    otherwise.result(otherwise.constant(1.0), "one")
    graph = irops.Graph()
    with pytest.raises(DiagnosticError, match=r"IR812.*have 2 and 1 results"):
        graph.If(True, then, otherwise)


def nested():
    """A loop whose body has an If whose bodies have constants."""
    then, otherwise = irops.Graph("then"), irops.Graph("otherwise")
    then.result(then.parameter("a", "f32[1,2]") + 10, "r")
    otherwise.result(otherwise.parameter("a", "f32[1,2]") + 1, "r")
    body = irops.Graph("body")
    number, a = body.parameter("number", "i64[1]"), body.parameter("a", "f32[1,2]")
    (chosen,) = body.If(body.ops.Squeeze(number) < 2, then, otherwise, {"a": a}, name="choice")
    body.result(chosen, "next")
    graph = irops.Graph("nested")
    x = graph.parameter("x", "f32[1,2]")
    (y,) = graph.Loop(
        body, {"a": graph.carried(x, "next")}, ["next"], trip_count=3, iteration="number", name="loop"
    )
    graph.result(y, "y")
    return graph


def test_constants_of_nested_bodies_are_in_the_weights(tmp_path):
    irops.write(nested().model(), tmp_path / "m.xml")
    x = np.zeros((1, 2), np.float32)
    assert irops.run(tmp_path / "m.xml", {"x": x})["y"].tolist() == [[21, 21]]


def test_a_body_of_a_model_is_changed(tmp_path):
    model = nested().model()
    inner = irops.Graph(model, path=("loop", "body", "choice", "then_body"))
    assert str(inner.inputs[0]) == "f32[1,2]"
    constant = inner.find("Const")[0]
    inner.set_constant(constant, np.full_like(constant.output.value, 100))
    changed = inner.model()
    assert changed.name == "nested"
    irops.write(changed, tmp_path / "m.xml")
    x = np.zeros((1, 2), np.float32)
    assert irops.run(tmp_path / "m.xml", {"x": x})["y"].tolist() == [[201, 201]]
    assert irops.run(model, {"x": x})["y"].tolist() == [[21, 21]]


def test_a_path_that_leads_nowhere_is_suggested():
    model = nested().model()
    with pytest.raises(KeyError, match="did you mean 'loop'"):
        irops.Graph(model, path=("lopp", "body"))
    with pytest.raises(KeyError, match="its bodies are body"):
        irops.Graph(model, path=("loop", "then_body"))
    with pytest.raises(ValueError, match="without a model"):
        irops.Graph("new", path=("loop", "body"))


def test_an_example_with_state_is_a_graph():
    model = irops.read(RUNNING)
    assert irops.Graph(model).model().graph == model.graph
