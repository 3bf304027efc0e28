"""What rounding does in another run: whole numbers stay what they are."""

import numpy as np

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.noise import noisy_walk
from irops.debugging.sources.source import Context
from irops.verdicts.question import Arithmetic


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
    gathered = irops.run(analysis, [x], keep=["gathered"])["gathered"]
    recorded = dict.fromkeys(("gathered", "y"), np.roll(gathered, 1))
    found = irops.compare(analysis, [x], b=recorded)
    assert found.first.name == "gathered"
