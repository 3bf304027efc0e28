"""Convolution and GroupConvolution."""

from __future__ import annotations

from math import inf, prod
from typing import Any

import numpy as np

from irops.ops.convolution.columns import convolve
from irops.ops.convolution.depthwise import depthwise
from irops.ops.sliding import Slide, Steps, check_empty_lists, positions, reach, same_padding
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import Violation, require, warn_unless

Numbers = tuple[int, ...]
MIN_DEPTHWISE_POSITIONS = 1 << 7
"""From this many output positions on, depthwise convolution is faster without matrix products."""


@shape("Convolution-1")
def convolution_shape(data: Fact, filters: Fact, **sliding: Any) -> Shape:
    steps = spatial_steps(data.shape, filters.shape, 2, **sliding)
    if steps is None:
        return UNRANKED
    batch, channels, *sizes = data.shape.of_rank(steps.axes + 2, "C1")
    maps, depth, *taps = filters.shape.of_rank(steps.axes + 2, "C1")
    unify(channels, depth, "C2")
    return Shape.of(batch, maps, *_output_sizes(sizes, taps, steps, sliding["auto_pad"]))


@shape("GroupConvolution-1")
def group_convolution_shape(data: Fact, filters: Fact, **sliding: Any) -> Shape:
    steps = spatial_steps(data.shape, filters.shape, 3, **sliding)
    if steps is None:
        return UNRANKED
    batch, channels, *sizes = data.shape.of_rank(steps.axes + 2, "C1")
    groups, maps, depth, *taps = filters.shape.of_rank(steps.axes + 3, "C1")
    require(depth.high > 0, "C6", depth)
    groups = unify(groups, channel_groups(channels, depth), "C2")
    return Shape.of(batch, groups * maps, *_output_sizes(sizes, taps, steps, sliding["auto_pad"]))


def spatial_steps(
    data: Shape,
    filters: Shape,
    leading: int,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    dilations: Numbers,
    auto_pad: str,
    output_padding: Numbers = (),
) -> Steps | None:
    """The steps along the spatial axes, whose number follows from the ranks of data and filters, or else from
    the attributes; None if it is unknown.

    leading: the number of axes of filters before the spatial ones. An empty attribute fits any number of
        axes.
    """
    check_empty_lists("C4", auto_pad, strides, dilations, pads_begin, pads_end)
    lists = (strides, pads_begin, pads_end, dilations, output_padding)
    ranks = [data.rank - 2] if data.rank is not None else []
    ranks += [filters.rank - leading] if filters.rank is not None else []
    require(len(set(ranks)) < 2, "C1", data, filters)
    axes = ranks[0] if ranks else max(map(len, lists))
    lengths = ", ".join(str(len(numbers)) for numbers in lists)
    require(
        all(len(numbers) in (0, axes) for numbers in lists), "C4", f"{lengths} values for {axes} spatial axes"
    )
    return Steps.of(axes, strides, dilations, pads_begin, pads_end) if axes else None


def _output_sizes(sizes: list[Dim], taps: list[Dim], steps: Steps, auto_pad: str) -> list[Dim]:
    """The output size along each spatial axis."""
    warn_unless(all(count > 0 for count in taps), "C5", Shape(taps))
    if auto_pad.startswith("same"):
        return [size.ceil_div(stride) for size, stride in zip(sizes, steps.strides)]
    if auto_pad == "valid":
        pads = [0] * len(sizes)
    else:
        pads = [begin + end for begin, end in zip(steps.pads_begin, steps.pads_end)]
    return [positions(*axis, "C3") for axis in zip(sizes, taps, steps.strides, steps.dilations, pads)]


def channel_groups(channels: Dim, depth: Dim) -> Dim:
    """The number of groups of `depth` channels each.

    Raises:  Violation(C2) if channels cannot be a multiple of depth
    """
    low = 0 if depth.high == inf else -(-channels.low // depth.high)
    high = channels.high if channels.high == inf else channels.high // max(depth.low, 1)
    if low > high:
        raise Violation("C2", f"got {channels} channels in groups of {depth}")
    return Dim(low, high)


@kernel("Convolution-1", widen=True)
def convolution(data: Array, filters: Array, **sliding: Any) -> Array:
    return group_convolution(data, filters[np.newaxis], **sliding)


@kernel("GroupConvolution-1", widen=True)
def group_convolution(
    data: Array,
    filters: Array,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    dilations: Numbers,
    auto_pad: str,
) -> Array:
    steps = Steps.of(data.ndim - 2, strides, dilations, pads_begin, pads_end)
    axes = zip(data.shape[2:], filters.shape[3:], *steps)
    slides = [_axis_slide(auto_pad, *axis) for axis in axes]
    positions = prod(slide.positions for slide in slides)
    one_each = filters.size > 0 and filters.shape[1:3] == (1, 1)
    if one_each and data.dtype.kind == "f" and positions >= MIN_DEPTHWISE_POSITIONS:
        return depthwise(data, filters[:, 0, 0], slides)
    return convolve(data, filters, slides)


def _axis_slide(
    auto_pad: str, size: int, taps: int, stride: int, dilation: int, before: int, after: int
) -> Slide:
    """The windows along one spatial axis."""
    length = int(reach(taps, dilation))
    if auto_pad.startswith("same"):
        before, _ = same_padding(size, length, stride, auto_pad)
        return Slide(size, taps, stride, dilation, before, -(-size // stride))
    if auto_pad == "valid":
        before = after = 0
    return Slide(size, taps, stride, dilation, before, (size + before + after - length) // stride + 1)
