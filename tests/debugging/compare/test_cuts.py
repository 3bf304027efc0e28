"""Cuts: a fault that only layers together show is found, and the part is as small as can be."""

import numpy as np
import pytest

import irops
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.source import Failure, Source

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def model():
    """Ten layers; Fusing is wrong where a Sigmoid and the Multiply after it are compiled together."""
    graph = irops.Graph("chain")
    value = graph.parameter("x", "f32", [3, 4])
    for number in range(4):
        value = graph.add("Add", value, np.float32(0.5), name=f"add_{number}")
    gate = graph.add("Sigmoid", value, name="gate")
    value = graph.add("Multiply", value, gate, name="swish")
    for number in range(4):
        value = graph.add("Tanh", value, name=f"tanh_{number}")
    graph.result(value, name="y")
    return graph.model()


class Fusing(Source):
    """A runtime that fuses x * sigmoid(x), wrongly or with a crash, unless gate is a result."""

    name = "fusing"
    is_whole = True

    def __init__(self, failure=None):
        self.failure = failure
        self.reference = source_of_text("reference")

    def walk(self, context):
        return self.reference.walk(context)

    def results(self, context):
        layers = {layer.name: layer for layer in context.model.layers if layer.type != "Parameter"}
        results = self.reference.results(context)
        users = context.analysis.root.wiring.consumers
        fused = {"gate", "swish"} <= layers.keys() and len(users[layers["gate"].id, 0]) == 1
        if not fused:
            return results
        return self.failure or {name: array * np.float32(1.5) for name, array in results.items()}


def test_the_smallest_fused_part_is_named(model):
    found = irops.compare(model, [X], b=Fusing(), mode="cuts")
    assert [layer.name for layer in found.layers] == ["gate", "swish"]
    assert [layer.name for layer in found.layers if layer.is_fault] == ["swish"]
    assert found.notes[0].startswith(
        "the smallest part that differs when it is compiled as a whole has 2 layers of 10 after "
    )
    assert found.notes[0].endswith(": gate, swish")
    assert found.notes[1] == "adding outputs changes 1 result: y"


def test_a_part_behind_random_numbers_is_found():
    """Both sources get the same numbers, also one that computes single layers."""
    graph = irops.Graph("drawing")
    x, bounds = graph.parameter("x", "f32[2,3]"), (np.float32(0), np.float32(1))
    drawn = graph.add("RandomUniform", [2, 3], *bounds, output_type="f32", global_seed=1, op_seed=2)
    gate = graph.add("Sigmoid", graph.add("Add", x, drawn), name="gate")
    graph.result(graph.add("Multiply", graph.add("Add", x, x), gate, name="swish"), "y")
    source = Fusing()
    source.computes_layers = True
    found = irops.compare(graph.model(), [np.ones((2, 3), np.float32)], b=source, mode="cuts")
    assert [layer.name for layer in found.layers] == ["gate", "swish"]


def test_a_crash_of_a_part_is_found(model):
    found = irops.compare(model, [X], b=Fusing(Failure("crashed", "signal 11")), mode="cuts")
    assert [layer.name for layer in found.layers] == ["gate", "swish"]
    assert [layer.name for layer in found.layers if layer.is_fault] == ["swish"]
    assert (str(found.first.verdict), found.first.reason) == ("failed", "crashed: signal 11")


def test_results_that_agree_need_no_cuts(model):
    found = irops.compare(model, [X], b="reference", mode="cuts")
    assert found.ok
    assert found.layers == ()
    assert str(found).splitlines() == [
        "1 of 1 result agrees",
        "0 of 10 layers, 1 of 1 result compared",
        "  10 layers not compared: not looked at within the whole",
        "adding outputs does not change the results",
    ]


def test_no_value_within_a_part_is_asked_for(model):
    """Parts are compiled with the results that leave them, and no other."""
    seen = []

    class Watching(Fusing):
        def results(self, context):
            seen.append(sum(layer.type == "Result" for layer in context.model.layers))
            return super().results(context)

    irops.compare(model, [X], b=Watching(), mode="cuts")
    assert seen[0] == 1  # the whole
    assert seen[1] == 11  # the effect of taps
    assert set(seen[2:]) <= {1, 2}


class Limited(Fusing):
    """Fusing, which also refuses models without a layer."""

    def results(self, context):
        present = {layer.name for layer in context.model.layers if layer.type != "Parameter"}
        return super().results(context) if "add_2" in present else Failure("refused", "no kernel")


def test_a_part_that_fails_otherwise_than_the_whole_does_not_have_its_fault(model):
    """Results are wrong by a factor; that a part of the model cannot be compiled is no reason of that."""
    found = irops.compare(model, [X], b=Limited(), mode="cuts")
    assert {"add_2", "gate", "swish"} <= {layer.name for layer in found.layers}
    assert [str(layer.verdict) for layer in found.layers if layer.is_fault] == ["wrong"]


class Shaping(Fusing):
    """A runtime that keeps a size of 0 as it is where it knows the pattern of Reshape only when it runs."""

    def results(self, context):
        results = self.reference.results(context)
        present = {layer.name for layer in context.model.layers if layer.type != "Parameter"}
        wrong = {"shape", "sizes", "reshaped"} <= present
        return {
            n: array.reshape(0, 5) if wrong and array.ndim == 2 else array for n, array in results.items()
        }


def test_a_wrong_shape_is_of_the_layer_whose_output_has_it():
    graph = irops.Graph("empty")
    x = graph.parameter("x", "f32", ["?", "?", "?"])
    shape = graph.add("ShapeOf", x, output_type="i64", name="shape")
    sizes = graph.add("Gather", shape, np.int64([0, 2]), np.int64(0), name="sizes")
    graph.result(graph.add("Reshape", x, sizes, special_zero=False, name="reshaped"), name="y")
    found = irops.compare(graph.model(), [np.zeros((0, 5, 3), np.float32)], b=Shaping(), mode="cuts")
    assert [layer.name for layer in found.layers] == ["shape", "sizes", "reshaped"]
    assert [layer.name for layer in found.layers if layer.is_fault] == ["reshaped"]
    assert found.first.reason == "has shape [0,5], expected is [0,3]"
    assert str(found).count("[0,5]") == 3  # of the result, of the layer, and in the table
