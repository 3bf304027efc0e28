"""Patterns that are found and replaced."""

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import DiagnosticError


def chain(*ops):
    graph = irops.Graph()
    value = graph.parameter("x", "f32[2,3]")
    for number, op in enumerate(ops):
        value = graph.apply(op, value)
        graph.rename(value.node, f"{op}_{number}_")
    graph.result(value, "y")
    return graph


def types(graph):
    return [node.type for node in graph]


def test_overlapping_occurrences_are_replaced_once():
    graph = chain("ReLU", "ReLU", "ReLU", "Tanh")
    p = graph.pattern()
    twice = p.ops.ReLU(p.ops.relu(p.any("x")))
    assert len(list(graph.matches(twice))) == 2
    assert graph.rewrite(twice, lambda match: match.graph.ops.ReLU(match["x"])) == 1
    assert types(graph) == ["Parameter", "ReLU", "ReLU", "Tanh", "Result"]
    assert graph.rewrite(twice, lambda match: match.graph.ops.ReLU(match["x"])) == 1
    assert types(graph) == ["Parameter", "ReLU", "Tanh", "Result"]
    assert graph.rewrite(twice, lambda match: match["x"]) == 0


def test_a_value_that_is_used_elsewhere_stays():
    graph = chain("Abs", "Sqrt", "Tanh")
    graph.result(graph["Abs_0_"].output, "inner")
    p = graph.pattern()
    count = graph.rewrite(p.ops.Sqrt(p.ops.Abs(p.any("x"))), lambda m: m.graph.ops.Exp(m["x"]))
    assert count == 1
    assert sorted(types(graph)) == ["Abs", "Exp", "Parameter", "Result", "Result", "Tanh"]
    results = irops.run(graph.model(), {"x": np.ones((2, 3), np.float32)})
    assert np.allclose(results["y"], np.tanh(np.e))
    assert (results["inner"] == 1).all()


def test_constants_are_matched_by_value_in_either_order_and_removed():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,3]")
    graph.result(1 * x, "a")
    graph.result(x * 1, "b")
    graph.result(x * 2, "c")
    p = graph.pattern()
    assert graph.rewrite(p.ops.Multiply(p.any("x"), 1), lambda match: match["x"]) == 2
    assert types(graph).count("Multiply") == 1
    assert types(graph).count("Const") == 1
    results = irops.run(graph.model(), {"x": np.ones((2, 3), np.float32)})
    assert [float(results[name].max()) for name in "abc"] == [1, 1, 2]


def test_the_same_operand_is_the_same_value():
    graph = irops.Graph()
    x, z = graph.parameter("x", "f32[2]"), graph.parameter("z", "f32[2]")
    graph.result(x * x, "square")
    graph.result(x * z, "product")
    p = graph.pattern()
    any_x = p.any("x")
    assert [m.output.node.name for m in graph.matches(p.ops.Multiply(any_x, any_x))] == ["Multiply_0"]
    assert len(list(graph.matches(p.ops.Multiply(p.any(), p.any())))) == 2


def test_attributes_types_and_outputs_are_part_of_a_pattern():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,4]")
    first, second = graph.ops.Split(x, 1, num_splits=2)
    graph.result(graph.ops.SoftMax(first, axis=1), "a")
    graph.result(graph.ops.SoftMax(second, axis=0), "b")
    p = graph.pattern()
    assert len(list(graph.matches(p.ops.SoftMax(p.any(), axis=1)))) == 1
    assert len(list(graph.matches(p.ops.SoftMax(p.ops.Split(p.any(), index=1))))) == 1
    assert len(list(graph.matches(p.node(("SoftMax-8", "Tanh"), p.any("v"))))) == 2
    assert len(list(graph.matches(p.node("SoftMax-1")))) == 0


def test_a_rewrite_that_changes_a_shape_or_type_is_refused_as_a_whole():
    graph = chain("ReLU", "Abs", "ReLU")
    before = list(graph.order)
    p = graph.pattern()

    def replacement(match):
        if match.output.node.name == "ReLU_0_":
            return match.graph.ops.Tanh(match["x"])
        return match.graph.ops.Transpose(match["x"], [1, 0])

    with pytest.raises(DiagnosticError, match=r"IR813.*must be f32"):
        graph.rewrite(p.ops.ReLU(p.any("x")), replacement)
    assert list(graph.order) == before
    assert types(graph) == ["Parameter", "ReLU", "Abs", "ReLU", "Result"]


def test_an_occurrence_may_be_left_as_it_is():
    graph = chain("ReLU", "Abs", "ReLU")
    p = graph.pattern()
    assert graph.rewrite(p.ops.ReLU(p.any("x")), lambda match: None) == 0
    count = graph.rewrite(
        p.ops.ReLU(p.any("x"), name="relu"),
        lambda match: match.graph.ops.Sigmoid(match["x"]) if match["relu"].node.name == "ReLU_0_" else None,
    )
    assert count == 1
    assert types(graph) == ["Parameter", "Sigmoid", "Abs", "ReLU", "Result"]


def test_a_result_keeps_its_name():
    graph = chain("ReLU")
    p = graph.pattern()
    graph.rewrite(p.ops.ReLU(p.any("x")), lambda match: match.graph.ops.Tanh(match["x"]))
    assert list(irops.run(graph.model(), {"x": np.zeros((2, 3), np.float32)})) == ["y"]
