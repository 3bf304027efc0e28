"""Two models whose results differ are reduced together, to the layers in which they differ."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from model_faults import KINDS, plant
from planted_models import effect_of, reduction, renamed
from small_networks import NETWORKS
from tiers import slow_but

import irops
from irops.debugging.reduce.oracle import InvalidQuestion
from irops.debugging.reduce.reduction import NoFault

PLANTS = 6


def computing(model: irops.Model) -> list[str]:
    return [layer.type for layer in model.layers if layer.type not in ("Const", "Parameter", "Result")]


def towers(
    scale: float = 1.0, *, without_relu: bool = False, early: bool = False, name: str = "scaled"
) -> irops.Model:
    g = irops.Graph("towers")
    x = g.parameter("x", "f32[3,4]")
    left = g.ops.Tanh(x, name="tanh")
    right = g.ops.Sin(x, name="sin")
    middle = g.ops.Multiply(left, np.float32(scale), name=name)
    middle = middle if without_relu else g.ops.ReLU(middle, name="relu")
    summed = g.ops.Add(middle, x if early else right, name="sum")
    g.result(g.ops.Cos(summed, name="cos"), "y")
    g.result(g.ops.Abs(right, name="abs"), "z")
    return g.model()


INPUTS = {"x": np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)}


def reduced(b: irops.Model) -> irops.Reduction:
    return irops.reduce(towers(), INPUTS, differs=("reference", b))


def test_another_constant_leaves_the_layer_that_uses_it():
    small = reduced(towers(1.5))
    assert computing(small.model) == computing(small.other) == ["Multiply"]
    assert small.layers == 1
    one, two = (irops.run(m, small.inputs) for m in (small.model, small.other))
    np.testing.assert_allclose(1.5 * next(iter(one.values())), next(iter(two.values())), rtol=1e-5)


def test_a_layer_that_one_model_lacks_remains_in_the_other_one():
    small = reduced(towers(without_relu=True))
    assert computing(small.model) == ["ReLU", "Add"]
    assert computing(small.other) == ["Add"]


def test_an_input_that_only_one_layer_uses_is_an_input_of_both_models():
    small = reduced(towers(early=True))
    assert computing(small.model) == computing(small.other) == ["Add"]
    for model in (small.model, small.other):
        assert {layer.name for layer in model.layers if layer.type == "Parameter"} == set(small.inputs)


def test_models_with_other_names_are_reduced_together():
    small = irops.reduce(
        towers(), INPUTS, differs=("reference", renamed(towers(1.5), np.random.default_rng(0)))
    )
    assert computing(small.model) == computing(small.other) == ["Multiply"]


def test_the_program_shows_the_difference(tmp_path):
    irops.write(towers(1.5), tmp_path / "b.xml")
    small = irops.reduce(towers(), INPUTS, differs=(f"model:{tmp_path}/b.xml", "reference"))
    files = small.write(tmp_path / "small")
    assert files[-3:] == ("other.xml", "other.bin", "repro.py")
    program = [sys.executable, str(tmp_path / "small/repro.py")]
    ended = subprocess.run(program, capture_output=True, text=True, check=False)
    assert ended.stdout.startswith(f"irops {irops.__version__} on ")
    assert "AssertionError" in ended.stderr
    compared = irops.compare(
        tmp_path / "small/reduced.xml", small.inputs, b=f"model:{tmp_path}/small/other.xml"
    )
    assert not compared.ok


def test_equal_models_have_nothing_to_reduce():
    with pytest.raises(NoFault, match="give the same results"):
        reduced(towers())


def test_a_model_with_other_results_cannot_be_reduced():
    g = irops.Graph("other")
    g.result(g.ops.Tanh(g.parameter("x", "f32[3,4]")), "y")
    with pytest.raises(InvalidQuestion, match="result 'z' has no counterpart"):
        reduced(g.model())


def test_another_model_does_not_crash(tmp_path):
    irops.write(towers(), tmp_path / "b.xml")
    with pytest.raises(InvalidQuestion, match="reduce that one"):
        irops.reduce(towers(), INPUTS, crashes=f"model:{tmp_path}/b.xml")


@pytest.mark.parametrize("name", slow_but(NETWORKS, ("recurrent",)))
def test_a_reduction_ends_at_the_planted_fault(name):
    model, inputs = NETWORKS[name]()
    random, rows = np.random.default_rng(29), []
    while len(rows) < PLANTS:
        planted = plant(model, random, tuple(KINDS))
        try:
            if effect_of(model, planted[0], inputs).level != "clear":
                continue
        except (irops.DiagnosticError, ValueError):
            continue  # the faulty model has another shape, or does not run
        rows.append({"fault": planted[1], **reduction(model, *planted, inputs)})
    assert [row for row in rows if not row.get("kept") or row["layers"] > 4] == []
