"""The training example, shortened: it learns, and what is stopped does not."""

import importlib
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytestmark = pytest.mark.slow("trains a network")

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "train_encoder"
STEPS = 60


@pytest.fixture(scope="module")
def example():
    """The modules of the example: train, network, curves."""
    names = ("train", "network", "curves")
    sys.path.insert(0, str(FOLDER))
    try:
        yield [importlib.import_module(name) for name in reversed(names)][::-1]
    finally:
        sys.path.remove(str(FOLDER))
        for name in names:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def trained(example):
    """Losses and weights after some steps, by the coefficient of the node behind the backward half."""
    return {coefficient: example[0].train(coefficient, STEPS) for coefficient in (1.0, 0.0)}


def test_the_encoder_learns_both_ways(trained):
    losses, _ = trained[1.0]
    assert (losses[:3].mean(0) > 0.6).all()
    assert (losses[-5:].mean(0) < 0.35).all()


def test_a_coefficient_of_0_stops_what_lies_before_it_and_nothing_else(trained, example):
    losses, weights = trained[0.0]
    first = example[1].first_weights(0)
    assert losses[-5:, 0].mean() < 0.35
    assert losses[-5:, 1].mean() > 0.5
    unmoved = {name for name, value in first.items() if np.array_equal(value, weights[name])}
    assert unmoved == {"backward_W", "backward_U", "backward_b"}


def test_let_through_every_weight_moves(trained, example):
    first = example[1].first_weights(0)
    assert not any(np.array_equal(value, trained[1.0][1][name]) for name, value in first.items())


def test_the_plot_that_is_kept_shows_the_four_curves(example):
    for text in (
        (FOLDER.parent.parent / "docs" / "train_encoder.svg").read_text(),
        example[2].drawn({f"<{k}>": np.linspace(1, 0, 40) for k in range(4)}, "curves"),
    ):
        root = ElementTree.fromstring(text)
        assert len(root.findall("{*}polyline")) == 4
