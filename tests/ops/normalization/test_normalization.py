"""Normalization where sums are great or empty, and the regions of LRN."""

import numpy as np
import pytest

import irops


def test_narrow_floats_are_summed_in_f32():
    data = np.full((1, 4096), 60, np.float16)
    data[0, ::2] = 62
    found = irops.call("MVN-6", data, np.array([1]), eps=0.0, normalize_variance=True, eps_mode="inside_sqrt")
    assert found.dtype == np.float16
    assert found[0, :2].tolist() == [1, -1]


@pytest.mark.parametrize("shape", [(0, 4), (2, 0), (2, 4, 0)])
def test_nothing_is_normalized_without_a_word(recwarn, shape):
    data = np.zeros(shape, np.float32)
    found = irops.call(
        "MVN-6", data, np.array([-1]), eps=0.1, normalize_variance=True, eps_mode="inside_sqrt"
    )
    assert found.shape == shape
    assert not recwarn.list


def test_a_group_has_its_own_mean_and_every_channel_its_own_scale():
    rng = np.random.default_rng(0)
    data, scale, bias = rng.random((2, 6, 3, 4)), rng.random(6), rng.random(6)
    found = irops.call("GroupNormalization-12", data, scale, bias, num_groups=3, epsilon=0.01)
    groups = data.reshape(2, 3, 2, 3, 4)
    mean, variance = groups.mean(axis=(2, 3, 4), keepdims=True), groups.var(axis=(2, 3, 4), keepdims=True)
    normal = ((groups - mean) / np.sqrt(variance + 0.01)).reshape(data.shape)
    np.testing.assert_allclose(found, normal * scale[:, None, None] + bias[:, None, None])


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
