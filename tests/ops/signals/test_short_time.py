"""What examples cannot show of spectra of frames."""

import numpy as np
import pytest

import irops


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
