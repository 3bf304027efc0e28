"""DeformableConvolution and BinaryConvolution, against plain convolutions that they must equal."""

from __future__ import annotations

import numpy as np
import pytest
from invoking import sliding

import irops

RNG = np.random.default_rng(0)
NAMES = ("strides", "dilations", "pads_begin", "pads_end", "auto_pad")
WAYS = [
    dict(zip(NAMES, values))
    for values in (
        ((2, 1), (1, 2), (1, 0), (0, 2), "explicit"),
        ((2, 2), (1, 1), (0, 0), (0, 0), "same_lower"),
        ((1, 1), (2, 1), (5, 5), (5, 5), "valid"),
    )
]


@pytest.mark.parametrize("way", WAYS)
def test_taps_that_are_not_moved_convolve(way):
    data, filters = RNG.standard_normal((2, 4, 7, 8)), RNG.standard_normal((6, 2, 3, 2))
    plain = irops.call("GroupConvolution-1", data, filters.reshape(2, 3, 2, 3, 2), **way)
    offsets = np.zeros((2, 2 * 2 * 6, *plain.shape[2:]))
    found = irops.call("DeformableConvolution-8", data, offsets, filters, group=2, deformable_group=2, **way)
    np.testing.assert_allclose(found, plain)


def test_taps_that_are_moved_by_whole_steps_see_data_that_is_moved_back():
    data, filters = RNG.standard_normal((1, 2, 9, 9)), RNG.standard_normal((3, 2, 2, 2))
    offsets = np.zeros((1, 4, 2, 4, 4))
    offsets[:, :, 0], offsets[:, :, 1] = 2, 1
    way = sliding(2)
    found = irops.call("DeformableConvolution-1", data[..., :5, :5], np.zeros((1, 8, 4, 4)), filters, **way)
    rolled = np.roll(data, (2, 1), (2, 3))[..., :7, :6]
    moved = irops.call("DeformableConvolution-1", rolled, np.zeros((1, 8, 6, 5)), filters, **way)
    np.testing.assert_allclose(moved[..., 2:, 1:], found)
    whole = irops.call(
        "DeformableConvolution-1", data[..., :5, :5], offsets.reshape(1, 8, 4, 4), filters, **way
    )
    np.testing.assert_allclose(whole[..., :2, :3], found[..., 2:, 1:])


@pytest.mark.parametrize("place", [np.nan, np.inf, -1e30, 3.0])
def test_what_lies_nowhere_is_zero(place):
    data, offsets = np.ones((1, 1, 3, 3), np.float32), np.full((1, 2, 3, 3), place, np.float32)
    way = {**sliding(2), "bilinear_interpolation_pad": True}
    filters = np.ones((1, 1, 1, 1), np.float32)
    assert not irops.call("DeformableConvolution-8", data, offsets, filters, **way).any()


@pytest.mark.parametrize("way", WAYS)
def test_bits_convolve_as_plus_and_minus_one(way):
    data, filters = RNG.integers(0, 2, (2, 3, 7, 8)), RNG.integers(0, 2, (4, 3, 3, 2))
    # of data + 1, so that padding of -1 is 0
    shifted = irops.call("Convolution-1", 2 * data, 2 * filters - 1, **way)
    net = (2 * filters - 1).sum(axis=(1, 2, 3)).reshape(1, -1, 1, 1)
    bits = filters.astype(np.dtype(np.uint8, metadata={"element_type": "u1"}))
    found = irops.call("BinaryConvolution-1", data, bits, mode="xnor-popcount", pad_value=0.0, **way)
    assert (found == shifted - net).all()
