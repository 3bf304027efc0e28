"""What examples cannot show of transforms: that they undo each other."""

import numpy as np
import pytest

import irops


def test_an_inverse_transform_undoes_the_transform():
    rng = np.random.default_rng(0)
    data, axes = rng.standard_normal((3, 4, 5, 2)).astype(np.float32), np.array([2, 0])
    np.testing.assert_allclose(irops.call("IDFT-7", irops.call("DFT-7", data, axes), axes), data, atol=1e-6)


@pytest.mark.parametrize("length", [4, 5])
def test_half_a_spectrum_of_any_length_gives_the_signal_back(length):
    rng = np.random.default_rng(1)
    data, axes = rng.standard_normal((3, length)).astype(np.float32), np.array([0, 1])
    half = irops.call("RDFT-9", data, axes)
    np.testing.assert_allclose(irops.call("IRDFT-9", half, axes, np.array([3, length])), data, atol=1e-6)


@pytest.mark.parametrize("op", ["DFT-7", "IDFT-7", "IRDFT-9"])
def test_what_is_cut_off_is_cut_before_anything_grows(op):
    """Else a tensor of 10^12 elements would stand in between."""
    data = np.ones((1, 10**6, 2), np.float32)
    assert irops.call(op, data, np.array([0, 1]), np.array([10**6, 1])).shape[:2] == (10**6, 1)
