"""Resize, and grids of positions in images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf, prod

import numpy as np

from irops.ops.conversion import as_numbers, converted, nearest
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import STRING, Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

Numbers = tuple[int, ...]

# Resize: the size of the output.


@shape("onnx:Resize-10")
def resize_10_shape(X: Fact, scales: Fact, *, mode: str) -> Shape:
    return resized_shape(X, scales, None, None, "stretch", mode)


@shape("onnx:Resize-11")
def resize_11_shape(
    X: Fact,
    roi: Fact,
    scales: Fact,
    sizes: Fact | None,
    *,
    coordinate_transformation_mode: str,
    mode: str,
) -> Shape:
    return resize_shape(
        X, roi, scales, sizes, coordinate_transformation_mode=coordinate_transformation_mode, mode=mode
    )


@shape("onnx:Resize-13")
def resize_shape(
    X: Fact,
    roi: Fact | None,
    scales: Fact | None,
    sizes: Fact | None,
    *,
    axes: Numbers | None = None,
    antialias: bool = False,
    coordinate_transformation_mode: str,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str,
) -> Shape:
    require(not antialias or mode != "nearest", "C8", "nearest")
    crops = coordinate_transformation_mode == "tf_crop_and_resize"
    require(not crops or not is_empty(roi), "C3", "none" if roi is None else roi)
    if roi is not None and crops and X.shape.rank is not None:
        unify(roi.shape[0], 2 * (X.shape.rank if axes is None else len(axes)), "C3")
    return resized_shape(X, scales, sizes, axes, keep_aspect_ratio_policy, mode)


def is_empty(numbers: Fact | None) -> bool:
    """Whether a list certainly has no elements."""
    return numbers is None or numbers.shape[0] == 0


def resized_shape(
    X: Fact,
    scales: Fact | None,
    sizes: Fact | None,
    axes: Numbers | None,
    policy: str,
    mode: str,
) -> Shape:
    """The shape of the output.

    Raises:  Violation of C1 (scales or sizes), C2 (their number), C4 and C5 (their values), C6 (an empty
        axis), C7 (axes), C9 (the type)
    """
    require(mode == "nearest" or X.element_type is not STRING, "C9", X)
    by_scale, by_size = (not is_empty(numbers) for numbers in (scales, sizes))
    surely = [numbers is not None and numbers.shape[0].low > 0 for numbers in (scales, sizes)]
    require((by_scale or by_size) and not all(surely), "C1", "both" if all(surely) else "neither")
    rank = X.shape.rank
    if rank is None:
        return UNRANKED
    along = tuple(range(rank)) if axes is None else normal_axes(axes, rank, "C7")
    before = [X.shape[axis] for axis in along]
    if sizes is not None and (surely[1] or not by_scale):
        unify(sizes.shape[0], len(along), "C2")
        after = sized(before, sizes.dims or (UNKNOWN,) * len(along), policy)
    elif scales is not None and (surely[0] or not by_size):
        unify(scales.shape[0], len(along), "C2")
        factors = [None] * len(along) if scales.value is None else scales.value.tolist()
        require(all(factor is None or 0 < factor < inf for factor in factors), "C4", factors)
        after = [scaled(size, factor) for size, factor in zip(before, factors)]
    else:
        after = [ANY] * len(along)
    result = X.shape
    for axis, old, new in zip(along, before, after):
        require(old > 0 or new.can_be(0), "C6", f"{new} elements of none")
        result = result.with_dim(axis, new)
    return result


def scaled(size: Dim, factor: float | None) -> Dim:
    """floor(size * factor), in f32."""
    if factor is None:
        return ANY
    if float(factor).is_integer():
        return size * int(factor)
    return Dim(_floor(size.low, factor), inf if size.high == inf else _floor(size.high, factor))


def _floor(size: float, factor: float) -> int:
    return floor(float(np.float32(size) * np.float32(factor)))


def sized(before: Sequence[Dim], wanted: Sequence[Dim], policy: str) -> list[Dim]:
    """The sizes that are asked for, or those that keep the ratio of the axes and fit best."""
    require(all(size >= 0 for size in wanted), "C5", wanted)
    if policy == "stretch":
        return [size.at_least(0) for size in wanted]
    if not all(size.known and size.low > 0 for size in before) or not all(size.known for size in wanted):
        return [ANY] * len(before)
    ratios = [int(size) / int(old) for old, size in zip(before, wanted)]
    factor = min(ratios, default=1.0) if policy == "not_larger" else max(ratios, default=1.0)
    return [Dim.of(floor(factor * int(old) + 0.5)) for old in before]


# Resize: the elements. Axes are resized one after the other.


@dataclass(frozen=True, slots=True)
class Resampling:
    """How an axis is resized. roi: the first and last position of the region, in parts of the axis."""

    mode: str
    coordinates: str
    rounding: str
    cubic: float
    antialias: bool
    exclude_outside: bool
    extrapolation: float

    def resized(self, data: Array, axis: int, count: int, scale: float, roi: tuple[float, float]) -> Array:
        """The data with `count` elements along an axis."""
        size = data.shape[axis]
        position = self.positions(size, count, scale, roi)
        if self.mode == "nearest":
            result = data.take(np.clip(self.rounded(position), 0, size - 1), axis=axis)
        else:
            result = self._weighted(data, axis, position, scale)
        if self.coordinates == "tf_crop_and_resize":
            outside = (position < 0) | (position > size - 1)
            if outside.any():
                result[(*(slice(None),) * axis, outside)] = self.extrapolation
        return result

    def positions(self, size: int, count: int, scale: float, roi: tuple[float, float]) -> Array:
        """Where each element of the output lies in the input. Sizes of the output may be fractions here."""
        index, full = np.arange(count, dtype=np.float64), scale * size
        match self.coordinates:
            case "align_corners":
                return index * (0.0 if full == 1 else (size - 1) / (full - 1))
            case "asymmetric":
                return index / scale
            case "tf_crop_and_resize":
                first, last = roi
                if full == 1:
                    return index * 0 + (first + last) * (size - 1) / 2
                return first * (size - 1) + index * (last - first) * (size - 1) / (full - 1)
            case "pytorch_half_pixel" if full == 1:
                return index * 0 - 0.5
            case "half_pixel_symmetric":
                offset = size / 2 * (1 - count / full)
                return offset + (index + 0.5) / scale - 0.5
        return (index + 0.5) / scale - 0.5

    def rounded(self, position: Array) -> Array:
        """The index of the nearest element."""
        match self.rounding:
            case "round_prefer_floor":
                nearest_one = np.ceil(position - 0.5)
            case "round_prefer_ceil":
                nearest_one = np.floor(position + 0.5)
            case "floor":
                nearest_one = np.floor(position)
            case _:
                nearest_one = np.ceil(position)
        return nearest_one.astype(np.int64)

    def _weighted(self, data: Array, axis: int, position: Array, scale: float) -> Array:
        size, first = data.shape[axis], np.floor(position)
        shrink = min(scale, 1.0) if self.antialias else 1.0
        radius = 2 if self.mode == "cubic" else 1
        taps = np.arange(floor(-radius / shrink) + 1, -floor(-radius / shrink) + 1)
        index = first[:, np.newaxis] + taps
        distance = np.abs(taps - (position - first)[:, np.newaxis]) * shrink
        weights = self._cubic(distance) if self.mode == "cubic" else np.clip(1 - distance, 0, 1)
        if self.exclude_outside:
            weights = np.where((index < 0) | (index >= size), 0, weights)
        if self.exclude_outside or self.antialias:
            total = weights.sum(axis=1, keepdims=True)
            weights = weights / np.where(total == 0, 1, total)
        inside = np.clip(index, 0, size - 1).astype(np.int64)
        along = (-1, *(1,) * (data.ndim - axis - 1))
        result = np.zeros((*data.shape[:axis], len(position), *data.shape[axis + 1 :]), data.dtype)
        for tap in range(len(taps)):
            factor = weights[:, tap].reshape(along).astype(data.dtype)
            result += data.take(inside[:, tap], axis=axis) * factor
        return result

    def _cubic(self, distance: Array) -> Array:
        a, d = self.cubic, distance
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        return np.where(d <= 1, near, np.where(d < 2, far, 0))


@kernel("onnx:Resize-10", widen=True)
def resize_10(X: Array, scales: Array, *, mode: str) -> Array:
    return resize(
        X,
        None,
        scales,
        None,
        coordinate_transformation_mode="asymmetric",
        cubic_coeff_a=-0.75,
        exclude_outside=False,
        extrapolation_value=0.0,
        mode=mode,
        nearest_mode="floor",
    )


@kernel("onnx:Resize-11", widen=True)
def resize_11(
    X: Array,
    roi: Array,
    scales: Array,
    sizes: Array | None,
    *,
    coordinate_transformation_mode: str,
    cubic_coeff_a: float,
    exclude_outside: bool,
    extrapolation_value: float,
    mode: str,
    nearest_mode: str,
) -> Array:
    return resize(
        X,
        roi,
        scales,
        sizes,
        coordinate_transformation_mode=coordinate_transformation_mode,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=exclude_outside,
        extrapolation_value=extrapolation_value,
        mode=mode,
        nearest_mode=nearest_mode,
    )


@kernel("onnx:Resize-13", widen=True)
def resize(
    X: Array,
    roi: Array | None,
    scales: Array | None,
    sizes: Array | None,
    *,
    axes: Numbers | None = None,
    antialias: bool = False,
    coordinate_transformation_mode: str,
    cubic_coeff_a: float,
    exclude_outside: bool,
    extrapolation_value: float,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str,
    nearest_mode: str,
) -> Array:
    along = tuple(range(X.ndim)) if axes is None else normal_axes(axes, X.ndim, "C7")
    before = [Dim.of(X.shape[axis]) for axis in along]
    if sizes is not None and sizes.size:
        wanted = [Dim.of(size) for size in as_i64(sizes).tolist()]
        after = [int(size) for size in sized(before, wanted, keep_aspect_ratio_policy)]
        ratios = [int(new) / max(int(old), 1) for old, new in zip(before, wanted)]
        if keep_aspect_ratio_policy != "stretch":
            ratios = [min(ratios) if keep_aspect_ratio_policy == "not_larger" else max(ratios)] * len(along)
    else:
        ratios = [] if scales is None else scales.astype(np.float64).tolist()
        after = [int(scaled(old, ratio)) for old, ratio in zip(before, ratios)]
    regions = [(0.0, 1.0)] * len(along)
    if roi is not None and roi.size and coordinate_transformation_mode == "tf_crop_and_resize":
        ends = roi.astype(np.float64).reshape(2, len(along))
        regions = [(float(first), float(last)) for first, last in ends.T]
    how = Resampling(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        antialias,
        exclude_outside,
        extrapolation_value,
    )
    return _each_axis(X, how, [*zip(along, after, ratios, regions)])


def _each_axis(
    data: Array, how: Resampling, steps: Sequence[tuple[int, int, float, tuple[float, float]]]
) -> Array:
    """The data with every axis resized, in its element type: integers are rounded and saturate."""
    kind, result = element_type_of(data), data
    if how.mode != "nearest":
        result = as_numbers(data).astype(np.float64) if data.dtype.kind in "iub" else data
    for axis, count, scale, region in steps:
        if prod((*result.shape[:axis], count, *result.shape[axis + 1 :])) == 0:
            result = result.take(np.zeros(count, np.int64), axis=axis) if result.shape[axis] else result
            result = result[(*(slice(None),) * axis, slice(count))]
        elif abs(scale - 1) > 1e-9 or count != result.shape[axis] or region != (0.0, 1.0):
            result = how.resized(result, axis, count, scale, region)
    if how.mode == "nearest":
        return result
    return nearest(result, kind) if kind.integral else converted(result, kind)


# AffineGrid: the positions that an affine map gives the elements of an image.


@shape("onnx:AffineGrid-20")
def affine_grid_shape(theta: Fact, size: Fact) -> Shape:
    count = size.shape[0]
    require(count.can_be(4) or count.can_be(5), "C1", count)
    if not count.known:
        return UNRANKED
    axes = int(count) - 2
    unify(theta.shape[1], axes, "C2")
    unify(theta.shape[2], axes + 1, "C2")
    batch, _, *spatial = size.dims or (ANY,) * (axes + 2)
    require(all(number >= 0 for number in (batch, *spatial)), "C4", spatial)
    batch = unify(theta.shape[0], batch.at_least(0), "C3")
    return Shape.of(batch, *(number.at_least(0) for number in spatial), axes)


@kernel("onnx:AffineGrid-20", widen=True)
def affine_grid(theta: Array, size: Array, *, align_corners: bool) -> Array:
    spatial = as_i64(size).tolist()[2:]
    ends = [1 - 1 / max(count, 1) if not align_corners else 1.0 for count in spatial]
    lines = [np.linspace(-end, end, count) for end, count in zip(ends, spatial)]
    grids = np.meshgrid(*lines, indexing="ij")[::-1]
    points = np.stack([*grids, np.ones(spatial)], axis=-1).reshape(prod(spatial), len(spatial) + 1)
    grid = points @ theta.astype(np.float64).swapaxes(1, 2)
    return grid.reshape(len(theta), *spatial, len(spatial)).astype(theta.dtype)
