"""irops.compare: planted faults are found, in the layer where they are and in no other."""

import numpy as np
import pytest
from planted import FAULTS, INFINITE_FAULTS, Aborting, WrongCall, sign

import irops
from irops.backends.backend import Reference
from irops.debugging.sources.layerwise import Layerwise


@pytest.fixture
def model():
    graph = irops.Graph("three layers")
    random = np.random.default_rng(1)
    x = graph.parameter("x", "f32", [2, 6])
    w = graph.constant(random.standard_normal((6, 10)).astype(np.float32), name="w")
    product = graph.add("MatMul", x, w, name="product")
    active = graph.add("Tanh", product, name="active")
    total = graph.add("Add", active, product, name="total")
    graph.result(total, name="y")
    return graph.model()


X = {"x": np.random.default_rng(2).standard_normal((2, 6)).astype(np.float32)}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("op", "name"), [("MatMul-1", "product"), ("Tanh-1", "active"), ("Add-1", "total")])
def test_isolated_names_the_wrong_layer_and_no_other(model, fault, op, name):
    planted = WrongCall(op, 0, fault)
    found = irops.compare(model, X, b=planted)
    assert planted.changed
    assert found.mode == "isolated"
    assert [layer.name for layer in found.layers if layer.is_fault] == [name]
    assert found.first.name == name
    assert not found.ok


@pytest.mark.parametrize("fault", FAULTS)
def test_propagated_names_the_wrong_layer_first(model, fault):
    found = irops.compare(model, X, b=WrongCall("Tanh-1", 0, fault), mode="propagated")
    assert found.first.name == "active"
    assert [layer.name for layer in found.layers if layer.is_fault] == ["active", "total"]
    assert "its input active differs already" in found.layers[-1].reason


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("fault", INFINITE_FAULTS)
@pytest.mark.parametrize(("op", "name"), [("Log-1", "log"), ("Abs-1", "abs"), ("Exp-1", "exp")])
def test_faults_in_infinities_are_found(fault, op, name, mode):
    graph = irops.Graph("infinities")
    value = graph.parameter("x", "f32[5]")
    for each in ("Log", "Abs", "Exp"):
        value = graph.add(each, value, name=each.lower())
    graph.result(value, "y")
    planted = WrongCall(op, 0, fault)
    found = irops.compare(graph.model(), [np.float32([0, 0, 1, 2, 3])], b=planted, mode=mode)
    assert planted.changed
    assert found.first.name == name


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_a_source_is_equal_to_itself(model, mode):
    found = irops.compare(model, X, b="reference", mode=mode)
    assert found.ok
    assert {str(layer.verdict) for layer in found.layers} == {"equal"}
    assert [layer.name for layer in found.layers] == ["product", "active", "total"]


def test_stored_values_are_compared_propagated_and_serve_as_a(model):
    right = dict(irops.run(model, X, keep="all"))
    assert irops.compare(model, X, b=right).ok
    found = irops.compare(model, X, b={**right, "active": right["active"] * np.float32(1.001)})
    assert found.mode == "propagated"
    assert [layer.name for layer in found.layers if layer.is_fault] == ["active"]
    found = irops.compare(model, X, a=right, b=WrongCall("Tanh-1", 0, sign))
    assert [layer.name for layer in found.layers if layer.is_fault] == ["active"]


def test_a_mode_that_a_source_cannot_serve_is_refused(model):
    with pytest.raises(ValueError, match="cannot compute single layers; compare in mode propagated"):
        irops.compare(model, X, a={}, b={}, mode="isolated")
    with pytest.raises(ValueError, match=r"mode is 'isolate', must be one of .*; did you mean"):
        irops.compare(model, X, b="reference", mode="isolate")


def test_reprs_are_short(model):
    found = irops.compare(model, X, b=WrongCall("Add-1", 0, sign))
    outcome = "0 of 1 result agrees; 3 layers, first wrong total"
    assert repr(found) == f"<Comparison of reference and planted: {outcome}>"
    assert repr(found.first) == "<wrong: total (Add-1)>"
    assert "<table" in found._repr_html_()


def test_a_layer_is_asked_for_with_the_inputs_that_follow_from_constants():
    g = irops.Graph("scaled")
    x = g.parameter("x", "f16[2,3]")
    scaled = g.add("Multiply", g.constant(np.ones((3, 4), np.float16)), np.float16(0.3))
    g.result(g.add("MatMul", x, scaled, transpose_a=False, transpose_b=False, name="product"), "y")

    asked = {}

    class Recorder(Layerwise):
        def compute(self, calls):
            asked.update((call.node.layer.name, call.constant) for call in calls)
            return super().compute(calls)

    inputs = [np.ones((2, 3), np.float16)]
    assert irops.compare(g.model(), inputs, b=Recorder(Reference()), mode="isolated").ok
    assert asked["product"] == {1}


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_a_backend_that_crashes_does_not_end_the_caller(model, mode):
    found = irops.compare(model, X, b=Aborting(), mode=mode)
    assert found.first.name == "active"
    assert "crashed" in found.first.reason
    assert "SIGABRT" in found.first.reason
    assert not found.notes


@pytest.mark.slow("a process for each candidate")
def test_what_crashes_a_backend_is_reduced(model):
    crashes = irops.reduce(model, X, crashes=Aborting())
    assert [layer.type for layer in crashes.model.graph.layers] == ["Parameter", "Tanh", "Result"]


def test_a_backend_that_cannot_be_sent_to_another_process_is_computed_here_which_is_said(model, monkeypatch):
    class Local:
        name = "local"

        def kernel(self, op):
            return op.functions.kernel

    found = irops.compare(model, X, b=Local())
    assert found.ok
    assert any("local cannot be sent to another process" in note for note in found.notes)
    Local.__module__, Local.__qualname__ = "__main__", "Process"  # the other process has one in its __main__
    monkeypatch.setattr("__main__.Process", Local, raising=False)
    assert irops.compare(model, X, b=Local()).ok
