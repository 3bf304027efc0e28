"""Colours, GridSample where its answer is known otherwise, and hostile sizes of Interpolate."""

import numpy as np
import pytest

import irops

RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 256, (2, 6, 4, 1), np.uint8)
UV = RANDOM.integers(0, 256, (2, 3, 2, 2), np.uint8)


def test_planes_apart_and_in_one_are_the_same_image():
    one = np.concatenate([Y, UV.reshape(2, 3, 4, 1)], axis=1)
    assert (irops.call("NV12toRGB-8", one) == irops.call("NV12toRGB-8", Y, UV)).all()
    colors = np.moveaxis(UV, 3, 1).reshape(2, 3, 4, 1)
    assert (
        irops.call("I420toRGB-8", np.concatenate([Y, colors], axis=1)) == irops.call("NV12toRGB-8", Y, UV)
    ).all()


def test_three_planes_are_the_same_image_as_two():
    assert (irops.call("I420toBGR-8", Y, UV[..., :1], UV[..., 1:]) == irops.call("NV12toBGR-8", Y, UV)).all()


def test_blue_first_is_red_first_reversed():
    assert (irops.call("NV12toBGR-8", Y, UV)[..., ::-1] == irops.call("NV12toRGB-8", Y, UV)).all()
    image = RANDOM.integers(0, 256, (1, 4, 4, 3), np.uint8)
    assert (
        irops.call("BGRtoNV12-17", image[..., ::-1], single_plane=True)
        == irops.call("RGBtoNV12-17", image, single_plane=True)
    ).all()


def test_there_and_back_a_plain_image_stays_within_two_steps():
    """The coefficients of both directions are rounded to three digits."""
    plain = np.broadcast_to(RANDOM.integers(0, 256, (8, 1, 1, 3), np.uint8), (8, 2, 2, 3))
    back = irops.call("NV12toRGB-8", *irops.call("RGBtoNV12-17", plain, single_plane=False))
    assert np.abs(back.astype(int) - plain).max() <= 2


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


def test_pads_are_not_made_room_for_without_bounds():
    image, sides = (
        np.zeros((1, 1, 2, 2), np.float32),
        (np.array([2, 2]), np.float32([1, 1]), np.array([2, 3])),
    )
    pads = {"pads_begin": (0, 0, 2**40, 2**20), "pads_end": (0, 0, 0, 0)}
    with pytest.raises(irops.EvaluationError, match="the padded image would have"):
        irops.call("Interpolate-4", image, *sides, mode="nearest", shape_calculation_mode="sizes", **pads)
