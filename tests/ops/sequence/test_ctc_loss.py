"""The loss against the sum over all paths, each read for itself."""

from itertools import groupby, product

import numpy as np
import pytest

import irops

RNG = np.random.default_rng(0)
LOGITS = RNG.standard_normal((1, 5, 3))
LABELS = [(), (0,), (0, 1), (0, 0), (1, 0, 1), (0, 0, 1), (1, 1, 1)]


def read(path, blank, merged):
    classes = [label for label, _ in groupby(path)] if merged else path
    return tuple(label for label in classes if label != blank)


def loss(target, steps, blank, merged):
    probabilities = np.exp(LOGITS[0]) / np.exp(LOGITS[0]).sum(axis=1, keepdims=True)
    paths = (path for path in product(range(3), repeat=steps) if read(path, blank, merged) == tuple(target))
    with np.errstate(divide="ignore"):
        return -np.log(
            sum(np.prod([probabilities[step, label] for step, label in enumerate(path)]) for path in paths)
        )


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("steps", [3, 5])
@pytest.mark.parametrize("target", LABELS)
def test_the_loss_is_that_of_all_paths_that_are_read_as_the_labels(target, steps, merged):
    labels = np.full((1, 5), 2)
    labels[0, : len(target)] = target
    found = irops.call(
        "CTCLoss-4", LOGITS, np.array([steps]), labels, np.array([len(target)]), ctc_merge_repeated=merged
    )
    np.testing.assert_allclose(found, [loss(target, steps, 2, merged)])


def test_great_logits_do_not_overflow():
    logits = np.full((1, 2, 2), 1000, np.float32)
    found = irops.call(
        "CTCLoss-4", logits, np.array([2]), np.array([[0, 0]]), np.array([1]), ctc_merge_repeated=True
    )
    np.testing.assert_allclose(found, [-np.log(0.75)], rtol=1e-6)
