"""Blocks of space as channels or batches: DepthToSpace, SpaceToBatch and their inverses, ShuffleChannels;
patches of images: ExtractImagePatches and Col2Im.
"""

from collections.abc import Callable
from functools import reduce
from itertools import product
from math import inf, prod

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.partial import entries
from irops.ops.sliding import Slide, Steps, reach, same_padding
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, MAX_DIM, Dim, unify
from irops.values.element import Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require


def divided(size: Dim, parts: Dim, constraint: str) -> Dim:
    """The size of each of several equal parts; parts is 1 or more, size at most MAX_DIM.

    Raises:  Violation(constraint) if size cannot be a multiple of parts
    """
    part, low = size // parts, size.ceil_div(parts).low
    require(low <= part.high, constraint, size, f"{parts} parts")
    high = -(-MAX_DIM // int(parts.low)) if part.high == inf and parts.low > 1 else part.high
    return Dim(max(low, part.low), high, part.symbol)


@shape("DepthToSpace-1")
def depth_to_space_shape(data: Fact, *, block_size: int) -> Shape:
    require(block_size >= 1, "C2", block_size)
    if data.shape.dims is None:
        return UNRANKED
    batch, channels, *sizes = data.shape
    depth = divided(channels, Dim.of(block_size ** len(sizes)), "C1")
    return Shape.of(batch, depth, *(size * block_size for size in sizes))


@shape("SpaceToDepth-1")
def space_to_depth_shape(data: Fact, *, block_size: int) -> Shape:
    require(block_size >= 1, "C2", block_size)
    if data.shape.dims is None:
        return UNRANKED
    batch, channels, *sizes = data.shape
    blocks = (divided(size, Dim.of(block_size), "C1") for size in sizes)
    return Shape.of(batch, channels * block_size ** len(sizes), *blocks)


@kernel("DepthToSpace-1")
def depth_to_space(data: Array, *, mode: str, block_size: int) -> Array:
    batch, channels, *sizes = data.shape
    axes, depth = len(sizes), channels // block_size ** len(sizes)
    blocks, first = (block_size,) * axes, mode == "blocks_first"
    split = (
        data.reshape(batch, *blocks, depth, *sizes) if first else data.reshape(batch, depth, *blocks, *sizes)
    )
    places = range(1, axes + 1) if first else range(2, axes + 2)
    pairs = [axis for number, place in enumerate(places) for axis in (axes + 2 + number, place)]
    return split.transpose(0, axes + 1 if first else 1, *pairs).reshape(
        batch, depth, *(size * block_size for size in sizes)
    )


@kernel("SpaceToDepth-1")
def space_to_depth(data: Array, *, mode: str, block_size: int) -> Array:
    batch, channels, *sizes = data.shape
    axes, outer = len(sizes), [size // block_size for size in sizes]
    split = data.reshape(batch, channels, *(part for size in outer for part in (size, block_size)))
    kept, within = range(2, 2 * axes + 2, 2), range(3, 2 * axes + 2, 2)
    order = (0, *within, 1, *kept) if mode == "blocks_first" else (0, 1, *within, *kept)
    return split.transpose(order).reshape(batch, channels * prod((block_size,) * axes), *outer)


AxisBlocks = list[tuple[Dim, Dim, Dim, Dim]]


@shape("SpaceToBatch-2")
def space_to_batch_shape(data: Fact, block_shape: Fact, pads_begin: Fact, pads_end: Fact) -> Shape:
    axes = _axis_blocks(data.shape, block_shape, pads_begin, pads_end)
    if axes is None:
        return UNRANKED
    batch, blocks = data.shape[0], reduce(lambda a, b: a * b, (block for _, block, _, _ in axes))
    return Shape.of(
        batch * blocks, *(divided(size + begin + end, block, "C5") for size, block, begin, end in axes[1:])
    )


@shape("BatchToSpace-2")
def batch_to_space_shape(data: Fact, block_shape: Fact, crops_begin: Fact, crops_end: Fact) -> Shape:
    axes = _axis_blocks(data.shape, block_shape, crops_begin, crops_end)
    if axes is None:
        return UNRANKED
    blocks = reduce(lambda a, b: a * b, (block for _, block, _, _ in axes))
    cropped = (_cropped(size * block, begin, end) for size, block, begin, end in axes[1:])
    return Shape.of(divided(data.shape[0], blocks, "C5"), *cropped)


def _axis_blocks(data: Shape, block_shape: Fact, begins: Fact, ends: Fact) -> AxisBlocks | None:
    """The size, block, begin and end of every axis; None if the rank is unknown.

    Raises:  Violation if they break a constraint, except C5 and C6
    """
    count = unify(unify(block_shape.shape[0], begins.shape[0], "C1"), ends.shape[0], "C1")
    if data.dims is None:
        return None
    rank = len(data)
    unify(count, rank, "C1")
    blocks, first, last = (entries(fact, rank) for fact in (block_shape, begins, ends))
    require(all(block >= 1 for block in blocks), "C2", Shape(blocks))
    require(all(number >= 0 for number in first + last), "C3", Shape(first), Shape(last))
    require(
        blocks[0].can_be(1) and first[0].can_be(0) and last[0].can_be(0), "C4", blocks[0], first[0], last[0]
    )
    one, zero = Dim.of(1), Dim.of(0)
    blocks = (one, *(block.at_least(1) for block in blocks[1:]))
    first, last = ((zero, *(number.at_least(0) for number in numbers[1:])) for numbers in (first, last))
    return list(zip(data, blocks, first, last))


def _cropped(size: Dim, begin: Dim, end: Dim) -> Dim:
    rest = size - begin - end
    require(rest >= 0, "C6", f"{begin} and {end} of {size} elements")
    return rest.at_least(0)


@kernel("SpaceToBatch-2")
def space_to_batch(data: Array, block_shape: Array, pads_begin: Array, pads_end: Array) -> Array:
    blocks = _checked_blocks(data, block_shape, pads_begin, pads_end, space_to_batch_shape)
    pads = list(zip(as_i64(pads_begin).tolist(), as_i64(pads_end).tolist()))
    whole = np.pad(data, pads, constant_values=zeros((), element_type_of(data)))
    outer = [size // block for size, block in zip(whole.shape[1:], blocks)]
    split = whole.reshape(len(whole), *(part for pair in zip(outer, blocks) for part in pair))
    within, kept = range(2, split.ndim, 2), range(1, split.ndim, 2)
    return split.transpose(*within, 0, *kept).reshape(len(whole) * prod(blocks), *outer)


@kernel("BatchToSpace-2")
def batch_to_space(data: Array, block_shape: Array, crops_begin: Array, crops_end: Array) -> Array:
    blocks = _checked_blocks(data, block_shape, crops_begin, crops_end, batch_to_space_shape)
    axes, batch = len(blocks), len(data) // prod(blocks)
    split = data.reshape(*blocks, batch, *data.shape[1:])
    pairs = [axis for number in range(axes) for axis in (axes + 1 + number, number)]
    sizes = [size * block for size, block in zip(data.shape[1:], blocks)]
    whole = split.transpose(axes, *pairs).reshape(batch, *sizes)
    cuts = zip(crops_begin, crops_end, whole.shape)
    return whole[tuple(slice(int(begin), size - int(end)) for begin, end, size in cuts)]


def _checked_blocks(
    data: Array, block_shape: Array, begins: Array, ends: Array, rule: Callable[..., Shape]
) -> list[int]:
    """The blocks of all axes except the first, after checking the inputs with the shape function rule."""
    rule(*map(Fact.of, (data, block_shape, begins, ends)))
    return [int(block) for block in as_i64(block_shape)[1:]]


@shape("ShuffleChannels-1")
def shuffle_channels_shape(data: Fact, *, axis: int, group: int) -> Shape:
    channels = data.shape[axis]
    rounded_up, rounded_down = channels.ceil_div(group) * group, (channels // group) * group
    require(rounded_up.low <= rounded_down.high, "C1", channels, f"{group} groups")
    low, high = max(rounded_up.low, channels.low), min(rounded_down.high, channels.high)
    return data.shape.with_dim(axis, Dim(low, high, channels.symbol))


@kernel("ShuffleChannels-1")
def shuffle_channels(data: Array, *, axis: int, group: int) -> Array:
    before, after = prod(data.shape[:axis]), prod(data.shape[axis + 1 :])
    grouped = data.reshape(before, group, data.shape[axis] // group, after)
    return grouped.swapaxes(1, 2).reshape(data.shape)


# ExtractImagePatches and Col2Im.


Pair = tuple[int, ...]


@shape("ExtractImagePatches-3")
def patches_shape(data: Fact, *, sizes: Pair, strides: Pair, rates: Pair, auto_pad: str) -> Shape:
    lengths = [len(numbers) for numbers in (sizes, strides, rates)]
    require(lengths == [2, 2, 2], "C1", *lengths)
    batch, depth, *image = data.shape.dims or (ANY,) * 4
    counts = (_count(*axis, auto_pad) for axis in zip(image, sizes, strides, rates))
    return Shape.of(batch, depth * sizes[0] * sizes[1], *counts)


def _count(size: Dim, taps: int, stride: int, rate: int, auto_pad: str) -> Dim:
    """The number of window positions along an axis."""
    if auto_pad == "valid":
        return ((size - reach(taps, rate)) // stride + 1).at_least(0)
    return size.ceil_div(stride)


@kernel("ExtractImagePatches-3")
def patches(data: Array, *, sizes: Pair, strides: Pair, rates: Pair, auto_pad: str) -> Array:
    slides = [_slide(*axis, auto_pad) for axis in zip(data.shape[2:], sizes, strides, rates)]
    batch, depth, counts = *data.shape[:2], [slide.positions for slide in slides]
    result = np.full((batch, *sizes, depth, *counts), zeros((), element_type_of(data)), data.dtype)
    for row in range(sizes[0]):
        for column in range(sizes[1]):
            (rows, across), (columns, along) = slides[0].meet(row), slides[1].meet(column)
            result[:, row, column, :, rows, columns] = data[:, :, across, along]
    return result.reshape(batch, sizes[0] * sizes[1] * depth, *counts)


def _slide(size: int, taps: int, stride: int, rate: int, auto_pad: str) -> Slide:
    before = 0 if auto_pad == "valid" else same_padding(size, int(reach(taps, rate)), stride, auto_pad)[0]
    return Slide(size, taps, stride, rate, before, int(_count(Dim.of(size), taps, stride, rate, auto_pad)))


@shape("Col2Im-15")
def col2im_shape(data: Fact, output_size: Fact, kernel_size: Fact, **sliding: Pair) -> Shape:
    steps = Steps(**sliding)
    for pair_input in (output_size, kernel_size):
        unify(pair_input.shape[0], 2, "C1")
    for name, pair in zip(("strides", "dilations", "pads_begin", "pads_end"), steps):
        require(len(pair) == 2, "C2", f"{name} {pair}")
    sizes = [_at_least(size, 0, "C3") for size in entries(output_size, 2)]
    window = [_at_least(size, 1, "C4") for size in entries(kernel_size, 2)]
    if data.shape.dims is None:
        return UNRANKED
    channels, blocks = data.shape[-2], data.shape[-1]
    taps = window[0] * window[1]
    fits = not (channels.known and taps.known) or int(channels) % int(taps) == 0
    require(fits, "C5", f"{channels} channels", f"blocks of {taps}")
    spans = [
        size + before + after - dilation * (taps_along - 1) - 1
        for size, taps_along, _, dilation, before, after in zip(sizes, window, *steps)
    ]
    require(
        all(span >= 0 for span in spans), "C6", f"output_size {Shape(sizes)}", f"kernel_size {Shape(window)}"
    )
    counts = [span.at_least(0) // stride + 1 for span, stride in zip(spans, steps.strides)]
    unify(blocks, counts[0] * counts[1], "C7")
    return data.shape[:-2] + Shape.of(channels // taps, *sizes)


def _at_least(size: Dim, low: int, constraint: str) -> Dim:
    require(size >= low, constraint, size)
    return size.at_least(low)


@kernel("Col2Im-15", widen=True)
def col2im(data: Array, output_size: Array, kernel_size: Array, **sliding: Pair) -> Array:
    numbers, (strides, dilations, pads_begin, pads_end) = as_numbers(data), Steps(**sliding)
    sizes, window = tuple(as_i64(output_size).tolist()), as_i64(kernel_size).tolist()
    free = [sizes[k] + pads_begin[k] + pads_end[k] - dilations[k] * (window[k] - 1) - 1 for k in (0, 1)]
    counts = [free[k] // strides[k] + 1 for k in (0, 1)]
    blocks = numbers.reshape(*data.shape[:-2], data.shape[-2] // prod(window), *window, *counts)
    image = np.zeros((*blocks.shape[:-4], *sizes), numbers.dtype)
    for row, column in product(*map(range, window)):
        starts = (row * dilations[0] - pads_begin[0], column * dilations[1] - pads_begin[1])
        rows, columns = (np.arange(counts[k]) * strides[k] + start for k, start in enumerate(starts))
        down, across = (
            np.flatnonzero((at >= 0) & (at < size)) for at, size in ((rows, sizes[0]), (columns, sizes[1]))
        )
        image[..., rows[down][:, np.newaxis], columns[across]] += blocks[
            ..., row, column, down[:, np.newaxis], across
        ]
    return converted(image, element_type_of(data))
