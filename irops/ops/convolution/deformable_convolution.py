"""DeformableConvolution: every tap of a filter looks for its element where an offset sends it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np

from irops.ops.contraction import product
from irops.ops.sliding import Slide, positions, reach, same_padding
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless

Numbers = tuple[int, ...]


@shape("DeformableConvolution-1")
def deformable_convolution_shape(
    data: Fact,
    offsets: Fact,
    filters: Fact,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    dilations: Numbers,
    auto_pad: str,
    group: int,
    deformable_group: int,
) -> Shape:
    given = (strides, dilations, pads_begin, pads_end)
    require(
        all(len(numbers) == 2 for numbers in given),
        "C1",
        f"{', '.join(str(len(numbers)) for numbers in given)} values",
    )
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
    moves = taps[0] * taps[1] * (2 * deformable_group)
    require((offsets.shape[1] % (2 * deformable_group)).can_be(0), "C6", f"{offsets.shape[1]} channels")
    at = [
        windows_along(auto_pad, *axis) for axis in zip(sizes, taps, strides, dilations, pads_begin, pads_end)
    ]
    where = unify_shapes(Shape.of(batch, moves, *at), offsets.shape, "C6")
    return Shape.of(where[0], maps, *where[2:])


@shape("DeformableConvolution-8")
def modulated_shape(
    data: Fact,
    offsets: Fact,
    filters: Fact,
    mask: Fact | None = None,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    dilations: Numbers,
    auto_pad: str,
    group: int,
    deformable_group: int,
) -> Shape:
    output = deformable_convolution_shape(
        data,
        offsets,
        filters,
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
        group=group,
        deformable_group=deformable_group,
    )
    if mask is None:
        return output
    factors = filters.shape[2] * filters.shape[3] * deformable_group
    require((mask.shape[1] % deformable_group).can_be(0), "C8", f"{mask.shape[1]} channels")
    where = unify_shapes(Shape.of(output[0], factors, *output[2:]), mask.shape, "C8")
    return Shape.of(where[0], output[1], *where[2:])


def windows_along(
    auto_pad: str, size: Dim, taps: Dim, stride: int, dilation: int, begin: int, end: int
) -> Dim:
    """How many windows stand along one spatial axis."""
    if auto_pad.startswith("same"):
        return size.ceil_div(stride)
    return positions(size, taps, stride, dilation, 0 if auto_pad == "valid" else begin + end, "C3")


@kernel("DeformableConvolution-1", widen=True)
def deformable_convolution(
    data: Array,
    offsets: Array,
    filters: Array,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    dilations: Numbers,
    auto_pad: str,
    group: int,
    deformable_group: int,
) -> Array:
    return modulated(
        data,
        offsets,
        filters,
        None,
        strides=strides,
        pads_begin=pads_begin,
        dilations=dilations,
        auto_pad=auto_pad,
        group=group,
        deformable_group=deformable_group,
        bilinear_interpolation_pad=False,
    )


@kernel("DeformableConvolution-8", widen=True)
def modulated(
    data: Array,
    offsets: Array,
    filters: Array,
    mask: Array | None,
    *,
    strides: Numbers,
    pads_begin: Numbers,
    dilations: Numbers,
    auto_pad: str,
    group: int,
    deformable_group: int,
    bilinear_interpolation_pad: bool,
) -> Array:
    axes = zip(data.shape[2:], filters.shape[2:], strides, dilations, pads_begin)
    slides = [slide_along(auto_pad, count, *axis) for axis, count in zip(axes, offsets.shape[2:])]
    wide = data.astype(np.int64) if element_type_of(data).integral else data
    factors = [None] * len(data) if mask is None else mask.astype(wide.dtype)
    rows = filters.reshape(group, len(filters) // group, prod(filters.shape[1:]))
    output = np.zeros((len(data), len(filters), *offsets.shape[2:]), data.dtype)
    if output.size and filters.size:
        sample = partial(_columns, slides=slides, groups=deformable_group, padded=bilinear_interpolation_pad)
        for item, moves, factor, sums in zip(wide, offsets, factors, output):
            product(
                rows,
                sample(item, moves, factor).reshape(group, rows.shape[2], -1),
                out=sums.reshape(*rows.shape[:2], -1),
            )
    return output


def slide_along(
    auto_pad: str, count: int, size: int, taps: int, stride: int, dilation: int, before: int
) -> Slide:
    """The windows along one spatial axis, before any of their taps is moved."""
    if auto_pad.startswith("same"):
        before = same_padding(size, int(reach(taps, dilation)), stride, auto_pad)[0]
    return Slide(size, taps, stride, dilation, 0 if auto_pad == "valid" else before, count)


def _columns(
    item: Array, moves: Array, factor: Array | None, *, slides: Sequence[Slide], groups: int, padded: bool
) -> Array:
    """What every tap finds at every position of the windows: [C * taps, positions]."""
    down, across = (slide.taps for slide in slides), (slide.positions for slide in slides)
    taps, places = prod(down), prod(across)
    exact = moves.dtype if moves.dtype.kind == "f" else np.dtype(np.float64)
    moved = moves.astype(exact).reshape(groups, taps, 2, places)
    y, x = (
        start.reshape(taps, places).astype(exact) + moved[:, :, axis]
        for axis, start in enumerate(_starts(slides))
    )
    found = interpolated(item.reshape(groups, len(item) // groups, *item.shape[1:]), y, x, padded)
    if factor is not None:
        found = found * factor.reshape(groups, 1, taps, places)
    return found.reshape(len(item) * taps, places)


def _starts(slides: Sequence[Slide]) -> list[Array]:
    """Where the taps stand before they are moved, along each of the two axes: [taps y, taps x, positions y,
    positions x].
    """
    along = [
        np.add.outer(np.arange(s.taps) * s.dilation - s.before, np.arange(s.positions) * s.stride)
        for s in slides
    ]
    spread = along[0][:, np.newaxis, :, np.newaxis], along[1][np.newaxis, :, np.newaxis, :]
    return [*np.broadcast_arrays(*spread)]


def interpolated(data: Array, y: Array, x: Array, padded: bool) -> Array:
    """data[G, C, H, W] at the places y, x[G, K, P] between its elements: [G, C, K, P]. 0 outside.

    padded: from the last element to one step beyond it values fall to 0; else that of the last element is
        taken there,
    on the far sides, and the near sides are outside.
    """
    height, width = data.shape[2:]
    inside = (y > -1) & (x > -1) if padded else (y >= 0) & (x >= 0)
    inside &= (y < height) & (x < width)
    total = np.zeros((*data.shape[:2], *y.shape[1:]), data.dtype)
    if not data.size:
        return total
    flat = data.reshape(*data.shape[:2], 1, height * width)
    rows, columns = (
        _neighbours(np.where(inside, at, 0), size, padded) for at, size in ((y, height), (x, width))
    )
    for row, near in rows:
        for column, close in columns:
            there = inside & (row >= 0) & (row < height) & (column >= 0) & (column < width)
            index = np.where(there, row * width + column, 0)[:, np.newaxis]
            values = np.where(there[:, np.newaxis], np.take_along_axis(flat, index, 3), 0)
            total += values * (near * close).astype(data.dtype)[:, np.newaxis]
    return total


def _neighbours(at: Array, size: int, padded: bool) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The elements before and after a place between them, each with its weight."""
    first = np.floor(at)
    last = first + 1 if padded else np.minimum(np.ceil(at), size - 1)
    return (first.astype(np.int64), 1 - (at - first)), (last.astype(np.int64), at - first)
