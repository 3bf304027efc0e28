"""Depthwise convolution tap by tap against convolution as a matrix product."""

import numpy as np
import pytest

import irops
from irops.ops.convolution.columns import convolve
from irops.ops.convolution.convolution import depthwise
from irops.ops.sliding import Slide

PLAIN = {"strides": (1, 1), "dilations": (1, 1)}


def slide(random, size):
    """Windows of random size and stride on an axis, with padding on both sides."""
    taps, stride, dilation, before, after = (int(random.integers(1, 5)) for _ in range(5))
    free = size + before + after - (taps - 1) * dilation - 1
    return Slide(size, taps, stride, dilation, before, free // stride + 1)


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_sum_of_products(seed):
    random = np.random.default_rng(seed)
    sizes = tuple(int(size) for size in random.integers(12, (600, 40, 15)[seed % 3], seed % 3 + 1))
    slides = [slide(random, size) for size in sizes]
    batch, channels = int(random.integers(0, 3)), int(random.integers(1, 9)) * (1, 20)[seed % 2]
    data = random.integers(-5, 6, (batch, channels, *sizes)).astype((np.float32, np.float64)[seed % 2])
    filters = random.integers(-3, 4, (channels, *(s.taps for s in slides))).astype(data.dtype)
    result = depthwise(data, filters, slides)
    assert result.dtype == data.dtype
    assert np.array_equal(result, convolve(data, filters[:, np.newaxis, np.newaxis], slides))


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8])
def test_large_maps_of_every_type_have_their_padding(kind):
    data, filters = np.ones((1, 3, 50, 60), kind), np.ones((3, 1, 1, 3, 3), kind)
    result = irops.call("GroupConvolution-1", data, filters, **PLAIN, pads_begin=(1, 1), pads_end=(1, 1))
    expected = np.full((50, 60), 9)
    expected[[0, -1]], expected[:, [0, -1]], expected[:: 50 - 1, :: 60 - 1] = 6, 6, 4
    assert result.dtype == kind
    assert (result == expected).all()


def test_filters_without_elements_give_zeros():
    data, filters = np.ones((1, 2, 40, 40), np.float32), np.ones((2, 1, 1, 0, 3), np.float32)
    result = irops.call("GroupConvolution-1", data, filters, **PLAIN, pads_begin=(0, 0), pads_end=(0, 0))
    assert result.size
    assert not result.any()


def test_what_is_computed_beside_the_output_does_not_matter():
    data, filters = np.zeros((1, 1, 60, 60), np.float32), np.ones((1, 1, 1, 2, 2), np.float32)
    data[0, 0, :, -1], data[0, 0, :, 0] = np.inf, -np.inf
    result = irops.call("GroupConvolution-1", data, filters, **PLAIN, pads_begin=(0, 0), pads_end=(0, 0))
    assert (result[0, 0, :, 0] == -np.inf).all()
    assert (result[0, 0, :, -1] == np.inf).all()
    assert (result[0, 0, :, 1:-1] == 0).all()
