"""Correct networks beside OpenVINO: no alarm without a proof. long_zoo.py does so with a corpus."""

from __future__ import annotations

import numpy as np
import pytest
from libraries import needs
from small_networks import NETWORKS
from tiers import slow
from zoo import F32, beyond_exact, layer_cases

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.sources.source import Context


@needs("openvino")
@pytest.mark.parametrize("name", [slow("encoder"), "recurrent"])  # OpenVINO 2026.4 crashes in the detector
def test_no_layer_of_a_correct_runtime_is_called_wrong(name):
    model, inputs = NETWORKS[name]()
    outcomes = list(layer_cases(name, ModelAnalysis(model), inputs, F32))
    assert all(outcome.compared > 5 for outcome in outcomes)
    assert [outcome.false for outcome in outcomes] == [[], []]


@pytest.mark.parametrize("name", ["encoder", "recurrent", "detector"])
def test_the_proof_in_f64_holds_of_wrong_results_and_not_of_rounded_ones(name):
    model, inputs = NETWORKS[name]()
    analysis = ModelAnalysis(model)
    context = Context(analysis, analysis.signature.arrays(inputs))
    results = list(irops.run(analysis, inputs).values())
    assert beyond_exact(context, inputs, results, in_bf16=False) == ""
    wrong = [result * np.float32(1.001) if result.dtype == np.float32 else result for result in results]
    assert "from its value in f64" in beyond_exact(context, inputs, wrong, in_bf16=False)
