"""DeformableConvolution: a convolution whose sampling positions are shifted by offsets."""

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from irops.ops.contraction import product
from irops.ops.reals import elements_at
from irops.ops.sliding import Slide, Steps, check_empty_lists, positions, reach, same_padding
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
    strides: Numbers,
    pads_begin: Numbers,
    dilations: Numbers,
    auto_pad: str,
    group: int,
    deformable_group: int,
    bilinear_interpolation_pad: bool = False,
) -> Array:
    steps = Steps.of(2, strides, dilations, pads_begin, ())
    axes = zip(data.shape[2:], filters.shape[2:], steps.strides, steps.dilations, steps.pads_begin)
    slides = [slide_along(auto_pad, count, *axis) for axis, count in zip(axes, offsets.shape[2:])]
    wide = data.astype(np.int64) if element_type_of(data).integral else data
    masks = [None] * len(data) if mask is None else mask.astype(wide.dtype)
    rows = filters.reshape(group, len(filters) // group, prod(filters.shape[1:]))
    output = np.zeros((len(data), len(filters), *offsets.shape[2:]), data.dtype)
    if output.size and filters.size:
        sample = partial(_columns, slides=slides, groups=deformable_group, padded=bilinear_interpolation_pad)
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


def _columns(
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
