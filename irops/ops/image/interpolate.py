"""Interpolate: images of another size.

The elements and weights from which each element of a resized axis is computed are linear, cubic, or those of
the Pillow library.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, inf, prod
from typing import Any, NamedTuple

import numpy as np

from irops.ops.conversion import as_numbers, converted, low_bits
from irops.ops.partial import entries
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, MAX_DIM, Bound, Dim
from irops.values.element import DYNAMIC, Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import LimitExceeded, require, warn_unless

HALF = np.float32(0.5)
ROUNDOFF = np.float32(2.0**-24)


@dataclass(frozen=True, slots=True)
class Resizing:
    """An axis whose size changes from `before` to `after`. scale: the given factor, or their quotient; off:
    how many roundoffs of f32 the coordinates are off, where they are rounded at all.
    """

    before: int
    after: int
    scale: np.float32
    transformation: str
    off: float = 0.0

    def coordinates(self) -> Array:
        """The coordinate in the old axis for every position of the new one. It may lie between elements, or
        outside of the axis.
        """
        x = self._computed()
        if not self.off or self._is_exact():
            return x
        terms = np.abs(x) + (HALF if self.transformation.endswith("half_pixel") else 0)
        return np.asarray(x + np.float32(self.off) * ROUNDOFF * terms)

    def _is_exact(self) -> bool:
        """Whether every implementation computes the same coordinates: the distance of two is a power of 2."""
        distance = 1 / self.scale
        if self.transformation == "align_corners":
            distance = np.float32(self.before - 1) / np.float32(max(self.after - 1, 1))
        elif self.transformation == "pytorch_half_pixel" and self.after <= 1:
            return True
        return self.scale == 1 or self.before == self.after or np.frexp(distance)[0] in (0, HALF)

    def _computed(self) -> Array:
        x = np.arange(self.after, dtype=np.float32)
        if self.scale == 1 or self.before == self.after:
            return x
        if self.transformation == "align_corners":
            return x * np.float32(self.before - 1) / np.float32(max(self.after - 1, 1))
        if self.transformation == "asymmetric":
            return x / self.scale
        if self.transformation == "tf_half_pixel_for_nn":
            return (x + HALF) / self.scale
        if self.transformation == "pytorch_half_pixel" and self.after <= 1:
            return np.zeros_like(x)
        return (x + HALF) / self.scale - HALF


def away_from_zero(numbers: Array) -> Array:
    """Numbers rounded to the nearest integers, halves away from zero."""
    whole = np.trunc(numbers)
    up = np.where(np.abs(numbers - whole) >= HALF, np.sign(numbers), 0)
    rounded: Array = whole + up.astype(numbers.dtype)
    return rounded


def nearest(resizing: Resizing, nearest_mode: str) -> Array:
    """The index of the element to copy for every position of the new axis."""
    x = resizing.coordinates()
    if nearest_mode == "round_prefer_floor":
        index = np.where(x == np.trunc(x) + HALF, np.floor(x), away_from_zero(x))
    elif nearest_mode == "round_prefer_ceil":
        index = away_from_zero(x)
    elif nearest_mode == "floor":
        index = np.floor(x)
    elif nearest_mode == "ceil" or resizing.scale < 1:
        index = np.ceil(x)
    else:
        index = np.trunc(x)
    return np.clip(index.astype(np.int64), 0, resizing.before - 1)


def rounded_sums(sums: Array, like: Array) -> Array:
    """Sums in the type of `like`; for integers rounded, halves away from zero, and saturated."""
    kind = element_type_of(like)
    if kind.floating:
        return converted(sums, kind)
    return truncated_sums(away_from_zero(sums.astype(np.float32).astype(np.float64)), like)


def truncated_sums(sums: Array, like: Array) -> Array:
    """Sums in the type of `like`; for integers truncated and saturated."""
    kind = element_type_of(like)
    if kind.floating:
        return converted(sums, kind)
    low, high = kind.extent
    highest = np.nextafter(float(high), 0) if kind.bits == 64 else high  # float(2^63 - 1) is 2^63
    saturated = np.clip(np.trunc(sums.astype(np.float32).astype(np.float64)), low, highest)
    return low_bits(saturated.astype(np.int64), kind)


class Taps(NamedTuple):
    """Indices of elements of the old axis and their weights: a row for every position of the new axis."""

    elements: Array
    weights: Array

    def applied(self, data: Array, axis: int) -> Array:
        """data with the axis resized: the weighted sums, in f64."""
        wide = (-1, *(1,) * (data.ndim - axis - 1))
        total = np.zeros((*data.shape[:axis], len(self.elements), *data.shape[axis + 1 :]), np.float64)
        for element, weight in zip(self.elements.T, self.weights.T):
            total += np.take(data, element, axis) * weight.reshape(wide)
        return total


def two_neighbours(resizing: Resizing) -> Taps:
    """Linear interpolation between the elements on either side; beyond the ends the last element."""
    last = resizing.before - 1
    x = np.clip(resizing.coordinates(), 0, np.float32(last))
    low = np.minimum(x.astype(np.int64), last)
    fraction = (x - low.astype(np.float32)).astype(np.float64)
    return Taps(np.stack([low, np.minimum(low + 1, last)], 1), np.stack([1 - fraction, fraction], 1))


def triangle(resizing: Resizing, steepness: np.float32) -> Taps:
    """A triangular filter: max(0, 1 - steepness * distance), normalized; elements outside of the axis are
    left out.
    """
    x = resizing.coordinates()
    reach = 2 if resizing.scale > 1 else ceil(np.float32(2) / steepness)
    elements = away_from_zero(x).astype(np.int64)[:, np.newaxis] + np.arange(-reach, reach + 1)
    distance = steepness * (x[:, np.newaxis] - elements.astype(np.float32))
    weights = np.maximum(0, 1 - np.abs(distance.astype(np.float64)))
    return _normalized(elements, weights, resizing.before)


def cubic(resizing: Resizing, coefficient: float) -> Taps:
    """Cubic convolution of the four elements around a coordinate; the outer elements repeat at the ends."""
    x = resizing.coordinates()
    low = np.floor(x)
    fraction = (x - low).astype(np.float64)
    offsets = np.arange(-1, 3)
    elements = low.astype(np.int64)[:, np.newaxis] + offsets
    weights = cubic_weight(np.abs(fraction[:, np.newaxis] - offsets), float(np.float32(coefficient)))
    return Taps(np.clip(elements, 0, resizing.before - 1), weights)


def cubic_weight(distance: Array, a: float) -> Array:
    """The kernel of the cubic convolution (Keys, 1981) at non-negative distances."""
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.select([distance < 1, distance < 2], [near, far], 0.0)


def pillow(before: int, after: int, bicubic: bool, coefficient: float) -> Taps:
    """A linear or cubic filter as in the Pillow library, widened by the factor by which the axis shrinks, so
    that every element contributes.
    """
    scale = before / after if after else 1.0
    width = max(scale, 1.0)
    support = (2.0 if bicubic else 1.0) * width
    centre = (np.arange(after) + 0.5) * scale
    first = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    last = np.minimum((centre + support + 0.5).astype(np.int64), before)
    elements = first[:, np.newaxis] + np.arange(int((last - first).max(initial=0)))
    distance = np.abs((elements - centre[:, np.newaxis] + 0.5) / width)
    weights = cubic_weight(distance, coefficient) if bicubic else np.maximum(0.0, 1 - distance)
    return _normalized(elements, np.where(elements < last[:, np.newaxis], weights, 0.0), before)


def _normalized(elements: Array, weights: Array, before: int) -> Taps:
    """Taps with weight 0 outside of the axis, and weights that sum to 1; a sum of 0 stays 0."""
    weights = np.where((elements >= 0) & (elements < before), weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    return Taps(np.clip(elements, 0, max(before - 1, 0)), weights / np.where(total == 0, 1.0, total))


Numbers = tuple[int, ...]
SCALE_EPSILON = np.float32(1e-6)
"""Added to scales before sizes are computed, as in OpenVINO."""
EXACT = (0.0,) * 64
"""No coordinate is off, whatever the rank."""
MAX_PADDED_BYTES = 1 << 32
"""The maximum size of a padded image, which the limit on the bytes of tensors does not include."""


@shape("Interpolate-4")
def interpolate_4_shape(
    image: Fact, sizes: Fact, scales: Fact, axes: Fact | None, *, shape_calculation_mode: str, **resizing: Any
) -> Shape:
    wanted = scales if shape_calculation_mode == "scales" else sizes
    return resized(image.shape, wanted, axes, shape_calculation_mode, **resizing)


@shape("Interpolate-11")
def interpolate_11_shape(
    image: Fact,
    scales_or_sizes: Fact,
    axes: Fact | None,
    *,
    mode: str,
    shape_calculation_mode: str,
    **resizing: Any,
) -> Shape:
    kind, scaled = scales_or_sizes.element_type, shape_calculation_mode == "scales"
    require(kind is DYNAMIC or kind.floating == scaled, "C7", kind, f"{shape_calculation_mode} mode")
    count = Dim.of(image.shape.rank or 0) if axes is None else axes.shape[0]
    known = mode.endswith("pillow") and image.shape.rank is not None
    require(not known or count.can_be(2), "C8", f"{count} axes, mode {mode}")
    return resized(image.shape, scales_or_sizes, axes, shape_calculation_mode, mode=mode, **resizing)


def resized(
    image: Shape,
    wanted: Fact,
    axes: Fact | None,
    shape_calculation_mode: str,
    *,
    mode: str,
    pads_begin: Numbers,
    pads_end: Numbers,
    **_: Any,
) -> Shape:
    """The shape of a padded image after some axes are resized."""
    if image.dims is None:
        return UNRANKED
    rank = len(image)
    sizes = padded_sizes(image, pads_begin, pads_end)
    if axes is not None and axes.value is None:
        return Shape((ANY,) * rank)
    named = range(rank) if axes is None else checked_axes(axes.value, rank)
    warn_unless(mode != "linear_onnx" or rank <= 5, "C9", f"rank {rank}")
    count = wanted.shape[0]
    require(count >= len(named), "C1", count, f"{len(named)} axes")
    warn_unless(count.can_be(len(named)), "C6", count, f"{len(named)} axes")
    new_sizes = [ANY] * len(named)
    if shape_calculation_mode != "scales":
        new_sizes = list(map(checked_size, entries(wanted, len(named)))) if count.known else new_sizes
    elif wanted.value is not None:
        new_sizes = [scaled(sizes[axis], scale) for axis, scale in zip(named, checked_scales(wanted.value))]
    for axis, size in zip(named, new_sizes):
        sizes[axis] = size
    return Shape(sizes)


def padded_sizes(image: Shape, pads_begin: Numbers, pads_end: Numbers) -> list[Dim]:
    """The sizes including padding; axes beyond the end of a list are not padded."""
    rank = len(image)
    begins, ends = len(pads_begin), len(pads_end)
    warn_unless(begins <= rank and ends <= rank, "C5", f"{begins} and {ends} at rank {rank}")
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
    valid = all(0 <= axis < rank for axis in numbers) and len(set(numbers)) == len(numbers)
    require(valid, "C2", f"axes {numbers} at rank {rank}")
    return numbers


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

    return size if scale == 1 else Dim(min(scaled_bound(size.low), MAX_DIM), scaled_bound(size.high))


def _padded(image: Array, pads: list[tuple[int, int]]) -> Array:
    size = prod(begin + size + end for size, (begin, end) in zip(image.shape, pads)) * image.itemsize
    if size > MAX_PADDED_BYTES:
        raise LimitExceeded(
            "memory-limit", f"the padded image would have {size:,} bytes; the limit is {MAX_PADDED_BYTES:,}"
        )
    return np.pad(image, pads, constant_values=zeros((), element_type_of(image)))


@kernel("Interpolate-4")
def interpolate_4(image: Array, sizes: Array, scales: Array, axes: Array | None, **attributes: Any) -> Array:
    wanted = scales if attributes["shape_calculation_mode"] == "scales" else sizes
    return _resized_11(image, wanted, axes, **attributes)


@kernel("Interpolate-11")
def interpolate_11(image: Array, scales_or_sizes: Array, axes: Array | None, **attributes: Any) -> Array:
    return _resized_11(image, scales_or_sizes, axes, **attributes)


def _resized_11(
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
    off: Sequence[float] = EXACT,
) -> Array:
    named = None if axes is None else Fact.of(axes)
    before, wanted = Shape(image.shape), Fact.of(scales_or_sizes)
    pads = {"pads_begin": pads_begin, "pads_end": pads_end}
    after = resized(before, wanted, named, shape_calculation_mode, mode=mode, **pads)
    if not after.static:
        raise LimitExceeded("memory-limit", f"the image would have the shape {after}")
    around = list(zip(full(pads_begin, image.ndim), full(pads_end, image.ndim)))
    data = _padded(image, around) if any(map(any, around)) else image
    order = list(range(data.ndim)) if axes is None else checked_axes(axes, data.ndim)
    require(data.size or not after.size.high, "C10", Shape(data.shape), after)
    given_scales = checked_scales(scales_or_sizes) if shape_calculation_mode == "scales" else None
    sizes = [(data.shape[axis], int(after[axis])) for axis in order]
    factors = [_scale(*pair) for pair in sizes] if given_scales is None else given_scales
    how = coordinate_transformation_mode
    resizings = [Resizing(*pair, scale, how, off[axis]) for axis, pair, scale in zip(order, sizes, factors)]
    along = list(zip(order, resizings))
    if mode == "nearest" or not after.size.high:
        for axis, one in along:
            data = np.take(data, nearest(one, nearest_mode) if one.after else np.arange(0), axis)
        return data
    if mode.endswith("pillow"):
        for axis, one in reversed(along):
            if one.before != one.after:
                taps = pillow(one.before, one.after, mode == "bicubic_pillow", cube_coeff)
                data = rounded_sums(taps.applied(as_numbers(data), axis), image)
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


# Interpolate-1: axes are an attribute, sizes an input, and align_corners chooses the coordinates.


@shape("Interpolate-1")
def interpolate_1_shape(
    image: Fact, target_spatial_shape: Fact, *, axes: Numbers, pads_begin: Numbers, pads_end: Numbers
) -> Shape:
    warn_unless(axes == tuple(sorted(axes)), "C4", list(axes))
    require(len(set(axes)) == len(axes), "C5", list(axes))
    count = target_spatial_shape.shape[0]
    require(count >= len(axes), "C1", count, f"{len(axes)} axes")
    warn_unless(count.can_be(len(axes)), "C2", count, f"{len(axes)} axes")
    for name, pads in (("pads_begin", pads_begin), ("pads_end", pads_end)):
        require(len(set(pads)) < 2, "C6", f"{name} {list(pads)}")
    if image.shape.dims is None:
        return UNRANKED
    sizes = image.shape
    for axis, size in zip(sorted(axes), entries(target_spatial_shape if count.known else None, len(axes))):
        require(size >= 0, "C3", size)
        sizes = sizes.with_dim(axis, size.at_least(0) if count.known else ANY)
    return sizes


@kernel("Interpolate-1")
def interpolate_1(image: Array, target_spatial_shape: Array, **attributes: Any) -> Array:
    return _resized_1(image, target_spatial_shape, **attributes)


def _resized_1(
    image: Array,
    target_spatial_shape: Array,
    *,
    axes: Numbers,
    mode: str,
    align_corners: bool,
    antialias: bool,
    pads_begin: Numbers,
    pads_end: Numbers,
    off: Sequence[float] = EXACT,
) -> Array:
    require(mode != "area", "C7")
    sizes = as_i64(target_spatial_shape).tolist()
    require(len(sizes) >= len(axes), "C1", len(sizes), f"{len(axes)} axes")
    require(all(size >= 0 for size in sizes), "C3", sizes)
    begin, end = sum(pads_begin[:1]), sum(pads_end[:1])
    befores = [image.shape[axis] + begin + end for axis in sorted(axes)]
    require(all(before or not size for before, size in zip(befores, sizes)), "C8", Shape(image.shape), sizes)
    if not image.size or not all(sizes[: len(axes)]):
        after = list(image.shape)
        for axis, size in zip(sorted(axes), sizes):
            after[axis] = size
        return zeros(tuple(after), element_type_of(image))
    transformation = coordinate_transformation(mode, align_corners, begin + end > 0, image.ndim, axes)
    scales = [np.float32(size) / np.float32(before) for before, size in zip(befores, sizes)]
    along = [
        (axis, Resizing(before, size, scale, transformation, off[axis]))
        for axis, before, size, scale in zip(sorted(axes), befores, sizes, scales)
    ]
    if mode == "nearest":
        return nearest_elements(image, along, begin)
    use_triangle = mode == "linear" and image.ndim >= 5
    shrinks = antialias and any(one.scale < 1 for _, one in along)
    result: Array = as_numbers(image).astype(np.float64)
    for axis, one in along:
        if use_triangle:
            taps = triangle(one, one.scale if shrinks else np.float32(1))
        else:
            taps = cubic(one, -0.75) if mode == "cubic" else two_neighbours(one)
        result = without_padding(taps, begin, image.shape[axis]).applied(result, axis)
    in_type = rounded_sums if use_triangle else truncated_sums
    return in_type(result, image)


def nearest_elements(image: Array, along: list[tuple[int, Resizing]], begin: int) -> Array:
    """The image resized in mode nearest. begin: the number of zeros before each axis."""
    zero = zeros((), element_type_of(image))
    for axis, one in along:
        at, size = nearest(one, "simple") - begin, image.shape[axis]
        inside = ((at >= 0) & (at < size)).reshape(-1, *(1,) * (image.ndim - axis - 1))
        image = np.where(inside, np.take(image, np.clip(at, 0, size - 1), axis), zero)
    return image


def without_padding(taps: Taps, begin: int, size: int) -> Taps:
    """Taps of a padded axis, with indices into the axis without padding; taps on padding get weight 0."""
    at = taps.elements - begin
    return Taps(np.clip(at, 0, size - 1), np.where((at >= 0) & (at < size), taps.weights, 0.0))


def coordinate_transformation(mode: str, align_corners: bool, padded: bool, rank: int, axes: Numbers) -> str:
    """The coordinate_transformation_mode of Interpolate-4 that OpenVINO uses for Interpolate-1."""
    if align_corners:
        return "align_corners"
    centred = mode.startswith("linear") and not padded and not (rank == 4 and set(axes) == {2, 3})
    return "half_pixel" if centred else "asymmetric"


KERNELS: Mapping[str, Callable[..., Array]] = {
    "Interpolate-1": interpolate_1,
    "Interpolate-4": interpolate_4,
    "Interpolate-11": interpolate_11,
}


def with_rounded_coordinates(
    op: str, inputs: Sequence[Array | None], attributes: Mapping[str, Any], after: Sequence[int], off: float
) -> Iterator[Array]:
    """The results where coordinates are off by so many roundoffs, for every choice of signs of the axes.

    after: the shape of the result
    """
    image = inputs[0]
    assert image is not None
    is_padded = any((*attributes["pads_begin"], *attributes["pads_end"]))
    choices = [(-off, off) if is_padded or size != new else (0.0,) for size, new in zip(image.shape, after)]
    for signs in product(*choices):
        yield KERNELS[op](*inputs, off=signs, **attributes)
