"""irops run with --jobs splits the batch, and says how."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_networks import classifier, meeting, random

import irops as package

pytestmark = pytest.mark.slow("starts worker processes")

Irops = Callable[..., Any]


def written(tmp_path: Path, graph: Any, **inputs: Any) -> tuple[Path, Path]:
    path, arrays = tmp_path / "model.xml", tmp_path / "inputs.npz"
    package.write(graph.model(), path)
    np.savez(arrays, **inputs)
    return path, arrays


def test_the_results_of_two_processes_are_those_of_one(irops: Irops, tmp_path: Path):
    model, inputs = written(tmp_path, classifier(), image=random(8, 3, 8, 8))
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    assert irops("run", model, "--load-inputs", inputs, "--save-outputs", one).status == 0
    done = irops("run", model, "--load-inputs", inputs, "--save-outputs", two, "-j2")
    assert done.status == 0
    assert "split the batch: 8 items in " in done.err
    assert np.load(one)["logits"].tobytes() == np.load(two)["logits"].tobytes()


def test_a_layer_at_which_items_meet_is_reported_with_its_line(irops: Irops, tmp_path: Path):
    model, inputs = written(tmp_path, meeting(), data=random(8, 3))
    done = irops("run", model, "--load-inputs", inputs, "-j2")
    assert done.status == 1
    assert "IR651 ReduceSum does not keep items apart" in done.err
    assert f"{model}:" in done.err


def test_a_profile_of_several_processes_is_refused(irops: Irops, tmp_path: Path):
    model, inputs = written(tmp_path, classifier(), image=random(8, 3, 8, 8))
    done = irops("run", model, "--load-inputs", inputs, "-j2", "--profile")
    assert done.status == 2
    assert "--profile measures this process, it cannot be given with workers" in done.err
