"""Convolutions: what examples cannot show, tap by tap, and those that must equal plain ones."""

from itertools import product

import numpy as np
import pytest
from invoking import sliding
from tables import table

import irops
from irops.ops.convolution import convolution
from irops.ops.convolution.convolution import convolve, depthwise
from irops.ops.sliding import Slide


def by_definition(data, filters, strides, dilations, pads):
    """Window by window, in f64."""
    padded = np.pad(data.astype(float), [(0, 0), (0, 0), *pads])
    groups, maps, _, *taps = filters.shape
    reaches = [(t - 1) * d + 1 for t, d in zip(taps, dilations)]
    counts = [(n - r) // s + 1 for n, r, s in zip(padded.shape[2:], reaches, strides)]
    output = np.zeros((len(data), groups * maps, *counts))
    for place in product(*map(range, counts)):
        cut = tuple(slice(p * s, p * s + r, d) for p, s, r, d in zip(place, strides, reaches, dilations))
        window = padded[(slice(None), slice(None), *cut)].reshape(len(data), groups, -1)
        output[(slice(None), slice(None), *place)] = np.einsum(
            "ngk,gmk->ngm", window, filters.reshape(groups, maps, -1)
        ).reshape(len(data), -1)
    return output


@pytest.mark.parametrize("block", [1, 500, 1 << 24])
@pytest.mark.parametrize(
    ("data", "filters", "strides", "dilations", "pads"),
    table(__file__, "convolution_is_the_sum_under_every_window_whatever_the_blocks"),
)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.int64])
def test_convolution_is_the_sum_under_every_window_whatever_the_blocks(
    monkeypatch, block, data, filters, strides, dilations, pads, dtype
):
    monkeypatch.setattr(convolution, "BLOCK_BYTES", block)
    rng = np.random.default_rng(0)
    elements, weights = rng.integers(-2, 3, data).astype(dtype), rng.integers(-1, 2, filters).astype(dtype)
    begin, end = zip(*pads)
    steps = {"strides": strides, "dilations": dilations, "pads_begin": begin, "pads_end": end}
    found = irops.call("GroupConvolution-1", elements, weights, **steps)
    assert found.dtype == dtype
    right = by_definition(elements, weights, strides, dilations, pads)
    np.testing.assert_allclose(found.astype(float), right, rtol=1e-6)


def test_elements_that_lie_transposed_in_memory_are_convolved_as_they_are_counted():
    data = np.arange(24, dtype=np.float32).reshape(4, 3, 2).transpose(2, 1, 0)
    filters = np.ones((1, 3, 2), np.float32)
    plain, turned = (
        irops.call("Convolution-1", each, filters, **sliding(1)) for each in (data.copy("C"), data)
    )
    assert np.array_equal(turned, plain)


def test_padding_takes_no_memory():
    far = 2**40
    data, filters = np.ones((1, 1, 4), np.float32), np.ones((1, 1, 2), np.float32)
    found = irops.call("Convolution-1", data, filters, **sliding(1, strides=far, pads=far))
    assert found.tolist() == [[[0, 2, 0]]]


def test_narrow_floats_are_summed_in_f32():
    ones = np.full((1, 3000, 1), 1, np.float16)
    assert irops.call("Convolution-1", ones, ones, **sliding(1)).item() == 3000


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
