"""Interpolate-1: axes are an attribute, sizes an input, and align_corners chooses the coordinates."""

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.image import interpolate
from irops.ops.partial import entries
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY
from irops.values.element import Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless

Numbers = tuple[int, ...]


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
    resized = image.shape
    for axis, size in zip(sorted(axes), entries(target_spatial_shape if count.known else None, len(axes))):
        require(size >= 0, "C3", size)
        resized = resized.with_dim(axis, size.at_least(0) if count.known else ANY)
    return resized


@kernel("Interpolate-1")
def interpolate_1(
    image: Array,
    target_spatial_shape: Array,
    *,
    axes: Numbers,
    mode: str,
    align_corners: bool,
    antialias: bool,
    pads_begin: Numbers,
    pads_end: Numbers,
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
    resizings = (interpolate.Resizing(*one, transformation) for one in zip(befores, sizes, scales))
    along = list(zip(sorted(axes), resizings))
    if mode == "nearest":
        return nearest_elements(image, along, begin)
    use_triangle = mode == "linear" and image.ndim >= 5
    shrinks = antialias and any(one.scale < 1 for _, one in along)
    result: Array = as_numbers(image).astype(np.float64)
    for axis, one in along:
        if use_triangle:
            taps = interpolate.triangle(one, one.scale if shrinks else np.float32(1))
        else:
            taps = interpolate.cubic(one, -0.75) if mode == "cubic" else interpolate.two_neighbours(one)
        result = without_padding(taps, begin, image.shape[axis]).applied(result, axis)
    in_type = interpolate.rounded_sums if use_triangle else interpolate.truncated_sums
    return in_type(result, image)


def nearest_elements(image: Array, along: list[tuple[int, interpolate.Resizing]], begin: int) -> Array:
    """The image resized in mode nearest. begin: the number of zeros before each axis."""
    zero = zeros((), element_type_of(image))
    for axis, one in along:
        at, size = interpolate.nearest(one, "simple") - begin, image.shape[axis]
        inside = ((at >= 0) & (at < size)).reshape(-1, *(1,) * (image.ndim - axis - 1))
        image = np.where(inside, np.take(image, np.clip(at, 0, size - 1), axis), zero)
    return image


def without_padding(taps: interpolate.Taps, begin: int, size: int) -> interpolate.Taps:
    """Taps of a padded axis, with indices into the axis without padding; taps on padding get weight 0."""
    at = taps.elements - begin
    return interpolate.Taps(np.clip(at, 0, size - 1), np.where((at >= 0) & (at < size), taps.weights, 0.0))


def coordinate_transformation(mode: str, align_corners: bool, padded: bool, rank: int, axes: Numbers) -> str:
    """The coordinate_transformation_mode of Interpolate-4 that OpenVINO uses for Interpolate-1."""
    if align_corners:
        return "align_corners"
    centred = mode.startswith("linear") and not padded and not (rank == 4 and set(axes) == {2, 3})
    return "half_pixel" if centred else "asymmetric"
