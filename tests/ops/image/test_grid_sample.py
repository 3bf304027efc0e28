"""GridSample at places where its answer is known otherwise."""

import numpy as np
import pytest

import irops

IMAGE = np.random.default_rng(0).normal(size=(2, 3, 4, 5)).astype(np.float32)
MODES = ["bilinear", "bicubic", "nearest"]


def grid(rows, columns):
    return np.broadcast_to(
        np.stack(np.broadcast_arrays(columns, rows[:, np.newaxis]), axis=-1), (2, rows.size, columns.size, 2)
    )


@pytest.mark.parametrize("mode", MODES)
def test_the_centres_of_elements_are_the_elements(mode):
    aligned = grid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 5))
    assert np.allclose(
        irops.call("GridSample-9", IMAGE, aligned, mode=mode, align_corners=True), IMAGE, atol=1e-6
    )
    centres = grid((2 * np.arange(4) + 1) / 4 - 1, (2 * np.arange(5) + 1) / 5 - 1)
    assert np.allclose(irops.call("GridSample-9", IMAGE, centres, mode=mode), IMAGE, atol=1e-6)


@pytest.mark.parametrize(
    ("padding", "beside"), [("zeros", np.zeros(3)), ("border", [0, 0, 0]), ("reflection", [0, 1, 2])]
)
@pytest.mark.parametrize("align_corners", [True, False])
def test_what_lies_outside_is_as_padding_mode_says(padding, beside, align_corners):
    line = np.array([[[[5.0, 6.0, 7.0, 8.0]]]])
    steps = -(np.arange(3) + (1 if align_corners else 0.5) - (0 if align_corners else -0.5))
    places = 2 * steps / 3 - 1 if align_corners else (2 * steps + 1) / 4 - 1
    where = np.stack([places, np.zeros(3)], -1).reshape(1, 1, 3, 2)
    way = {"mode": "nearest", "padding_mode": padding, "align_corners": align_corners}
    found = irops.call("GridSample-9", line, where, **way)
    mirrored = np.array(beside, int) + (1 if align_corners and padding == "reflection" else 0)
    assert found.ravel().tolist() == ([0, 0, 0] if padding == "zeros" else line.ravel()[mirrored].tolist())
