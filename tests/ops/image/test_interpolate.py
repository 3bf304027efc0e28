"""Interpolate where sizes are hostile."""

from __future__ import annotations

import numpy as np
import pytest

import irops


def test_pads_are_not_made_room_for_without_bounds():
    with pytest.raises(irops.EvaluationError, match="the padded image would have"):
        irops.call(
            "Interpolate-4",
            np.zeros((1, 1, 2, 2), np.float32),
            np.array([2, 2]),
            np.array([1, 1], np.float32),
            np.array([2, 3]),
            mode="nearest",
            shape_calculation_mode="sizes",
            pads_begin=(0, 0, 2**40, 2**20),
            pads_end=(0, 0, 0, 0),
        )


@pytest.mark.parametrize("version", ["Interpolate-4", "Interpolate-11"])
@pytest.mark.parametrize("axes", [[1, 2], [0, 1], [1, 3]])
def test_linear_onnx_over_other_axes_than_the_last_ones_has_no_finding(version: str, axes: list[int]):
    """OpenVINO's converters write it, and its CPU plug-in computes it; along two axes, it is mode linear."""
    g, modes = irops.Graph(), {"shape_calculation_mode": "sizes", "pads_begin": (0,), "pads_end": (0,)}
    image, sizes = g.parameter("x", "f32[3,4,2,5]"), np.int64([5, 7])
    scales = () if version == "Interpolate-11" else (np.float32([1, 1]),)
    for mode in ("linear_onnx", "linear"):
        g.result(g.add(version, image, sizes, *scales, np.int64(axes), mode=mode, **modes), mode)
    assert irops.check(g.model()).diagnostics == ()
    data = np.random.default_rng(0).standard_normal((3, 4, 2, 5)).astype(np.float32)
    found = irops.run(g.model(), [data])
    np.testing.assert_allclose(found["linear_onnx"], found["linear"], rtol=1e-5, atol=1e-6)
