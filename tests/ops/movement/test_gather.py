"""Gather: indices outside of the axis that only turn up when a model runs."""

from __future__ import annotations

import numpy as np
import pytest

import irops

ROW = np.array([1, 2, 3], np.float32)


@pytest.mark.parametrize("version", [1, 7, 8])
def test_indices_that_turn_up_outside_the_axis_give_zeros(version: int) -> None:
    assert irops.call(f"Gather-{version}", ROW, np.array([1, 3, -3, -4]), np.array(0)).tolist() == [
        2,
        0,
        1,
        0,
    ]
    assert irops.call(f"Gather-{version}", ROW[:0], np.array([0]), np.array(0)).tolist() == [0]
