"""Interpolate where sizes are hostile."""

import numpy as np
import pytest

import irops


def test_pads_are_not_made_room_for_without_bounds():
    image, sides = (
        np.zeros((1, 1, 2, 2), np.float32),
        (np.array([2, 2]), np.float32([1, 1]), np.array([2, 3])),
    )
    pads = {"pads_begin": (0, 0, 2**40, 2**20), "pads_end": (0, 0, 0, 0)}
    with pytest.raises(irops.EvaluationError, match="the padded image would have"):
        irops.call("Interpolate-4", image, *sides, mode="nearest", shape_calculation_mode="sizes", **pads)
