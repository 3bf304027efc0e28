"""Convolution as matrix products, depthwise, deformable and binary; transposed convolution."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product as combinations
from math import inf, prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irops.ops.contraction import product
from irops.ops.conversion import as_numbers, low_bits
from irops.ops.partial import entries
from irops.ops.reals import blocks, elements_at
from irops.ops.sliding import Slide, Steps, check_empty_lists, positions, reach, same_padding
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, unify_shapes
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
    return [output_size(auto_pad, *axis) for axis in zip(sizes, taps, *steps)]


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
    slides = _slides(auto_pad, data.shape[2:], filters.shape[3:], Steps.of(data.ndim - 2, **sliding))
    positions = prod(slide.positions for slide in slides)
    one_each = filters.size > 0 and filters.shape[1:3] == (1, 1)
    if one_each and data.dtype.kind == "f" and positions >= MIN_DEPTHWISE_POSITIONS:
        return depthwise(data, filters[:, 0, 0], slides)
    return convolve(data, filters, slides)


def _slides(auto_pad: str, sizes: Numbers, taps: Numbers, steps: Steps) -> list[Slide]:
    """The windows along each spatial axis."""
    slides = []
    for size, count, *step in zip(sizes, taps, *steps):
        positions = int(output_size(auto_pad, Dim.of(size), Dim.of(count), *step))
        slides.append(slide_along(auto_pad, positions, size, count, *step[:3]))
    return slides


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


# DeformableConvolution: a convolution whose sampling positions are shifted by offsets.


@shape("DeformableConvolution-1")
def deformable_convolution_shape(
    data: Fact,
    offsets: Fact,
    filters: Fact,
    *,
    auto_pad: str,
    group: int,
    deformable_group: int,
    **sliding: Any,
) -> Shape:
    steps = steps_of_images(auto_pad, **sliding)
    require(
        group >= 1 and deformable_group >= 1, "C7", f"group {group} and deformable_group {deformable_group}"
    )
    batch, channels, *sizes = data.shape.of_rank(4, "C2")
    maps, depth, *taps = filters.shape.of_rank(4, "C2")
    unify(channels, depth * group, "C2")
    require((channels % group).can_be(0), "C2", f"{channels} channels")
    require((maps % group).can_be(0), "C4", f"{maps} filters")
    warn_unless(
        (channels % deformable_group).can_be(0), "C5", f"{channels} channels in {deformable_group} groups"
    )
    offset_channels = taps[0] * taps[1] * (2 * deformable_group)
    require((offsets.shape[1] % (2 * deformable_group)).can_be(0), "C6", f"{offsets.shape[1]} channels")
    output_sizes = [output_size(auto_pad, *axis) for axis in zip(sizes, taps, *steps)]
    merged = unify_shapes(Shape.of(batch, offset_channels, *output_sizes), offsets.shape, "C6")
    return Shape.of(merged[0], maps, *merged[2:])


@shape("DeformableConvolution-8")
def deformable_convolution_8_shape(
    data: Fact,
    offsets: Fact,
    filters: Fact,
    mask: Fact | None,
    *,
    deformable_group: int,
    bilinear_interpolation_pad: bool,  # noqa: ARG001
    **attributes: Any,
) -> Shape:
    output = deformable_convolution_shape(
        data, offsets, filters, deformable_group=deformable_group, **attributes
    )
    if mask is None:
        return output
    mask_channels = filters.shape[2] * filters.shape[3] * deformable_group
    require((mask.shape[1] % deformable_group).can_be(0), "C8", f"{mask.shape[1]} channels")
    merged = unify_shapes(Shape.of(output[0], mask_channels, *output[2:]), mask.shape, "C8")
    return Shape.of(merged[0], output[1], *merged[2:])


def steps_of_images(
    auto_pad: str, *, strides: Numbers, dilations: Numbers, pads_begin: Numbers, pads_end: Numbers, **_: Any
) -> Steps:
    """The steps along two axes, of strides, dilations, pads_begin and pads_end.

    Raises:  Violation(C1) unless all of them have two numbers or none
    """
    lists = (strides, dilations, pads_begin, pads_end)
    check_empty_lists("C1", auto_pad, *lists)
    lengths = ", ".join(str(len(numbers)) for numbers in lists)
    require(all(len(numbers) in (0, 2) for numbers in lists), "C1", f"{lengths} values")
    return Steps.of(2, *lists)


def output_size(auto_pad: str, size: Dim, taps: Dim, stride: int, dilation: int, begin: int, end: int) -> Dim:
    """The output size along one spatial axis."""
    if auto_pad.startswith("same"):
        return size.ceil_div(stride)
    return positions(size, taps, stride, dilation, 0 if auto_pad == "valid" else begin + end, "C3")


@kernel("DeformableConvolution-1", "DeformableConvolution-8", widen=True)
def deformable_convolution(
    data: Array,
    offsets: Array,
    filters: Array,
    mask: Array | None = None,
    *,
    auto_pad: str,
    group: int,
    deformable_group: int,
    bilinear_interpolation_pad: bool = False,
    **sliding: Numbers,
) -> Array:
    steps = Steps.of(2, **sliding)
    axes = zip(data.shape[2:], filters.shape[2:], steps.strides, steps.dilations, steps.pads_begin)
    slides = [slide_along(auto_pad, count, *axis) for axis, count in zip(axes, offsets.shape[2:])]
    wide = data.astype(np.int64) if element_type_of(data).integral else data
    masks = [None] * len(data) if mask is None else mask.astype(wide.dtype)
    rows = filters.reshape(group, len(filters) // group, prod(filters.shape[1:]))
    output = np.zeros((len(data), len(filters), *offsets.shape[2:]), data.dtype)
    if output.size and filters.size:
        sample = partial(
            _sampled_columns, slides=slides, groups=deformable_group, padded=bilinear_interpolation_pad
        )
        for item, item_offsets, item_mask, sums in zip(wide, offsets, masks, output):
            columns = sample(item, item_offsets, item_mask).reshape(group, rows.shape[2], -1)
            product(rows, columns, out=sums.reshape(*rows.shape[:2], -1))
    return output


def slide_along(
    auto_pad: str, count: int, size: int, taps: int, stride: int, dilation: int, before: int
) -> Slide:
    """The windows along one spatial axis, before offsets are added."""
    if auto_pad.startswith("same"):
        before = same_padding(size, int(reach(taps, dilation)), stride, auto_pad)[0]
    return Slide(size, taps, stride, dilation, 0 if auto_pad == "valid" else before, count)


def _sampled_columns(
    item: Array, offsets: Array, mask: Array | None, *, slides: Sequence[Slide], groups: int, padded: bool
) -> Array:
    """The sampled values for each filter element and output position: [C * taps, positions]."""
    down, across = (slide.taps for slide in slides), (slide.positions for slide in slides)
    taps, output_count = prod(down), prod(across)
    exact = offsets.dtype if offsets.dtype.kind == "f" else np.dtype(np.float64)
    shifts = offsets.astype(exact).reshape(groups, taps, 2, output_count)
    starts = (start.reshape(taps, output_count).astype(exact) for start in _sampling_positions(slides))
    y, x = (start + shifts[:, :, axis] for axis, start in enumerate(starts))
    sampled = interpolate(item.reshape(groups, len(item) // groups, *item.shape[1:]), y, x, padded)
    if mask is not None:
        sampled = sampled * mask.reshape(groups, 1, taps, output_count)
    return sampled.reshape(len(item) * taps, output_count)


def _sampling_positions(slides: Sequence[Slide]) -> list[Array]:
    """The row and the column of each filter element before offsets are added.

    Each has the shape [taps y, taps x, positions y, positions x].
    """
    ends = ((np.arange(s.taps) * s.dilation - s.before, np.arange(s.positions) * s.stride) for s in slides)
    along = [np.add.outer(taps, positions) for taps, positions in ends]
    expanded = along[0][:, np.newaxis, :, np.newaxis], along[1][np.newaxis, :, np.newaxis, :]
    return [*np.broadcast_arrays(*expanded)]


def interpolate(data: Array, y: Array, x: Array, padded: bool) -> Array:
    """Interpolate data[G, C, H, W] bilinearly at the positions y, x[G, K, P]: [G, C, K, P]. 0 outside.

    padded: whether data is treated as padded with zeros, so that values fall to 0 within one step outside.
        Otherwise positions between the last element and the size give the last element, and positions
        before the first element are outside.
    """
    height, width = data.shape[2:]
    inside = (y > -1) & (x > -1) if padded else (y >= 0) & (x >= 0)
    inside &= (y < height) & (x < width)
    total = np.zeros((*data.shape[:2], *y.shape[1:]), data.dtype)
    if not data.size:
        return total
    rows, columns = (
        _neighbours(np.where(inside, at, 0), size, padded) for at, size in ((y, height), (x, width))
    )
    for row, row_weight in rows:
        for column, column_weight in columns:
            valid = inside & (row >= 0) & (row < height) & (column >= 0) & (column < width)
            weights = (row_weight * column_weight).astype(data.dtype)
            places = np.where(valid, row, 0), np.where(valid, column, 0), valid
            for group, (maps, weight, *place) in enumerate(zip(data, weights, *places)):
                elements = elements_at(maps, *place)
                elements *= weight
                total[group] += elements
    return total


def _neighbours(at: Array, size: int, padded: bool) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The indices of the elements before and after each position, with their weights."""
    first = np.floor(at)
    last = first + 1 if padded else np.minimum(np.ceil(at), size - 1)
    return (first.astype(np.int64), 1 - (at - first)), (last.astype(np.int64), at - first)


# ConvolutionBackpropData and GroupConvolutionBackpropData: transposed convolution.


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


# BinaryConvolution: the number of equal bits minus the number of different bits, at each position.


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
    slides = _slides(auto_pad, data.shape[2:], filters.shape[2:], Steps.of(2, **sliding))
    numbers = as_numbers(data)
    equal = np.zeros((len(data), len(filters), *(slide.positions for slide in slides)), np.int64)
    for bit, bit_filters in ((0, 1 - bits), (1, bits)):
        padding = int(pad_value == bit)
        difference = (numbers == bit).astype(np.int64) - padding
        equal += convolve(difference, bit_filters[np.newaxis], slides) + padding * bit_filters.sum(
            axis=(1, 2, 3)
        ).reshape(-1, 1, 1)
    output = 2 * equal - bits[0].size if len(bits) else equal
    return low_bits(output, kind) if kind.integral else output.astype(data.dtype)
