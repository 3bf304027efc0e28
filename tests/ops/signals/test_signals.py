"""Transforms undo each other, and compute no more than is asked for."""

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


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("size", [4, 5])
def test_a_signal_is_restored_from_the_spectra_of_its_frames(size, normalized):
    rng = np.random.default_rng(0)
    signal, window = rng.standard_normal((2, size + 6)), rng.random(size) + 0.5
    numbers = np.array(size), np.array(2)
    spectra = irops.call("STFT-15", signal, window, *numbers, transpose_frames=True) / (
        np.sqrt(size) if normalized else 1
    )
    restored = irops.call("ISTFT-16", spectra, window, *numbers, center=False, normalized=normalized)
    np.testing.assert_allclose(restored, signal, atol=1e-12)


def test_only_what_is_asked_for_of_a_long_signal_is_computed():
    """Two frames that are 10^12 elements apart, of which the first is asked for."""
    data, window = np.ones((3, 2, 2), np.float32), np.ones(4, np.float32)
    found = irops.call(
        "ISTFT-16", data, window, np.array(4), np.array(10**12), np.array(6), center=False, normalized=False
    )
    assert found.shape == (6,)
    assert found[4:].tolist() == [0, 0]
