"""What rounding does in another run: whole numbers stay what they are."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.agreement import noisy_walk
from irops.debugging.sources.source import Context
from irops.verdicts.arithmetic import Arithmetic
from irops.verdicts.verdict import Verdict


def positions():
    """Positions that are counted in f32, and what is computed from them."""
    graph = irops.Graph("positions")
    x = graph.parameter("x", "f32[8]")
    counted = graph.add(
        "Range", np.float32(0), graph.add("ReduceSum", x, 0), np.float32(1), output_type="f32"
    )
    index = graph.add("Convert", counted, destination_type="i64", name="index")
    graph.result(graph.add("Gather", graph.add("Exp", x, name="exp"), index, 0, name="gathered"), "y")
    return ModelAnalysis(graph.model())


def values_of(analysis, arithmetic):
    context = Context(analysis, analysis.signature.arrays([np.ones(8, np.float32)]))
    walk = noisy_walk(context, arithmetic, seed=1)
    return {analysis.root.layers[value.layer].layer.name: value.outputs[0] for value in walk}


def test_positions_counted_in_floating_point_do_not_become_others():
    values = values_of(positions(), Arithmetic())
    assert values["index"].tolist() == list(range(8))
    assert values["exp"].tolist() != [np.exp(np.float32(1))] * 8, "other numbers are changed"


def test_a_planted_fault_behind_positions_is_not_taken_for_rounding():
    analysis, x = positions(), np.arange(8, dtype=np.float32) / 3.5
    wrong = dict(irops.run(analysis, [x], keep=["gathered"]))
    recorded = {
        "gathered": np.roll(next(iter(wrong.values())), 1),
        "y": np.roll(next(iter(wrong.values())), 1),
    }
    found = irops.compare(analysis, [x], b=recorded)
    assert found.first is not None
    assert found.first.name == "gathered"


def masked_scores():
    """Scores of an attention with a mask, as exporters write it."""
    graph = irops.Graph("scores")
    x = graph.parameter("x", "f32[4,8,16]")
    mask = np.where(np.tri(8, 16, dtype=bool), np.float32(0), np.float32(-1e9))
    added = graph.add("Add", graph.add("Multiply", x, np.float32(0.3), name="scores"), mask, name="masked")
    graph.result(graph.add("SoftMax", added, axis=-1, name="weights"), "y")
    return ModelAnalysis(graph.model())


@pytest.mark.parametrize("name", ["masked", "weights"])
def test_masked_elements_hide_no_fault_of_the_others(name):
    analysis = masked_scores()
    x = np.random.default_rng(11).standard_normal((4, 8, 16)).astype(np.float32)
    keep = ["scores", "masked", "weights"]
    values = {key: np.asarray(array) for key, array in irops.run(analysis, [x], keep=keep).items()}
    assert irops.compare(analysis, [x], b=dict(values)).ok
    wrong = {**values, name: np.where(values[name] > -1e8, values[name] * np.float32(1.001), values[name])}
    found = irops.compare(analysis, [x], b=wrong, mode="propagated")
    assert [layer.name for layer in found.layers if layer.judgement.excess > 1] == [name]


def levels_around_zero():
    """Levels of a range whose ends are no multiples of a level, so that one is almost, but not, zero."""
    graph = irops.Graph("levels")
    x = graph.parameter("x", "f32[60]")
    low, high = np.float32(-2.0433), np.float32(2.0433) * np.float32(127 / 128)
    graph.result(graph.add("FakeQuantize", x, low, high, low, high, levels=256, name="levels"), "y")
    return ModelAnalysis(graph.model()), float(low), float(high)


@pytest.mark.parametrize("seed", range(4))
def test_a_level_near_zero_is_as_inexact_as_the_range_of_its_levels(seed):
    analysis, low, high = levels_around_zero()
    x = np.random.default_rng(seed).uniform(-2, 2, 60).astype(np.float32)
    x[7] = 0
    right = irops.run(analysis, [x])["y"]
    quantum = (high - low) / 255
    assert abs(right[7]) < quantum / 2
    other = right + np.float32(7e-7) * np.sign(np.random.default_rng(seed + 9).normal(size=60))
    found = irops.compare(analysis, [x], b={"y": other.astype(np.float32)})
    assert found.results[0].verdict is Verdict.ROUNDING, found
    moved = right.copy()
    moved[7] += np.float32(1e-3)
    assert irops.compare(analysis, [x], b={"y": moved}).results[0].is_fault
