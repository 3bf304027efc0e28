"""BinaryConvolution: the number of equal bits minus the number of different bits, at each position."""

from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.convolution.convolution import convolve
from irops.ops.convolution.deformable_convolution import output_size, slide_along, steps_of_images
from irops.ops.sliding import Steps
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("BinaryConvolution-1")
def binary_convolution_shape(data: Fact, filters: Fact, *, auto_pad: str, **sliding: Any) -> Shape:
    steps = steps_of_images(auto_pad, **sliding)
    batch, channels, *sizes = data.shape.of_rank(4, "C2")
    maps, depth, *taps = filters.shape.of_rank(4, "C2")
    unify(channels, depth, "C2")
    return Shape.of(batch, maps, *(output_size(auto_pad, *axis) for axis in zip(sizes, taps, *steps)))


@kernel("BinaryConvolution-1")
def binary_convolution(
    data: Array, filters: Array, *, auto_pad: str, pad_value: float, **sliding: Any
) -> Array:
    """Compute 2 * equal - all, where equal is the number of filter elements equal to the data under them.

    For each bit, equal elements are counted as if data were padding everywhere, and corrected by a
    convolution with the difference between data and padding.
    """
    kind, bits = element_type_of(data), filters.astype(np.int64)
    steps = Steps.of(2, **sliding)
    axes = list(zip(data.shape[2:], filters.shape[2:], *steps))
    counts = [int(output_size(auto_pad, Dim.of(size), Dim.of(taps), *step)) for size, taps, *step in axes]
    slides = [slide_along(auto_pad, count, *axis[:5]) for count, axis in zip(counts, axes)]
    numbers = as_numbers(data)
    equal = np.zeros((len(data), len(filters), *counts), np.int64)
    for bit, bit_filters in ((0, 1 - bits), (1, bits)):
        padding = int(pad_value == bit)
        difference = (numbers == bit).astype(np.int64) - padding
        equal += convolve(difference, bit_filters[np.newaxis], slides) + padding * bit_filters.sum(
            axis=(1, 2, 3)
        ).reshape(-1, 1, 1)
    output = 2 * equal - bits[0].size if len(bits) else equal
    return low_bits(output, kind) if kind.integral else output.astype(data.dtype)
