"""Pad: values that other modes ignore."""

from __future__ import annotations

import numpy as np
import pytest

import irops


@pytest.mark.parametrize("version", ["Pad-1", "Pad-12"])
@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric"])
def test_a_pad_value_in_another_mode_than_constant_is_ignored_without_a_finding(version: str, mode: str):
    """OpenVINO's converters write it, and its CPU plug-in ignores it too."""
    g = irops.Graph()
    padded = g.add(version, g.parameter("x", "f32[3]"), [1], [1], np.float32(9), pad_mode=mode)
    g.result(padded, "y")
    assert irops.check(g.model()).diagnostics == ()
    data = np.arange(3, dtype=np.float32)
    assert irops.run(g.model(), [data])["y"].tolist() == np.pad(data, 1, mode=mode).tolist()
