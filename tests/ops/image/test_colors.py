"""Conversions between colours: what holds for all images."""

import numpy as np

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
