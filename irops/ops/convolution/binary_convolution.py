"""BinaryConvolution: the number of equal bits minus the number of different bits, at each position."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.convolution.convolution import convolve
from irops.ops.convolution.deformable_convolution import output_size, slide_along
from irops.ops.sliding import Steps, check_empty_lists
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

Numbers = tuple[int, ...]


@shape("BinaryConvolution-1")
def binary_convolution_shape(
    data: Fact,
    filters: Fact,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    dilations: Numbers,
    auto_pad: str,
) -> Shape:
    check_empty_lists("C1", auto_pad, strides, dilations, pads_begin, pads_end)
    lists = (strides, dilations, pads_begin, pads_end)
    require(
        all(len(numbers) in (0, 2) for numbers in lists),
        "C1",
        f"{', '.join(str(len(numbers)) for numbers in lists)} values",
    )
    batch, channels, *sizes = data.shape.of_rank(4, "C2")
    maps, depth, *taps = filters.shape.of_rank(4, "C2")
    unify(channels, depth, "C2")
    return Shape.of(
        batch, maps, *(output_size(auto_pad, *axis) for axis in zip(sizes, taps, *Steps.of(2, *lists)))
    )


@kernel("BinaryConvolution-1")
def binary_convolution(
    data: Array,
    filters: Array,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    dilations: Numbers,
    auto_pad: str,
    pad_value: float,
) -> Array:
    """Compute 2 * equal - all, where equal is the number of filter elements equal to the data under them.

    For each bit, equal elements are counted as if data were padding everywhere, and corrected by a
    convolution with the difference between data and padding.
    """
    kind, bits = element_type_of(data), filters.astype(np.int64)
    fact = binary_convolution_shape(
        Fact.of(data),
        Fact.of(filters),
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
    )
    counts = fact.to_tuple()[2:]
    steps = Steps.of(2, strides, dilations, pads_begin, pads_end)
    slides = [
        slide_along(auto_pad, *axis)
        for axis in zip(
            counts, data.shape[2:], filters.shape[2:], steps.strides, steps.dilations, steps.pads_begin
        )
    ]
    numbers = as_numbers(data)
    equal = np.zeros(fact.to_tuple(), np.int64)
    for bit, bit_filters in ((0, 1 - bits), (1, bits)):
        padding = int(pad_value == bit)
        difference = (numbers == bit).astype(np.int64) - padding
        equal += convolve(difference, bit_filters[np.newaxis], slides) + padding * bit_filters.sum(
            axis=(1, 2, 3)
        ).reshape(-1, 1, 1)
    output = 2 * equal - bits[0].size if len(bits) else equal
    return low_bits(output, kind) if kind.integral else output.astype(data.dtype)
