"""Where gradients flow, how they are named, and what backends compute of them."""

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import analyse
from irops.backends.backend import Reference
from irops.runtime.gradients import Flow, GradientNames, GradientSession

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


W = np.ones(3)


@pytest.fixture
def names(net):
    model = net(
        "x: f64[3]; n: i64[3]; any: dynamic[3]",
        "w: Const f64[3] offset=0 size=24; x.0: Const f64[3] offset=0 size=24",
        "sum: Add x w; y: Result sum; z: Result n",
        weights=W.tobytes(),
    )
    return GradientNames(analyse(model))


def test_a_constant_is_found_by_its_name_unless_an_input_has_it(names):
    assert names.constant("w").id == 3
    assert names.constant("x.0") is None
    assert names.constant("x") is None
    assert names.constant(3) is None


def test_by_default_all_inputs_are_wanted_that_may_have_a_gradient(names):
    assert names.wanted(None) == {0, 2}


@pytest.mark.parametrize(
    ("wrt", "ids"),
    [("x", {0}), (0, {0}), ("x.0", {0}), (["w", "x"], {0, 3}), ("w", {3}), ((), set()), ({2, "x"}, {0, 2})],
)
def test_what_is_wanted_is_named_alone_or_in_a_list(names, wrt, ids):
    assert names.wanted(wrt) == ids


def test_a_tensor_of_integers_has_no_gradient(names):
    with pytest.raises(irops.EvaluationError) as caught:
        names.wanted(["x", "n"])
    (found,) = caught.value.diagnostics
    assert (found.code, found.location.layer_name) == ("IR623", "n")
    assert found.message == "a gradient is asked for of 'n', which is i64[3]; tensors of i64 have none"


def test_an_unknown_name_is_reported_with_what_gradients_are_asked_for_of(names):
    with pytest.raises(irops.EvaluationError) as caught:
        names.wanted("sum")
    (found,) = caught.value.diagnostics
    assert found.code == "IR602"
    assert found.notes == ("gradients are asked for of inputs, and of constants by the name of their layer",)


def test_cotangents_are_given_by_name_or_in_order_and_none_is_left_out(names):
    y, z = names.result_ids
    assert names.of_results({"y": 1, "z": None}) == {y: 1}
    assert names.of_results([None, 2]) == {z: 2}
    assert names.of_results({1: 3, "sum.0": 4}) == {z: 3, y: 4}
    assert names.of_results([]) == {}


@pytest.mark.parametrize("alone", [W, 1.0, 1, np.float32(1)])
def test_one_cotangent_for_two_results_is_refused(names, alone):
    with pytest.raises(irops.EvaluationError, match="one cotangent is given for 2 results; say by name"):
        names.of_results(alone)


def test_a_cotangent_of_no_result_is_reported(names):
    with pytest.raises(irops.EvaluationError, match="IR622 the model has no result 'x'"):
        names.of_results({"x": 1})


SHAPE = (4, 8, 2)
LENGTHS = np.array([8, 3, 1, 5])


class Counting:
    """A backend for ReverseSequence that notes the shapes that it computes."""

    name = "counting"

    def __init__(self):
        self.calls = []

    def kernel(self, op):
        kernel = Reference().kernel(op)
        if op.id != "ReverseSequence-1" or kernel is None:
            return None

        def compute(data, seq_lengths, **attributes):
            self.calls.append(data.shape)
            return kernel(data, seq_lengths, **attributes)

        return compute


@pytest.fixture
def turned(net):
    return net(
        "x: f32[4,8,2]; n: i64[4]; turned: ReverseSequence x n batch_axis=0 seq_axis=1; y: Result turned"
    )


def test_a_backend_computes_the_gradient_of_reverse_sequence(turned):
    backend, rng = Counting(), np.random.default_rng(0)
    x, d = rng.random(SHAPE, np.float32), rng.random(SHAPE, np.float32)
    found = irops.vjp(turned, [x, LENGTHS], d, backends=[backend, "reference"])["x"]
    assert backend.calls == [SHAPE] * 2
    assert np.array_equal(found, irops.vjp(turned, [x, LENGTHS], d, backends="reference")["x"])


@pytest.mark.slow("large arrays")
def test_gradients_that_a_caller_keeps_do_not_change(net):
    model = net("x: f32[64,64,64]", "n: i64[1]", "turned: Reverse x n mode=index", "y: Result turned")
    session, axes = GradientSession(model), np.array([0])
    given = [np.full((64, 64, 64), number, np.float32) for number in range(4)]
    found = [session.vjp([one, axes], one, wrt="x")["x"] for one in given]
    assert [np.array_equal(one, other) for one, other in zip(found, given)] == [True] * 4


def test_the_backward_pass_has_the_limit_of_a_run(net):
    model = net("x: f32[256]", "a: Sigmoid x", "b: Sigmoid a", "c: Sigmoid b", "y: Result c")
    x = np.ones(256, np.float32)
    assert irops.vjp(model, [x], x, limits=irops.Limits(tensor_bytes=6 << 10))["x"].shape == (256,)
    irops.run(model, [x], limits=irops.Limits(tensor_bytes=2 << 10))
    message = r"IR605 would hold [\d,]+ bytes, the limit is 4,096 \(tensor_bytes\)"
    with pytest.raises(irops.EvaluationError, match=message):
        irops.vjp(model, [x], x, limits=irops.Limits(tensor_bytes=4 << 10))
