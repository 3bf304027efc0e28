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
