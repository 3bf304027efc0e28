"""The line of facts that a finding of inference shows."""

import pytest

import irops


def unequal():
    graph = irops.Graph()
    x, y = graph.parameter("x", "f32[?,144]"), graph.parameter("y", "f32[?,?]")
    graph.result(graph.ops.Add(x, y, name="sum"), "z")
    return graph.model()


def test_facts_show_the_names_of_sizes():
    inferred = irops.infer(unequal(), {"x": "N,144", "y": "N,7"})
    (error,) = inferred.errors
    assert error.facts.startswith('layer 2 "sum": a f32[N,144], b f32[N,7]')


def test_a_size_without_a_name_stays_a_question_mark():
    (error,) = irops.infer(unequal(), {"y": "?,7"}).errors
    assert error.facts.startswith('layer 2 "sum": a f32[?,144], b f32[?,7]')


def test_facts_of_a_graph_in_the_making_show_the_names_of_sizes():
    graph = irops.Graph()
    x, y = graph.parameter("x", "f32[batch,144]"), graph.parameter("y", "f32[batch,7]")
    with pytest.raises(irops.DiagnosticError) as caught:
        graph.ops.Add(x, y)
    assert "a f32[batch,144], b f32[batch,7]" in caught.value.diagnostics[0].facts
