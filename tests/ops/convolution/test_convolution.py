"""What examples cannot show of convolution: blocks, and numbers that would need too much memory."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from invoking import sliding

import irops
from irops.ops.convolution import columns


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
    [
        ((3, 4, 7), (2, 3, 2, 3), (2,), (2,), [(1, 3)]),
        ((2, 3, 6, 5), (3, 1, 1, 2, 3), (1, 2), (2, 1), [(4, 0), (0, 3)]),
        ((2, 2, 4, 3, 5), (1, 2, 2, 2, 1, 3), (2, 1, 1), (1, 1, 2), [(1, 1), (0, 0), (2, 2)]),
        ((2, 4, 3, 3), (1, 5, 4, 1, 1), (1, 1), (1, 1), [(0, 0), (0, 0)]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.int64])
def test_convolution_is_the_sum_under_every_window_whatever_the_blocks(
    monkeypatch, block, data, filters, strides, dilations, pads, dtype
):
    monkeypatch.setattr(columns, "BLOCK_BYTES", block)
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
