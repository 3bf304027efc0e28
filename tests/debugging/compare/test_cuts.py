"""Cuts: a fault that only layers together show is found, and the part is as small as can be."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.source import Context, Failure, Source

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
    assert found.first is not None
    assert found.notes[0].startswith(
        "the smallest part that differs when it is compiled as a whole has 2 layers of 10 after "
    )
    assert found.notes[0].endswith(": gate, swish")
    assert found.notes[1] == "adding outputs changes 1 result: y"


def test_a_crash_of_a_part_is_found(model):
    found = irops.compare(model, [X], b=Fusing(Failure("crashed", "signal 11")), mode="cuts")
    assert [layer.name for layer in found.layers] == ["gate", "swish"]
    assert (str(found.first.verdict), found.first.reason) == ("failed", "crashed: signal 11")


def test_results_that_agree_need_no_cuts(model):
    found = irops.compare(model, [X], b="reference", mode="cuts")
    assert found.ok
    assert found.layers == ()
    assert found.notes == (
        "the results of reference, compiled as a whole, are those of reference",
        "adding outputs does not change the results",
    )


def test_no_value_within_a_part_is_asked_for(model):
    """Parts are compiled with the results that leave them, and no other."""
    seen = []

    class Watching(Fusing):
        def results(self, context: Context):
            seen.append(sum(layer.type == "Result" for layer in context.model.layers))
            return super().results(context)

    irops.compare(model, [X], b=Watching(), mode="cuts")
    assert seen[0] == 1  # the whole
    assert seen[1] == 11  # the effect of taps
    assert set(seen[2:]) <= {1, 2}


class Limited(Fusing):
    """Fusing, which also refuses models in which some layers stand alone."""

    def __init__(self, refuses):
        super().__init__()
        self.refuses = refuses

    def results(self, context):
        layers = {layer.name: layer for layer in context.model.layers}
        return Failure("refused", "no kernel") if self.refuses(layers) else super().results(context)


def test_a_part_that_fails_in_another_way_does_not_have_the_fault(model):
    """Results are wrong by a factor; that a part of the model cannot be compiled is no reason of that."""
    found = irops.compare(model, [X], b=Limited(lambda layers: "add_2" not in layers), mode="cuts")
    assert [layer.name for layer in found.layers] == ["add_3", "gate", "swish"]
    assert str(found.first.verdict) == "wrong"


def test_a_part_with_a_far_smaller_difference_does_not_have_the_fault(model):
    class Coarse(Fusing):
        """Fusing, with a small error in each Tanh."""

        def results(self, context):
            results = super().results(context)
            is_near = any(layer.name == "tanh_0" for layer in context.model.layers)
            is_fused = any(layer.name == "gate" for layer in context.model.layers)
            if not is_near or is_fused:
                return results
            return {name: array * np.float32(1.0005) for name, array in results.items()}

    found = irops.compare(model, [X], b=Coarse(), mode="cuts")
    assert [layer.name for layer in found.layers] == ["gate", "swish"]


@pytest.fixture
def filled():
    """x + zeros of the shape of x, by way of layers that depend on that shape alone."""
    graph = irops.Graph("filled")
    x = graph.parameter("x", "f32", [-1, 4])
    zeros = graph.add("Broadcast", np.float32(0), graph.add("ShapeOf", x, name="shape"), name="zeros")
    value = graph.add("Multiply", graph.add("Sigmoid", x, name="gate"), x, name="swish")
    graph.result(graph.add("Add", value, zeros, name="sum"), name="y")
    return graph.model()


def test_what_follows_from_shapes_becomes_a_constant_where_a_part_needs_it(filled):
    class Needing(Fusing):
        """Wrong where swish and sum are compiled together; refuses a sum with zeros from outside."""

        def results(self, context):
            layers = {layer.name: layer for layer in context.model.layers}
            if "zeros" in layers and layers["zeros"].type == "Parameter":
                return Failure("refused", "expects Constant for port 1")
            results = self.reference.results(context)
            is_wrong = {"swish", "sum"} <= {name for name, x in layers.items() if x.type != "Parameter"}
            return {name: array * np.float32(1.5) for name, array in results.items()} if is_wrong else results

    found = irops.compare(filled, [X], b=Needing(), mode="cuts")
    assert [layer.name for layer in found.layers] == ["swish", "sum"]
    assert str(found.first.verdict) == "wrong"
