"""Faults in models: each is reported, and its layer is named. long_planted_models.py plants hundreds in a
corpus."""

from __future__ import annotations

import numpy as np
import pytest
from model_faults import KINDS, plant
from planted_models import effect_of, in_f64, judged, renamed, results_of, summary, widened
from small_networks import NETWORKS
from tiers import slow_but

import irops

PLANTS = 10
"""How many plants of each network."""
SLIGHT = ("in_f16_and_back", "weights_in_f16")
"""Faults that rounding can hide in the values of a layer."""


@pytest.fixture(scope="module", params=slow_but(NETWORKS, ("recurrent",)))
def network(request):
    return NETWORKS[request.param]()


@pytest.fixture(scope="module")
def rows(network):
    model, inputs = network
    random, found = np.random.default_rng(2025), []
    kinds = tuple(kind for kind in KINDS if kind not in SLIGHT)
    while len(found) < PLANTS:
        planted = plant(model, random, kinds)
        try:
            row = judged(model, *planted, inputs, random, ("propagated", "renamed"))
        except (irops.DiagnosticError, ValueError):
            continue  # the faulty model has another shape, or does not run
        if row["effect"] != "small":
            found.append(row)
    return found


def test_every_fault_that_changes_results_is_reported(rows):
    of = [row for row in rows if row["effect"] == "clear"]
    assert len(of) > PLANTS // 2
    assert [row for row in of if row["propagated"]["ok"] or row["renamed"]["ok"]] == []


@pytest.mark.parametrize("mode", ["propagated", "renamed"])
def test_the_first_wrong_layer_is_the_planted_one_with_the_cause(rows, mode):
    of = [row for row in rows if row["effect"] == "clear"]
    assert [row for row in of if not row[mode]["named"] or not row[mode]["explained"]] == []


def test_no_comparison_of_a_faulty_model_fails(rows):
    assert [row for row in rows if row["propagated"]["error"] or row["renamed"]["error"]] == []
    assert summary(rows)["plants"] == PLANTS


def test_a_renamed_copy_gives_the_same_results(network):
    model, inputs = network
    other = renamed(model, np.random.default_rng(3))
    assert not {layer.name for layer in other.layers} & {layer.name for layer in model.layers}
    for one, two in zip(results_of(model, inputs), results_of(other, inputs), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_model_in_f64_computes_the_same_up_to_rounding_in_f32(network):
    model, inputs = network
    exact = results_of(in_f64(model), [widened(array) for array in inputs])
    for one, two in zip(results_of(model, inputs), exact, strict=True):
        assert two.dtype == (np.float64 if one.dtype == np.float32 else one.dtype)
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-5)


def test_a_copy_has_no_effect(network):
    model, inputs = network
    assert effect_of(model, irops.Graph(model).model(), inputs).level == "none"
