"""Regions of LRN, element by element."""

import numpy as np
import pytest

import irops


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("axes", [(1,), (0, 2)])
def test_regions_are_centred_and_end_with_data(axes, size):
    data = np.random.default_rng(0).standard_normal((3, 4, 5))
    reach = [(size - 1) // 2 if axis in axes else 0 for axis in range(3)]
    sums = np.empty(data.shape)
    for place in np.ndindex(data.shape):
        region = tuple(slice(max(at - far, 0), at + far + 1) for at, far in zip(place, reach))
        sums[place] = np.square(data[region]).sum()
    found = irops.call("LRN-1", data, np.array(axes), alpha=0.3, beta=0.6, bias=2.0, size=size)
    np.testing.assert_allclose(found, data / (2 + 0.3 / size ** len(axes) * sums) ** 0.6)
