"""Convolution and GroupConvolution as matrix products; depthwise convolution, one filter for each channel."""

from collections.abc import Iterator, Sequence
from itertools import product as combinations
from math import inf, prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irops.ops.contraction import product
from irops.ops.reals import blocks
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
def group_convolution(data: Array, filters: Array, *, auto_pad: str, **sliding: Any) -> Array:
    steps = Steps.of(data.ndim - 2, **sliding)
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


BLOCK_ELEMENTS = 1 << 15
"""The elements of the output that are computed at once."""


def depthwise(data: Array, filters: Array, slides: Sequence[Slide]) -> Array:
    """Convolve each channel with its own filter. Only for floats: sums of integers would not saturate.

    Shapes:  data[N, C, sizes...], filters[C, taps...] -> [N, C, positions...]
    """
    channels, positions = len(filters), tuple(slide.positions for slide in slides)
    output = np.empty((*data.shape[:2], *positions), data.dtype)
    if not output.size:
        return output
    sums = output.reshape(len(data), channels, prod(positions))
    weights = filters.reshape(channels, filters.shape[1], -1)
    each = min(next(blocks(channels, prod(positions), BLOCK_ELEMENTS)).stop, channels)
    shared = slides[0].stride == 1 and prod(positions[1:]) > 1
    columns = np.zeros((each, *_column_shape(slides, shared)), data.dtype)
    for item, results in zip(data, sums):
        for block in blocks(channels, prod(positions), BLOCK_ELEMENTS):
            elements = columns[: len(results[block])]
            _fill(elements, item[block], slides, shared)
            by_tap = _by_tap(elements, slides, shared)
            np.einsum("cijp,cij->cp", by_tap, weights[block], out=results[block])
    return output


def _column_shape(slides: Sequence[Slide], shared: bool) -> tuple[int, ...]:
    """The elements under each tap at each position: [taps..., positions...].

    shared: the taps along the first axis share the elements, which then are all rows under any tap:
        [1, taps..., rows, positions...].
    """
    first = slides[0]
    taps, rows = (first.taps, first.positions)
    if shared:
        taps, rows = 1, first.positions + (first.taps - 1) * first.dilation
    return (taps, *(s.taps for s in slides[1:]), rows, *(s.positions for s in slides[1:]))


def _fill(columns: Array, data: Array, slides: Sequence[Slide], shared: bool) -> None:
    """Copy data[C, sizes...] to columns[C, *_column_shape], whose padding is 0 already."""
    if shared:
        first, *others = slides
        rows = columns.shape[len(slides) + 1]
        slides = (Slide(first.size, 1, 1, 1, first.before, rows), *others)
    for tap in np.ndindex(columns.shape[1 : len(slides) + 1]):
        positions, elements = zip(*(slide.meet(t) for slide, t in zip(slides, tap)))
        columns[(slice(None), *tap, *positions)] = data[(slice(None), *elements)]


def _by_tap(columns: Array, slides: Sequence[Slide], shared: bool) -> Array:
    """The elements under each tap: [C, taps of the first axis, taps of the others, positions]."""
    first, *others = slides
    count, row = prod(slide.positions for slide in slides), prod(slide.positions for slide in others)
    flat = columns.reshape(len(columns), columns.shape[1], prod(slide.taps for slide in others), -1)
    if not shared:
        return flat
    channel, _, other, element = flat.strides
    shape = (len(flat), first.taps, flat.shape[2], count)
    strides = (channel, first.dilation * row * element, other, element)
    return as_strided(flat, shape, strides, writeable=False)


# Convolution as a matrix product: the elements under each window become a column (im2col).


BLOCK_BYTES = 4 << 20
"""The maximum size of the columns that are in memory at one time."""


def convolve(data: Array, filters: Array, slides: Sequence[Slide]) -> Array:
    """Convolve each group of channels with its own filters.

    Shapes:  data[N, G * C, sizes...], filters[G, M, C, taps...] -> [N, G * M, positions...]
    """
    groups, maps, depth = filters.shape[:3]
    batch, positions = len(data), tuple(slide.positions for slide in slides)
    rows = filters.reshape(groups, maps, depth * prod(filters.shape[3:]))
    grouped = data.reshape(batch, groups, depth, *data.shape[2:])
    output = np.empty((batch, groups * maps, *positions), data.dtype)
    if output.size:
        flat = output.reshape(batch, groups, maps, prod(positions))
        for items, covered, block in _blocks(grouped, slides):
            product(rows, _columns(grouped[items], block), out=flat[items, :, :, covered])
    return output


def _blocks(data: Array, slides: Sequence[Slide]) -> Iterator[tuple[slice, slice, Sequence[Slide]]]:
    """Split the work so that the columns of each block stay within BLOCK_BYTES.

    Yields a slice of the batch, a slice of the flattened output positions, and the windows at these.
    """
    first, *others = slides
    inner = prod(slide.positions for slide in others)
    row = max(prod(data.shape[1:3]) * prod(slide.taps for slide in slides) * inner * data.itemsize, 1)
    height = min(max(BLOCK_BYTES // row, 1), first.positions)
    items = max(BLOCK_BYTES // (row * first.positions), 1)
    for item in range(0, len(data), items):
        for start in range(0, first.positions, height):
            stop = min(start + height, first.positions)
            covered = slice(start * inner, stop * inner)
            yield slice(item, item + items), covered, (first.cut(start, stop), *others)


def _columns(data: Array, slides: Sequence[Slide]) -> Array:
    """The elements under each window, 0 for padding: [N, G, C * taps, positions]."""
    batch, groups, depth = data.shape[:3]
    taps, positions = tuple(slide.taps for slide in slides), tuple(slide.positions for slide in slides)
    if all(
        slide.taps == slide.stride == 1 and slide.positions == slide.size and slide.whole for slide in slides
    ):
        return data.reshape(batch, groups, depth, prod(positions))
    allocate = np.empty if all(slide.whole for slide in slides) else np.zeros
    columns = allocate((batch, groups, depth, *taps, *positions), data.dtype)
    for tap in combinations(*map(range, taps)):
        covered, elements = zip(*(slide.meet(t) for slide, t in zip(slides, tap)))
        columns[(..., *tap, *covered)] = data[(..., *elements)]
    return columns.reshape(batch, groups, depth * prod(taps), prod(positions))
