"""ConvolutionBackpropData and GroupConvolutionBackpropData: transposed convolution."""

from itertools import product as combinations
from math import prod
from typing import Any

import numpy as np

from irops.ops.contraction import product
from irops.ops.conversion import as_numbers, low_bits
from irops.ops.convolution.convolution import channel_groups, spatial_steps
from irops.ops.partial import entries
from irops.ops.sliding import Slide, Steps, reach
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

Numbers = tuple[int, ...]


@shape("ConvolutionBackpropData-1")
def backprop_shape(data: Fact, filters: Fact, output_shape: Fact | None, **sliding: Any) -> Shape:
    steps = spatial_steps(data.shape, filters.shape, 2, **sliding)
    if steps is None:
        return UNRANKED
    batch, channels, *sizes = data.shape.of_rank(steps.axes + 2, "C1")
    depth, maps, *taps = filters.shape.of_rank(steps.axes + 2, "C1")
    unify(channels, depth, "C2")
    spatial = _spatial_sizes(sizes, taps, output_shape, steps, sliding["auto_pad"], sliding["output_padding"])
    return Shape.of(batch, maps, *spatial)


@shape("GroupConvolutionBackpropData-1")
def group_backprop_shape(data: Fact, filters: Fact, output_shape: Fact | None, **sliding: Any) -> Shape:
    steps = spatial_steps(data.shape, filters.shape, 3, **sliding)
    if steps is None:
        return UNRANKED
    batch, channels, *sizes = data.shape.of_rank(steps.axes + 2, "C1")
    groups, depth, maps, *taps = filters.shape.of_rank(steps.axes + 3, "C1")
    require(depth.high > 0, "C7", depth)
    groups = unify(groups, channel_groups(channels, depth), "C2")
    spatial = _spatial_sizes(sizes, taps, output_shape, steps, sliding["auto_pad"], sliding["output_padding"])
    return Shape.of(batch, groups * maps, *spatial)


def _spatial_sizes(
    sizes: list[Dim],
    taps: list[Dim],
    output_shape: Fact | None,
    steps: Steps,
    auto_pad: str,
    output_padding: Numbers,
) -> list[Dim]:
    """The spatial sizes of the output: output_shape if given, else as far as products reach, less padding."""
    if output_shape is not None:
        unify(output_shape.shape[0], len(sizes), "C5")
        requested = entries(output_shape, len(sizes))
        require(all(size >= 0 for size in requested), "C6", Shape(requested))
        return [size.at_least(0) for size in requested]
    zeros = (0,) * len(sizes)
    begins, ends = (steps.pads_begin, steps.pads_end) if auto_pad == "explicit" else (zeros, zeros)
    axes = zip(sizes, taps, steps.strides, steps.dilations, begins, ends, output_padding or zeros)
    return [_full_size(*axis) for axis in axes]


def _full_size(size: Dim, taps: Dim, stride: int, dilation: int, begin: int, end: int, extra: int) -> Dim:
    total = (size - 1).at_least(0) * stride + reach(taps, dilation) + (extra - begin - end)
    require(total >= 0, "C3", f"padding {begin} and {end}")
    return total.at_least(0)


@kernel("ConvolutionBackpropData-1", widen=True)
def backprop(data: Array, filters: Array, output_shape: Array | None, **sliding: Any) -> Array:
    return group_backprop(data, filters[np.newaxis], output_shape, **sliding)


@kernel("GroupConvolutionBackpropData-1", widen=True)
def group_backprop(
    data: Array,
    filters: Array,
    output_shape: Array | None,
    *,
    auto_pad: str,
    output_padding: Numbers,
    **sliding: Any,
) -> Array:
    sizes, taps = data.shape[2:], filters.shape[3:]
    steps = Steps.of(len(sizes), **sliding)
    fact = None if output_shape is None else Fact.of(as_i64(output_shape))
    output_sizes = _spatial_sizes(
        [Dim.of(n) for n in sizes], [Dim.of(n) for n in taps], fact, steps, auto_pad, output_padding
    )
    extra = output_padding or (0,) * len(sizes)
    begins, counts = steps.pads_begin, map(int, output_sizes)
    lengths = zip(sizes, taps, steps.strides, steps.dilations, begins, extra, counts)
    crops = [_crop_begin(auto_pad, fact is not None, *axis) for axis in lengths]
    axes = zip(output_sizes, taps, steps.strides, steps.dilations, crops, sizes)
    slides = [Slide(int(size), *axis) for size, *axis in axes]
    kind = element_type_of(data)
    if not kind.integral:
        return transposed_convolve(data, filters, slides)
    sums = transposed_convolve(
        as_numbers(data).astype(np.int64), as_numbers(filters).astype(np.int64), slides
    )
    low, high = kind.extent
    return low_bits(sums if kind.bits >= 32 else np.clip(sums, int(low), int(high)), kind)


def _crop_begin(
    auto_pad: str,
    has_output_shape: bool,
    size: int,
    taps: int,
    stride: int,
    dilation: int,
    begin: int,
    extra: int,
    output_size: int,
) -> int:
    """The number of elements removed from the beginning of an axis of the output."""
    if auto_pad == "explicit":
        return begin
    if not has_output_shape or auto_pad == "valid":
        return 0
    total = max((size - 1) * stride + int(reach(taps, dilation)) - output_size + extra, 0)
    return total - total // 2 if auto_pad == "same_upper" else total // 2


def transposed_convolve(data: Array, filters: Array, slides: list[Slide]) -> Array:
    """Add the products of data and filters, summed over channels, to the output positions that they reach.

    Shapes:  data[N, G * C, positions...], filters[G, C, M, taps...] -> [N, G * M, sizes...]
    """
    groups, depth, maps = filters.shape[:3]
    batch, sizes = len(data), data.shape[2:]
    columns = data.reshape(batch, groups, depth, prod(sizes))
    weights = np.moveaxis(
        filters.reshape(groups, depth, maps, prod(slide.taps for slide in slides)), 3, 0
    ).swapaxes(2, 3)
    output = np.zeros((batch, groups * maps, *(slide.size for slide in slides)), data.dtype)
    for number, tap in enumerate(combinations(*(range(slide.taps) for slide in slides))):
        positions, elements = zip(*(slide.meet(t) for slide, t in zip(slides, tap)))
        sums = product(np.ascontiguousarray(weights[number]), columns).reshape(batch, groups * maps, *sizes)
        output[(..., *elements)] += sums[(..., *positions)]
    return output
