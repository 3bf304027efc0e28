"""Where gradients flow: the layers in between, what of the forward pass they need, who lacks a gradient."""

import numpy as np
import pytest

import irops
from irops.runtime.gradients import Flow

X = np.ones((2, 3), np.float32)


@pytest.fixture
def graph(net):
    """x -> e -> s -> y, e -> floor -> whole -> z, and w beside; s = e * w."""
    return net(
        "x: f32[2,3]; w: f32[2,3]; e: Exp x; s: Multiply e w; floor: Floor e",
        "whole: Convert e destination_type=i32; y: Result s; z: Result floor; n: Result whole",
    )


def flow_of(model, wanted, results):
    session = irops.Session(model)
    root = session.analysis.root
    plan = session.evaluator.plan(root, session.signature.arrays([X, X]))
    ids = {layer.name: layer.id for layer in model.layers}
    return Flow(plan, [ids[name] for name in wanted], [ids[name] for name in results]), ids


def through(flow):
    return [(back.step.layer.name, back.inputs) for back in flow.steps]


@pytest.mark.parametrize(
    ("wanted", "results", "path"),
    [
        ("x", "y", [("y", (0,)), ("s", (0,)), ("e", (0,)), ("x", ())]),
        ("w", "y", [("y", (0,)), ("s", (1,)), ("w", ())]),
        ("xw", "y", [("y", (0,)), ("s", (0, 1)), ("e", (0,)), ("w", ()), ("x", ())]),
        ("x", "n", []),
        ("w", "z", []),
        ("x", "z", [("z", (0,)), ("floor", (0,)), ("e", (0,)), ("x", ())]),
        ("", "yz", []),
        ("x", "", []),
    ],
)
def test_only_layers_between_what_is_wanted_and_the_results_are_gone_through(graph, wanted, results, path):
    flow, _ = flow_of(graph, wanted, results)
    assert through(flow) == path


def test_what_is_needed_of_the_forward_pass_is_what_definitions_save(graph):
    flow, ids = flow_of(graph, "xw", "y")
    assert dict(flow.kept) == {(ids["e"], 0): 2, (ids["w"], 0): 1}
    flow, ids = flow_of(graph, "w", "y")
    assert dict(flow.kept) == {(ids["e"], 0): 1}


def test_a_layer_without_a_gradient_is_missing_where_it_lies_on_the_way(graph):
    flow, _ = flow_of(graph, "x", "yz")
    (missing,) = flow.missing
    assert missing.step.layer.name == "floor"
    assert [step.layer.name for step in flow.path_through(missing)] == ["x", "e", "floor", "z"]
    assert flow_of(graph, "x", "y")[0].missing == ()


def test_a_path_begins_at_the_nearest_tensor_that_is_wanted(graph):
    session = irops.Session(graph)
    plan = session.evaluator.plan(session.analysis.root, session.signature.arrays([X, X]))
    ids = {layer.name: layer.id for layer in graph.layers}
    flow = Flow(plan, [ids["e"], ids["x"]], [ids["z"]])
    assert [step.layer.name for step in flow.path_through(flow.missing[0])] == ["e", "floor", "z"]
