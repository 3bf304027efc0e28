"""ExtractImagePatches and Col2Im."""

from itertools import product
from math import prod

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.partial import entries
from irops.ops.sliding import Slide, reach, same_padding
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, unify
from irops.values.element import Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

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
def col2im_shape(
    data: Fact,
    output_size: Fact,
    kernel_size: Fact,
    *,
    strides: Pair,
    dilations: Pair,
    pads_begin: Pair,
    pads_end: Pair,
) -> Shape:
    for pair_input in (output_size, kernel_size):
        unify(pair_input.shape[0], 2, "C1")
    for name, pair in (
        ("strides", strides),
        ("dilations", dilations),
        ("pads_begin", pads_begin),
        ("pads_end", pads_end),
    ):
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
        for size, before, after, dilation, taps_along in zip(sizes, pads_begin, pads_end, dilations, window)
    ]
    require(
        all(span >= 0 for span in spans), "C6", f"output_size {Shape(sizes)}", f"kernel_size {Shape(window)}"
    )
    counts = [span.at_least(0) // stride + 1 for span, stride in zip(spans, strides)]
    unify(blocks, counts[0] * counts[1], "C7")
    return data.shape[:-2] + Shape.of(channels // taps, *sizes)


def _at_least(size: Dim, low: int, constraint: str) -> Dim:
    require(size >= low, constraint, size)
    return size.at_least(low)


@kernel("Col2Im-15", widen=True)
def col2im(
    data: Array,
    output_size: Array,
    kernel_size: Array,
    *,
    strides: Pair,
    dilations: Pair,
    pads_begin: Pair,
    pads_end: Pair,
) -> Array:
    numbers = as_numbers(data)
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
