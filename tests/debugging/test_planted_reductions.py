"""Faults planted in networks are found in their layer, and reduced to it."""

import random
from pathlib import Path

import numpy as np
import pytest
from libraries import needs
from model_faults import draws, renamed
from networks import folders, network
from planted import FAULTS, Planted, WrongCall, calls_of, random_plant

import irops
from irops.analysis.model_analysis import analyse
from irops.backends.backend import Reference
from irops.debugging.compare.comparison import compared
from irops.debugging.reduce.attempts import InvalidQuestion
from irops.debugging.reduce.case import plainer
from irops.debugging.reduce.reduction import NoFault
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = 3


def opened(name):
    """An example and its inputs."""
    folder = EXAMPLES / name
    return analyse(irops.read(folder / "model.xml")), load(folder / "inputs.npz")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["digit_classifier", "bidirectional_encoder", "running_total"])
def test_a_planted_fault_is_reduced_to_its_layer(name, seed):
    (analysis, inputs), draw = opened(name), random.Random(seed)
    calls = calls_of(analysis, inputs)
    for _ in range(20):
        plant = random_plant(calls, draw)
        planted = Planted(plant)
        try:
            small = irops.reduce(analysis, inputs, differs=("reference", planted))
        except NoFault:  # another fault is drawn where the results do not show this one
            continue
        assert small.layers <= SMALL
        assert small.stopped is None
        planted.hits = 0
        irops.run(small.model, small.inputs, backends=[planted])
        assert planted.hits
        return
    pytest.fail("no fault shows")


class TwiceWrong:
    """The reference, but for Tanh, which is a third too large, and SoftMax, which is 2e-5 too large."""

    name = "twice wrong"

    def kernel(self, op):
        right, factor = op.functions.kernel, {"Tanh-1": 1.33, "SoftMax-8": 1.00002}.get(op.id)
        if factor is None:
            return right
        return lambda *inputs, **attributes: right(*inputs, **attributes) * np.float32(factor)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_reduction_does_not_end_at_a_fault_that_is_far_smaller(is_first):
    drawn, graph = np.random.default_rng(7), irops.Graph("two faults")
    value = graph.parameter("x", "f32", [3, 8])
    for op in ("Tanh", "SoftMax") if is_first else ("SoftMax", "Tanh"):
        value = graph.add("MatMul", value, drawn.standard_normal((8, 8), np.float32))
        value = graph.add(op, value, **({"axis": 1} if op == "SoftMax" else {}))
    graph.result(value)
    inputs = {"x": drawn.standard_normal((3, 8), np.float32)}
    small = irops.reduce(graph.model(), inputs, differs=("reference", TwiceWrong()))
    kinds = [layer.type for layer in small.model.layers if layer.type != "Const"]
    assert kinds == ["Parameter", "Tanh", "Result"]


def below(analysis, name):
    """The names of the layers of the outermost graph that depend on a layer."""
    names = {name}
    wiring = analysis.root.wiring
    for node in analysis.root.order:
        if any(s is not None and s[0].name in names for s in wiring.inputs[node.layer.id]):
            names.add(node.layer.name)
    return names


def layers_by(analysis, inputs, backend, mode):
    """The layers of a comparison with a backend, which computes each layer once."""
    context = Context(analysis, analysis.signature.arrays(inputs))
    sources = Layerwise(Reference()), Layerwise(backend)
    return compared(context, *sources, mode, with_results=False).layers


def try_one(analysis, inputs, random):
    """Whether one plant is found in each mode, by name; None where it changes nothing."""
    layers_by(analysis, inputs, spy := Planted(), "isolated")
    calls = [call.op for call, *_ in spy.calls]
    number = int(random.integers(len(calls)))
    op = calls[number]
    fault = FAULTS[int(random.integers(len(FAULTS)))]
    planted = WrongCall(op, calls[:number].count(op), fault)
    isolated = [one for one in layers_by(analysis, inputs, planted, "isolated") if one.is_fault]
    if not planted.changed:
        return None
    found = {"isolated": len(isolated) == 1 and isolated[0].op == op}
    if isolated and not isolated[0].path:
        name = isolated[0].name
        again = WrongCall(op, propagated_call(analysis, inputs, op, name), fault)
        wrong = [one.name for one in layers_by(analysis, inputs, again, "propagated") if one.is_fault]
        found["propagated"] = wrong[:1] != [] and wrong[0] in below(analysis, name)
    return found


def propagated_call(analysis, inputs, op, name):
    """The number of a layer among the calls of its op in a plain run."""
    spy, ends = Planted(), {}
    context = Context(analysis, analysis.signature.arrays(inputs))
    for value in Layerwise(spy).walk(context):
        ends.setdefault(analysis.root.layers[value.layer].layer.name, len(spy.calls))
    return [call.op for call, *_ in spy.calls[: ends[name] - 1]].count(op)


SEEDS = {"bidirectional_encoder": 11, "digit_classifier": 5}


@pytest.mark.slow("many planted faults")
@pytest.mark.parametrize("name", SEEDS)
def test_isolated_names_the_planted_layer_and_no_other(name):
    analysis, inputs = opened(name)
    random = np.random.default_rng(SEEDS[name])
    rows = [row for row in (try_one(analysis, inputs, random) for _ in range(12)) if row is not None]
    assert len(rows) >= 5
    assert [row for row in rows if not all(row.values())] == []


@pytest.mark.parametrize("seed", range(3))
def test_another_model_is_reduced_with_its_partner_to_the_planted_layer(seed, tmp_path):
    _, inputs, model, fault = next(draws(["torch_transformer_full"], seed, 1))
    small = irops.reduce(model, inputs, differs=("reference", renamed(fault.model)))
    assert small.layers <= 2
    users = {user.name for output in irops.Graph(model)[fault.layer].outputs for user in output.users}
    assert {fault.layer, *users} & {layer.name for layer in small.right.model.layers}
    files = small.write(tmp_path)
    pairs = {"reduced.xml": "inputs.npz", "right.xml": "right.npz"}
    assert {*pairs, *pairs.values(), "expected.npz", "repro.py"} <= set(files)
    ours, right = (irops.run(tmp_path / name, load(tmp_path / given))[0] for name, given in pairs.items())
    np.testing.assert_array_equal(load(tmp_path / "expected.npz")["0"], right)
    assert not np.allclose(ours, right, 1e-6)


def load(path):
    """The arrays of a file."""
    with np.load(path) as arrays:
        return dict(arrays)


def test_two_questions_and_two_other_models_are_refused():
    model, inputs = network(folders()["torch_lstm"])
    other = renamed(model)
    with pytest.raises(InvalidQuestion, match="what to preserve is differs, rule"):
        irops.reduce(model, inputs, differs=("reference", other), rule="IR401")
    with pytest.raises(InvalidQuestion, match="one source must compute the model itself"):
        irops.reduce(model, inputs, differs=(other, other))


def test_equal_models_have_nothing_to_reduce_and_a_layer_that_one_lacks_is_what_remains():
    model, inputs = network(folders()["torch_grid_sample"])
    with pytest.raises(NoFault, match="give the same results"):
        irops.reduce(model, inputs, differs=("reference", renamed(model)))
    graph = irops.Graph(model)
    graph.remove(graph["aten::grid_sampler/GridSample_2"])
    small = irops.reduce(model, inputs, differs=("reference", renamed(graph.model())))
    assert (small.layers, small.right.operations) == (0, 1)


class Ranges:
    """The reference, but for FakeQuantize: a little off for each range, and far off where that is empty."""

    name = "ranges"

    def kernel(self, op):
        right = op.functions.kernel
        if op.id != "FakeQuantize-1":
            return right

        def wrong(x, low, high, *more, **attributes):
            factor = np.float32(1.003 if (low != high).all() else 3)
            return right(x, low, high, *more, **attributes) * factor

        return wrong


def test_ranges_of_a_quantizer_stay_where_others_give_another_fault():
    graph = irops.Graph("quantized")
    value = graph.add("Abs", graph.parameter("x", "f32[2,5]"))
    limits = [np.float32(limit) for limit in (0, 7, 0, 7)]
    value = graph.add("FakeQuantize", value, *limits, levels=16, name="quantized")
    graph.result(graph.add("Add", value, np.float32(100), name="shifted"))
    x = np.random.default_rng(5).uniform(0, 6, (2, 5)).astype(np.float32)
    small = irops.reduce(graph.model(), [x], differs=("reference", Ranges()))
    (layer,) = (layer for layer in small.model.layers if layer.type == "FakeQuantize")
    assert layer.data["levels"] == "16"
    ranges = [value.value for value in irops.Graph(small.model)["quantized"].inputs[1:3]]
    assert ranges[0] != ranges[1]
    assert not list(irops.check(small.model))


@needs("openvino")
def test_sizes_stay_open_and_axes_as_they_are_where_the_fault_needs_them():
    """OpenVINO's CPU plug-in ignores the lengths of a GRUSequence whose sizes are open."""
    graph = irops.Graph("lengths")
    x, state = graph.parameter("x", "f32[?,?,2]"), graph.parameter("state", "f32[?,1,3]")
    weights = [np.ones(shape, np.float32) for shape in ((1, 9, 2), (1, 9, 3), (1, 9))]
    lengths = graph.parameter("lengths", "i32[?]")
    values, _ = graph.add("GRUSequence", x, state, lengths, *weights, hidden_size=3, direction="forward")
    graph.result(graph.add("ReduceMean", values, [3], keep_dims=False, name="mean"))
    inputs = {"x": np.ones((2, 4, 2), np.float32), "state": np.ones((2, 1, 3), np.float32)}
    inputs["lengths"] = np.array([2, 3], np.int32)
    small = irops.reduce(graph.model(), inputs, differs=("reference", "openvino:CPU"))
    shapes = [layer.data["shape"] for layer in small.model.layers if layer.type == "Parameter"]
    assert any("?" in shape for shape in shapes)
    assert [layer.type for layer in small.model.layers if layer.type in ("GRUSequence", "ReduceMean")] == [
        "GRUSequence"
    ]


def test_whole_numbers_in_place_of_great_ones_are_finite():
    great = np.array([1e200, 0.5])
    assert all(np.isfinite(array).all() for array in plainer(great))
    assert [array.tolist() for array in plainer(great)][-1] == [1e200, 0.0]
