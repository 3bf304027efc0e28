"""Faults planted in networks are reduced to their layer; long_reductions.py is the long run of this."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from planted import Planted, calls_of, random_plant

import irops
from irops.analysis.model_analysis import analyse
from irops.debugging.reduce.reduction import NoFault

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["digit_classifier", "bidirectional_encoder", "running_total"])
def test_a_planted_fault_is_reduced_to_its_layer(name: str, seed: int) -> None:
    analysis, draw = analyse(irops.read(EXAMPLES / name / "model.xml")), random.Random(seed)
    with np.load(EXAMPLES / name / "inputs.npz") as arrays:
        inputs = dict(arrays)
    calls = calls_of(analysis, inputs)
    for _ in range(20):
        plant = random_plant(calls, draw)
        planted = Planted(plant)
        try:
            small = irops.reduce(analysis, inputs, differs=("reference", planted))
        except NoFault:  # another fault is drawn where the results do not show this one
            continue
        assert small.layers <= SMALL
        assert small.stopped is None
        planted.hits = 0
        irops.run(small.model, small.inputs, backends=[planted])
        assert planted.hits
        return
    pytest.fail("no fault shows")
