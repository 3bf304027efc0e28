"""Interpolate: resize a tensor along some axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, inf, prod

import numpy as np

from irops.ops.conversion import as_numbers, converted, low_bits
from irops.ops.entries import entries
from irops.ops.image.coordinates import Resizing, away_from_zero, nearest
from irops.ops.image.taps import Taps, between, cubic, pillow, triangle
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Bound, Dim
from irops.values.element import DYNAMIC, Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import LimitExceeded, require, warn_unless

Numbers = tuple[int, ...]
LITTLE = np.float32(1e-6)
MOST_PADDED = 1 << 32
"""Bytes that an image may have with its pads, which are not among those of the tensors that are counted."""


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
    """The shape of an image with its pads, some axes resized."""
    if image.dims is None:
        return UNRANKED
    rank = len(image)
    whole = padded_sizes(image, pads_begin, pads_end)
    if axes is not None and axes.value is None:
        return Shape((ANY,) * rank)
    named = range(rank) if axes is None else held_axes(axes.value, rank)
    check_mode(mode, named, rank)
    count = wanted.shape[0]
    require(count >= len(named), "C1", count, f"{len(named)} axes")
    warn_unless(count.can_be(len(named)), "C6", count, f"{len(named)} axes")
    if shape_calculation_mode == "scales":
        goals = (
            [ANY] * len(named)
            if wanted.value is None
            else [scaled(whole[axis], scale) for axis, scale in zip(named, held_scales(wanted.value))]
        )
    else:
        goals = (
            [held_size(size) for size in entries(wanted if count.known else None, len(named))]
            if count.known
            else [ANY] * len(named)
        )
    for axis, goal in zip(named, goals):
        whole[axis] = goal
    return Shape(whole)


def padded_sizes(image: Shape, pads_begin: Numbers, pads_end: Numbers) -> list[Dim]:
    """The sizes with padding; axes for which a list says nothing have none."""
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


def held_axes(axes: Array | None, rank: int) -> list[int]:
    """Which axes to resize, held to what they must be."""
    assert axes is not None
    numbers = as_i64(axes).ravel().tolist()
    require(
        all(0 <= axis < rank for axis in numbers) and len(set(numbers)) == len(numbers),
        "C2",
        f"axes {numbers} at rank {rank}",
    )
    return numbers


def check_mode(mode: str, axes: Sequence[int], rank: int) -> None:
    """Remark on axes that a mode is not known to resize."""
    usual = list(axes) in (list(range(rank)), list(range(2, rank)))
    warn_unless(
        mode != "linear_onnx" or (2 <= rank <= 5 and usual), "C9", f"axes {list(axes)} at rank {rank}"
    )


def held_size(size: Dim) -> Dim:
    require(size >= 0, "C3", size)
    return size.at_least(0)


def held_scales(scales: Array) -> list[np.float32]:
    found = as_numbers(scales).astype(np.float32).ravel()
    require((found > 0).all(), "C4", found.tolist())
    return list(found)


def scaled(size: Dim, scale: np.float32) -> Dim:
    """The size times the scale, cut off; in f32, and a little more, as OpenVINO has it."""

    def longer(bound: Bound) -> Bound:
        product = np.float32(bound) * (scale + LITTLE)
        return floor(product) if np.isfinite(product) else inf

    return size if scale == 1 else Dim(longer(size.low), longer(size.high))


def _padded(image: Array, pads: list[tuple[int, int]]) -> Array:
    size = prod(begin + size + end for size, (begin, end) in zip(image.shape, pads)) * image.itemsize
    if size > MOST_PADDED:
        raise LimitExceeded(
            "memory-limit", f"the image would have {size:,} bytes with its pads, {MOST_PADDED:,} are taken"
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
    order = list(range(data.ndim)) if axes is None else held_axes(axes, data.ndim)
    require(data.size or not after.size.high, "C10", Shape(data.shape), after)
    given = held_scales(scales_or_sizes) if shape_calculation_mode == "scales" else None
    along = [
        (
            axis,
            Resizing(
                data.shape[axis],
                int(after[axis]),
                _scale(data.shape[axis], int(after[axis])) if given is None else given[k],
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
                data = whole(
                    pillow(one.before, one.after, mode == "bicubic_pillow", cube_coeff).applied(
                        as_numbers(data), axis
                    ),
                    image,
                )
        return data
    result: Array = as_numbers(data).astype(np.float64)
    for axis, taps in _taps(along, mode, antialias, cube_coeff):
        result = taps.applied(result, axis)
    return whole(result, image) if mode == "linear" else cut_off(result, image)


def _scale(before: int, after: int) -> np.float32:
    return np.float32(after) / np.float32(max(before, 1))


def _taps(
    along: list[tuple[int, Resizing]], mode: str, antialias: bool, cube_coeff: float
) -> list[tuple[int, Taps]]:
    """The taps along each axis that changes."""
    shrinks = antialias and any(one.scale < 1 for _, one in along)
    if mode == "linear":
        return [(axis, triangle(one, one.scale if shrinks else np.float32(1))) for axis, one in along]
    make = between if mode == "linear_onnx" else lambda one: cubic(one, cube_coeff)
    return [(axis, make(one)) for axis, one in along if one.before != one.after or one.scale != 1]


def whole(sums: Array, like: Array) -> Array:
    """Sums in the type of an image; of integers the nearest, halves away from zero, held within the type."""
    kind = element_type_of(like)
    return (
        converted(sums, kind)
        if kind.floating
        else cut_off(away_from_zero(sums.astype(np.float32).astype(np.float64)), like)
    )


def cut_off(sums: Array, like: Array) -> Array:
    """Sums in the type of an image; of integers without what is behind the point, held within the type."""
    kind = element_type_of(like)
    if kind.floating:
        return converted(sums, kind)
    low, high = kind.extent
    held = np.clip(
        np.trunc(sums.astype(np.float32).astype(np.float64)),
        low,
        np.nextafter(float(high), 0) if kind.bits == 64 else high,
    )
    return low_bits(held.astype(np.int64), kind)
