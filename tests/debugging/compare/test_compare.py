"""irops.compare: planted faults are found, in the layer where they are and in no other."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tiers import some_first
from wrong_call import FAULTS, Planted, one_percent, sign

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.compared import compared_layer
from irops.debugging.compare.propagated import without_passing_differences
from irops.debugging.sources.onnx_file import ONNXFile
from irops.verdicts.verdict import Judgement, Verdict


def made(scale=1.0):
    graph = irops.Graph("three layers")
    random = np.random.default_rng(1)
    x = graph.parameter("x", "f32", [2, 6])
    w = graph.constant((scale * random.standard_normal((6, 10))).astype(np.float32), name="w")
    product = graph.add("MatMul", x, w, name="product")
    active = graph.add("Tanh", product, name="active")
    total = graph.add("Add", active, product, name="total")
    graph.result(total, name="y")
    return graph.model()


@pytest.fixture
def model():
    return made()


def wrong(op, fault):
    """A backend that is wrong in the one layer of an op, in every run."""
    return Planted(op, 0, fault, of=1)


X = {"x": np.random.default_rng(2).standard_normal((2, 6)).astype(np.float32)}


LAYERS = {"MatMul-1": "product", "Tanh-1": "active", "Add-1": "total"}


@pytest.mark.parametrize(
    ("fault", "op"), some_first([(fault, op) for fault in FAULTS for op in LAYERS], of=lambda case: case[0])
)
def test_isolated_names_the_wrong_layer_and_no_other(model, fault, op):
    name = LAYERS[op]
    found = irops.compare(model, X, b=wrong(op, fault))
    assert found.mode == "isolated"
    assert [layer.name for layer in found.layers if layer.is_fault] == [name]
    assert found.first is not None
    assert found.first.name == name
    assert not found.ok


@pytest.mark.parametrize("fault", FAULTS)
def test_propagated_names_the_wrong_layer_first(model, fault):
    found = irops.compare(model, X, b=wrong("Tanh-1", fault), mode="propagated")
    assert found.first is not None
    assert found.first.name == "active"
    assert [layer.name for layer in found.layers if layer.is_fault] == ["active", "total"]
    assert "its input active differs already" in found.layers[-1].reason


def chain(*verdicts):
    """A chain of layers with a verdict for each, and whether the Result agrees; which layers are faults."""
    graph = irops.Graph("chain")
    value = graph.parameter("x", "f32", [2, 6])
    for number in range(len(verdicts)):
        value = graph.add("Tanh", value, name=f"t{number}")
    graph.result(value, name="y")
    analysis = ModelAnalysis(graph.model())
    nodes = {node.layer.name: node for node in analysis.root.order}
    excess = {Verdict.EQUAL: 0.0, Verdict.ROUNDING: 0.01, Verdict.WRONG: 5.0}
    layers = [
        compared_layer(analysis, nodes[f"t{number}"], (Judgement(verdict, excess=excess[verdict]),))
        for number, verdict in enumerate(verdicts)
    ]
    return analysis.root, layers, nodes["y"].layer.id


E, R, W = Verdict.EQUAL, Verdict.ROUNDING, Verdict.WRONG


@pytest.mark.parametrize(
    ("verdicts", "agrees", "faults"),
    [
        ((W, R, R), True, []),
        ((W, R, R), False, ["t0"]),
        ((W, R, W), False, ["t0", "t2"]),
        ((W, R, W), True, []),
        ((W, R, W, R, R), True, []),
        ((W, E, W), False, ["t2"]),
        ((W, E, R), False, []),
        ((W, R, E, W), False, ["t3"]),
    ],
)
def test_a_difference_has_no_effect_only_if_no_fault_is_behind_it(verdicts, agrees, faults):
    root, layers, result = chain(*verdicts)
    found = without_passing_differences(root, layers, [result] * agrees, [result] * (not agrees))
    assert [layer.name for layer in found if layer.is_fault] == faults


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_a_source_is_equal_to_itself(model, mode):
    found = irops.compare(model, X, b="reference", mode=mode)
    assert found.ok
    assert {str(layer.verdict) for layer in found.layers} == {"equal"}
    assert [layer.name for layer in found.layers] == ["product", "active", "total"]


def test_the_answer_comes_first_with_the_worst_element_and_its_inputs(model):
    found = irops.compare(model, X, b=wrong("MatMul-1", sign))
    lines = str(found).splitlines()
    assert lines[0].startswith("result y differs: ")
    assert lines[1].startswith("the first wrong layer is product (MatMul-1): 20 of 20 elements differ")
    assert lines[3].startswith("  worst at [")
    assert lines[4].startswith("  input 0: f32[2,6], from ")
    assert lines[6] == "3 of 3 layers and 1 of 1 result compared: 2 equal, 1 wrong"
    assert found.first.metrics.differing == 20
    assert found.first.metrics.cosine == pytest.approx(-1)


def test_json_is_complete_and_plain(model):
    found = json.loads(json.dumps(irops.compare(model, X, b=wrong("Add-1", one_percent)).to_json()))
    assert (found["schema"], found["ok"], found["first"]) == (1, False, "total")
    assert found["counts"] == {"equal": 2, "wrong": 1}
    (output,) = found["layers"][2]["outputs"]
    assert output["metrics"]["max_rel"] == pytest.approx(0.01, rel=1e-3)


def test_stored_values_are_compared_propagated(model):
    stored = dict(irops.run(model, X, keep="all"))
    assert irops.compare(model, X, b=stored).ok
    stored["active"] = stored["active"] * np.float32(1.001)
    stored["total"] = stored["y"] = stored["product"] + stored["active"]
    found = irops.compare(model, X, b=stored)
    assert found.mode == "propagated"
    assert [layer.name for layer in found.layers if layer.is_fault] == ["active", "total"]


def test_stored_values_serve_as_a(model):
    stored = dict(irops.run(model, X, keep="all"))
    found = irops.compare(model, X, a=stored, b=wrong("Tanh-1", sign))
    assert [layer.name for layer in found.layers if layer.is_fault] == ["active"]


def test_another_model_is_matched_by_name(model):
    found = irops.compare(model, X, b=made(scale=1.01))
    assert found.first is not None
    assert found.first.name == "product"


def test_a_mode_that_a_source_cannot_serve_is_refused(model):
    with pytest.raises(ValueError, match="cannot compute single layers; compare in mode propagated"):
        irops.compare(model, X, b=ONNXFile("m.onnx"), mode="isolated")
    with pytest.raises(ValueError, match=r"mode is 'isolate', must be one of .*; did you mean"):
        irops.compare(model, X, b="reference", mode="isolate")


def test_reprs_are_short(model):
    found = irops.compare(model, X, b=wrong("Add-1", sign))
    assert repr(found) == (
        "<Comparison of reference and planted: the result differs; 3 layers, first wrong total>"
    )
    assert repr(found.first) == "<wrong: total (Add-1)>"
    assert "<table" in found._repr_html_()
