"""Interpolate-4 and Interpolate-11: resize a tensor along given axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, inf, prod

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.entries import entries
from irops.ops.image.coordinates import Resizing, nearest
from irops.ops.image.sums import rounded_sums, truncated_sums
from irops.ops.image.taps import Taps, cubic, pillow, triangle, two_neighbours
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Bound, Dim
from irops.values.element import DYNAMIC, Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import LimitExceeded, require, warn_unless

Numbers = tuple[int, ...]
SCALE_EPSILON = np.float32(1e-6)
"""Added to scales before sizes are computed, as in OpenVINO."""
MAX_PADDED_BYTES = 1 << 32
"""The maximum size of a padded image, which the limit on the bytes of tensors does not include."""


@shape("Interpolate-4")
def interpolate_4_shape(
    image: Fact,
    sizes: Fact,
    scales: Fact,
    axes: Fact | None,
    *,
    mode: str,
    shape_calculation_mode: str,
    pads_begin: Numbers,
    pads_end: Numbers,
) -> Shape:
    wanted = scales if shape_calculation_mode == "scales" else sizes
    return resized(image.shape, wanted, axes, mode, shape_calculation_mode, pads_begin, pads_end)


@shape("Interpolate-11")
def interpolate_11_shape(
    image: Fact,
    scales_or_sizes: Fact,
    axes: Fact | None,
    *,
    mode: str,
    shape_calculation_mode: str,
    pads_begin: Numbers,
    pads_end: Numbers,
) -> Shape:
    kind, scaled = scales_or_sizes.element_type, shape_calculation_mode == "scales"
    require(kind is DYNAMIC or kind.floating == scaled, "C7", kind, f"{shape_calculation_mode} mode")
    count = Dim.of(image.shape.rank or 0) if axes is None else axes.shape[0]
    require(
        not mode.endswith("pillow") or image.shape.rank is None or count.can_be(2),
        "C8",
        f"{count} axes, mode {mode}",
    )
    return resized(image.shape, scales_or_sizes, axes, mode, shape_calculation_mode, pads_begin, pads_end)


def resized(
    image: Shape,
    wanted: Fact,
    axes: Fact | None,
    mode: str,
    shape_calculation_mode: str,
    pads_begin: Numbers,
    pads_end: Numbers,
) -> Shape:
    """The shape of a padded image after some axes are resized."""
    if image.dims is None:
        return UNRANKED
    rank = len(image)
    sizes = padded_sizes(image, pads_begin, pads_end)
    if axes is not None and axes.value is None:
        return Shape((ANY,) * rank)
    named = range(rank) if axes is None else checked_axes(axes.value, rank)
    check_mode(mode, named, rank)
    count = wanted.shape[0]
    require(count >= len(named), "C1", count, f"{len(named)} axes")
    warn_unless(count.can_be(len(named)), "C6", count, f"{len(named)} axes")
    if shape_calculation_mode == "scales":
        new_sizes = (
            [ANY] * len(named)
            if wanted.value is None
            else [scaled(sizes[axis], scale) for axis, scale in zip(named, checked_scales(wanted.value))]
        )
    else:
        new_sizes = (
            [checked_size(size) for size in entries(wanted if count.known else None, len(named))]
            if count.known
            else [ANY] * len(named)
        )
    for axis, size in zip(named, new_sizes):
        sizes[axis] = size
    return Shape(sizes)


def padded_sizes(image: Shape, pads_begin: Numbers, pads_end: Numbers) -> list[Dim]:
    """The sizes including padding; axes beyond the end of a list are not padded."""
    rank = len(image)
    warn_unless(
        len(pads_begin) <= rank and len(pads_end) <= rank,
        "C5",
        f"{len(pads_begin)} and {len(pads_end)} at rank {rank}",
    )
    return [
        size + begin + end for size, begin, end in zip(image, full(pads_begin, rank), full(pads_end, rank))
    ]


def full(pads: Numbers, rank: int) -> Numbers:
    return (pads + (0,) * rank)[:rank]


def checked_axes(axes: Array | None, rank: int) -> list[int]:
    """The axes to resize.

    Raises:  Violation if an axis lies outside of the image or is repeated
    """
    assert axes is not None
    numbers = as_i64(axes).ravel().tolist()
    require(
        all(0 <= axis < rank for axis in numbers) and len(set(numbers)) == len(numbers),
        "C2",
        f"axes {numbers} at rank {rank}",
    )
    return numbers


def check_mode(mode: str, axes: Sequence[int], rank: int) -> None:
    """Warn if OpenVINO's kernel for the mode does not resize these axes."""
    usual = list(axes) in (list(range(rank)), list(range(2, rank)))
    warn_unless(
        mode != "linear_onnx" or (2 <= rank <= 5 and usual), "C9", f"axes {list(axes)} at rank {rank}"
    )


def checked_size(size: Dim) -> Dim:
    require(size >= 0, "C3", size)
    return size.at_least(0)


def checked_scales(scales: Array) -> list[np.float32]:
    numbers = as_numbers(scales).astype(np.float32).ravel()
    require((numbers > 0).all(), "C4", numbers.tolist())
    return list(numbers)


def scaled(size: Dim, scale: np.float32) -> Dim:
    """floor(size * (scale + SCALE_EPSILON)) in f32, as in OpenVINO; size itself if scale is 1."""

    def scaled_bound(bound: Bound) -> Bound:
        product = np.float32(bound) * (scale + SCALE_EPSILON)
        return floor(product) if np.isfinite(product) else inf

    return size if scale == 1 else Dim(scaled_bound(size.low), scaled_bound(size.high))


def _padded(image: Array, pads: list[tuple[int, int]]) -> Array:
    size = prod(begin + size + end for size, (begin, end) in zip(image.shape, pads)) * image.itemsize
    if size > MAX_PADDED_BYTES:
        raise LimitExceeded(
            "memory-limit", f"the padded image would have {size:,} bytes; the limit is {MAX_PADDED_BYTES:,}"
        )
    return np.pad(image, pads, constant_values=zeros((), element_type_of(image)))


@kernel("Interpolate-4")
def interpolate_4(
    image: Array,
    sizes: Array,
    scales: Array,
    axes: Array | None,
    *,
    mode: str,
    shape_calculation_mode: str,
    coordinate_transformation_mode: str,
    nearest_mode: str,
    antialias: bool,
    pads_begin: Numbers,
    pads_end: Numbers,
    cube_coeff: float,
) -> Array:
    wanted = scales if shape_calculation_mode == "scales" else sizes
    return interpolate_11(
        image,
        wanted,
        axes,
        mode=mode,
        shape_calculation_mode=shape_calculation_mode,
        coordinate_transformation_mode=coordinate_transformation_mode,
        nearest_mode=nearest_mode,
        antialias=antialias,
        pads_begin=pads_begin,
        pads_end=pads_end,
        cube_coeff=cube_coeff,
    )


@kernel("Interpolate-11")
def interpolate_11(
    image: Array,
    scales_or_sizes: Array,
    axes: Array | None,
    *,
    mode: str,
    shape_calculation_mode: str,
    coordinate_transformation_mode: str,
    nearest_mode: str,
    antialias: bool,
    pads_begin: Numbers,
    pads_end: Numbers,
    cube_coeff: float,
) -> Array:
    named = None if axes is None else Fact.of(axes)
    after = resized(
        Shape(image.shape),
        Fact.of(scales_or_sizes),
        named,
        mode,
        shape_calculation_mode,
        pads_begin,
        pads_end,
    )
    pads = list(zip(full(pads_begin, image.ndim), full(pads_end, image.ndim)))
    data = _padded(image, pads) if any(map(any, pads)) else image
    order = list(range(data.ndim)) if axes is None else checked_axes(axes, data.ndim)
    require(data.size or not after.size.high, "C10", Shape(data.shape), after)
    given_scales = checked_scales(scales_or_sizes) if shape_calculation_mode == "scales" else None
    along = [
        (
            axis,
            Resizing(
                data.shape[axis],
                int(after[axis]),
                _scale(data.shape[axis], int(after[axis])) if given_scales is None else given_scales[k],
                coordinate_transformation_mode,
            ),
        )
        for k, axis in enumerate(order)
    ]
    if mode == "nearest" or not after.size.high:
        for axis, one in along:
            data = np.take(data, nearest(one, nearest_mode) if one.after else np.arange(0), axis)
        return data
    if mode.endswith("pillow"):
        for axis, one in reversed(along):
            if one.before != one.after:
                data = rounded_sums(
                    pillow(one.before, one.after, mode == "bicubic_pillow", cube_coeff).applied(
                        as_numbers(data), axis
                    ),
                    image,
                )
        return data
    result: Array = as_numbers(data).astype(np.float64)
    for axis, taps in _taps(along, mode, antialias, cube_coeff):
        result = taps.applied(result, axis)
    return rounded_sums(result, image) if mode == "linear" else truncated_sums(result, image)


def _scale(before: int, after: int) -> np.float32:
    return np.float32(after) / np.float32(max(before, 1))


def _taps(
    along: list[tuple[int, Resizing]], mode: str, antialias: bool, cube_coeff: float
) -> list[tuple[int, Taps]]:
    """The taps along each axis that is resized."""
    shrinks = antialias and any(one.scale < 1 for _, one in along)
    if mode == "linear":
        return [(axis, triangle(one, one.scale if shrinks else np.float32(1))) for axis, one in along]
    make = two_neighbours if mode == "linear_onnx" else lambda one: cubic(one, cube_coeff)
    return [(axis, make(one)) for axis, one in along if one.before != one.after or one.scale != 1]
