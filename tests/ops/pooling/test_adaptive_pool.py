"""Adaptive pooling against windows that are taken one by one."""

from itertools import product
from math import ceil, floor

import numpy as np
import pytest

import irops


def windows(data, counts):
    """Each window of one channel, with the place that it has in the output."""
    for place in product(*map(range, counts)):
        yield (
            place,
            tuple(
                slice(floor(i * n / count), ceil((i + 1) * n / count))
                for i, n, count in zip(place, data.shape, counts)
            ),
        )


@pytest.mark.parametrize("counts", [(1, 1), (2, 3), (5, 4), (7, 9)])
def test_every_window_is_averaged_and_searched(counts):
    data = np.random.default_rng(0).integers(0, 9, (1, 1, 5, 4)).astype(np.float64)
    means = irops.call("AdaptiveAvgPool-8", data, np.array(counts))
    greatest, places = irops.call("AdaptiveMaxPool-8", data, np.array(counts))
    for place, window in windows(data[0, 0], counts):
        seen = data[0, 0][window]
        np.testing.assert_allclose(means[0, 0][place], seen.mean())
        assert greatest[0, 0][place] == seen.max()
        first = min(
            row * 4 + column
            for row, column in np.argwhere(data[0, 0] == seen.max())
            if all(w.start <= at < w.stop for w, at in zip(window, (row, column)))
        )
        assert places[0, 0][place] == first


@pytest.mark.parametrize("op", ["AdaptiveAvgPool-8", "AdaptiveMaxPool-8"])
def test_windows_on_no_channels_take_no_time(op):
    found = irops.call(op, np.zeros((1, 0, 2), np.float32), np.array([10**10]))
    assert (found[0] if isinstance(found, tuple) else found).shape == (1, 0, 10**10)
