"""Calls that a graph refuses, at the caller's line and with the sentence of the definition."""

import inspect

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import DiagnosticError


def graph_of_one():
    graph, other = irops.Graph("one"), irops.Graph("other")
    x = graph.parameter("x", "f32[2,3]")
    graph.result(graph.ops.ReLU(x, name="relu"), "y")
    other.parameter("x", "f32[2,3]")
    return graph, other


WIDE, F64 = np.zeros((3, 2), np.float32), np.zeros(3)
REFUSED = {
    "an unknown op": ("IR301", "did you mean 'SoftMax'", lambda g, _: g.ops.SoftMaxx(g.inputs[0])),
    "an unknown version": ("IR301", "SoftMax-3", lambda g, _: g.add("SoftMax-3", g.inputs[0])),
    "what is missing": ("IR312", "TopK-11 needs k, axis, mode, sort", lambda g, _: g.ops.TopK(g.inputs[0])),
    "an unknown attribute": ("IR311", "did you mean 'axis'", lambda g, _: g.ops.SoftMax(g.inputs[0], axsi=1)),
    "an axis out of range": ("IR316", "data has rank 2", lambda g, _: g.ops.SoftMax(g.inputs[0], axis=7)),
    "a missing attribute": ("IR312", "Clamp-1 needs max", lambda g, _: g.ops.Clamp(g.inputs[0], min=0)),
    "missing attributes": ("IR312", "Clamp-1 needs min, max", lambda g, _: g.ops.Clamp(g.inputs[0])),
    "a malformed attribute": ("IR314", "must be", lambda g, _: g.ops.SoftMax(g.inputs[0], axis="one")),
    "a missing input": ("IR321", "takes 2", lambda g, _: g.ops.Add(g.inputs[0])),
    "a broken requirement": ("IR401", "requires: ", lambda g, _: g.ops.Concat(g.inputs[0], WIDE, axis=0)),
    "another type": ("IR402|IR403", "element type|does not accept", lambda g, _: g.ops.Add(g.inputs[0], F64)),
    "a name that is used": ("IR802", "'relu'", lambda g, _: g.ops.Abs(g.inputs[0], name="relu")),
    "an input of a name that is used": ("IR802", "'x'", lambda g, _: g.parameter("x", "f32[1]")),
    "a malformed type": ("IR407", "f33", lambda g, _: g.parameter("z", "f33[1]")),
    "a malformed shape": ("IR407", "not a dimension", lambda g, _: g.parameter("z", "f32[1,2x]")),
    "a value of another graph": ("IR804", "another graph", lambda g, o: g.ops.Abs(o.inputs[0])),
    "a result of another graph": ("IR804", "another graph", lambda g, o: g.result(o.inputs[0])),
    "a node of another graph": ("IR808", "another graph", lambda g, o: g.rename(o["x"], "z")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refused_call_names_the_line_and_changes_nothing(what):
    graph, other = graph_of_one()
    before = list(graph.order), [str(node.outputs) for node in graph]
    code, message, call = REFUSED[what]
    with pytest.raises(DiagnosticError, match=message) as error:
        call(graph, other)
    first = error.value.diagnostics[0]
    assert first.code in code.split("|")
    assert first.severity == "error"
    assert first.location.file == __file__
    lines, start = inspect.getsourcelines(call)
    assert start <= (first.location.line or 0) < start + len(lines)
    assert (list(graph.order), [str(node.outputs) for node in graph]) == before
    assert not irops.check(graph.model()).diagnostics


def test_what_was_given_stands_beside_the_requirement():
    graph, _ = graph_of_one()
    with pytest.raises(DiagnosticError) as error:
        graph.ops.Concat(graph.inputs[0], WIDE, axis=0)
    assert error.value.diagnostics[0].facts == "inputs f32[2,3], inputs f32[3,2]; axis=0"
    assert error.value.diagnostics[0].constraint is not None


def test_an_unknown_node_is_suggested():
    graph, _ = graph_of_one()
    with pytest.raises(KeyError, match="did you mean 'relu'"):
        graph["rellu"]


def test_a_graph_without_results_is_no_model():
    with pytest.raises(DiagnosticError, match="IR807"):
        irops.Graph().model()


def test_an_opset_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="opset is 99, must be 1 to "):
        irops.Graph(opset=99)


def test_a_path_is_no_name_of_a_graph():
    with pytest.raises(ValueError, match=r"'a/Model\.XML' would be the name of a graph; Graph\(read\("):
        irops.Graph("a/Model.XML")


def test_a_node_and_a_list_of_values_are_told_what_to_give():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,3]")
    node, halves = graph.ops.ReLU(x).node, graph.ops.Split(x, 1, num_splits=3)
    for given, message in (
        ((node, x), "is a node, must be a value: give node.output"),
        (([x, node],), "is a node, must be a value: give node.output"),
        ((halves[0].node,), r"give node.outputs\[0\]"),
        ((halves,), "is 3 values, must be one"),
    ):
        with pytest.raises(irops.DiagnosticError, match=message):
            graph.ops.Concat(*given, axis=0)
