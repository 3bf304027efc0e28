"""Pooling of regions by interpolated samples."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import ceil, isfinite

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, DimLike, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, require, warn_unless

MAX_SAMPLES = 1 << 27
"""The maximum number of values sampled at a time."""


def bilinear(maps: Array, y: Array, x: Array) -> Array:
    """Maps [C, H, W] at points, interpolated bilinearly for every channel; 0 at points more than one element
    outside.
    """
    height, width = maps.shape[1:]
    shape = np.broadcast_shapes(y.shape, x.shape)
    if not maps.size:
        return np.zeros((len(maps), *shape), maps.dtype)
    check_sample_count(len(maps) * int(np.prod(shape, dtype=object)))
    outside = (y < -1) | (y > height) | (x < -1) | (x > width)
    top, bottom, down = _neighbours(y, height)
    left, right, across = _neighbours(x, width)
    upper = maps[:, top, left] * (1 - across) + maps[:, top, right] * across
    lower = maps[:, bottom, left] * (1 - across) + maps[:, bottom, right] * across
    samples: Array = np.where(outside, maps.dtype.type(0), upper * (1 - down) + lower * down)
    return samples


def _neighbours(coordinate: Array, size: int) -> tuple[Array, Array, Array]:
    """The indices of the elements on either side of each coordinate, and its distance from the first."""
    inside = np.clip(coordinate, 0, size - 1)
    low = np.floor(np.nan_to_num(inside)).astype(np.int64)
    return low, np.minimum(low + 1, size - 1), inside - low.astype(coordinate.dtype)


def sample_points(extent: Array, bins: int, ratio: int, constraint: str) -> Array:
    """The sample points of an extent relative to its start: [bins, points per bin]. A bin has `ratio` points,
    or, with 0, one per element.

    Raises:  Violation(constraint) if their number depends on an extent that is not finite
    """
    kind = extent.dtype
    each = extent / kind.type(bins)
    if ratio == 0:
        require(isfinite(each), constraint, extent)
    count = ratio or max(ceil(each), 0)
    check_sample_count(bins * count)
    steps = (np.arange(count, dtype=kind) + kind.type(0.5)) * (each / kind.type(max(count, 1)))
    points: Array = np.arange(bins, dtype=kind)[:, np.newaxis] * each + steps
    return points


def check_sample_count(count: int) -> None:
    """Raises LimitExceeded if the samples would need too much memory beside the tensors."""
    if count > MAX_SAMPLES:
        raise LimitExceeded(
            "memory-limit", f"a region is sampled at {count:,} points; the limit is {MAX_SAMPLES:,}"
        )


def pooled(samples: Array, mode: str) -> Array:
    """One value per bin from samples [C, bin rows, points, bin columns, points]; 0 if there are no points."""
    if mode == "max":
        maxima: Array = samples.max(axis=(2, 4), initial=0)
        return maxima
    count = samples.shape[2] * samples.shape[4]
    average: Array = samples.sum(axis=(2, 4)) / samples.dtype.type(max(count, 1))
    return average


def check_batches(batches: Array, count: DimLike, constraint: str) -> None:
    """Require that the batch indices of regions are valid for `count` batch items."""
    indices = np.asarray(batches).astype(object).ravel()
    end = Dim.of(count).high
    invalid = [region for region, index in enumerate(indices) if not 0 <= index < end]
    require(
        not invalid,
        constraint,
        *(f"{indices[region]} for region {region} and {count} batch items" for region in invalid[:1]),
    )


# ROIAlign and ROIAlignRotated: regions of feature maps pooled to a fixed size from interpolated samples.

SHIFTS = {"asymmetric": (0.0, 0.0), "half_pixel_for_nn": (0.0, -0.5), "half_pixel": (0.5, -0.5)}
"""The numbers added to coordinates before and after they are scaled, for each aligned_mode."""


@shape("ROIAlign-3", "ROIAlign-9")
def roi_align_shape(
    data: Fact, rois: Fact, batch_indices: Fact, *, pooled_h: int, pooled_w: int, spatial_scale: float
) -> Shape:
    return aligned_shape(data, rois, batch_indices, 4, (pooled_h, pooled_w), spatial_scale)


@shape("ROIAlignRotated-15")
def roi_align_rotated_shape(
    data: Fact, rois: Fact, batch_indices: Fact, *, pooled_h: int, pooled_w: int, spatial_scale: float
) -> Shape:
    return aligned_shape(data, rois, batch_indices, 5, (pooled_h, pooled_w), spatial_scale)


def aligned_shape(
    data: Fact, rois: Fact, batch_indices: Fact, numbers: int, bins: Iterable[int], spatial_scale: float
) -> Shape:
    """The shape of the output. numbers: the numbers that describe a region."""
    unify(rois.shape[1], numbers, "C1")
    count = unify(rois.shape[0], batch_indices.shape[0], "C2")
    warn_unless(spatial_scale > 0, "C4", f"{spatial_scale:g}")
    if batch_indices.value is not None:
        check_batches(batch_indices.value, data.shape[0], "C3")
    return Shape.of(count, data.shape[1], *bins)


@kernel("ROIAlign-3", widen=True)
def roi_align_3(
    data: Array,
    rois: Array,
    batch_indices: Array,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    mode: str,
) -> Array:
    return roi_align(
        data,
        rois,
        batch_indices,
        pooled_h=pooled_h,
        pooled_w=pooled_w,
        sampling_ratio=sampling_ratio,
        spatial_scale=spatial_scale,
        mode=mode,
        aligned_mode="asymmetric",
    )


@kernel("ROIAlign-9", widen=True)
def roi_align(
    data: Array,
    rois: Array,
    batch_indices: Array,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    mode: str,
    aligned_mode: str,
) -> Array:
    check_batches(batch_indices, len(data), "C3")
    before, after = SHIFTS[aligned_mode]
    output = np.zeros((len(rois), data.shape[1], pooled_h, pooled_w), data.dtype)
    corners = (rois + rois.dtype.type(before)) * rois.dtype.type(spatial_scale) + rois.dtype.type(after)
    for region, (x1, y1, x2, y2) in enumerate(corners):
        width, height = x2 - x1, y2 - y1
        if aligned_mode == "asymmetric":
            width, height = np.maximum(width, 1), np.maximum(height, 1)
        y = y1 + sample_points(height, pooled_h, sampling_ratio, "C5")
        x = x1 + sample_points(width, pooled_w, sampling_ratio, "C5")
        output[region] = pooled(
            bilinear(data[int(batch_indices[region])], y[:, :, np.newaxis, np.newaxis], x), mode
        )
    return output


@kernel("ROIAlignRotated-15", widen=True)
def roi_align_rotated(
    data: Array,
    rois: Array,
    batch_indices: Array,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    clockwise_mode: bool,
) -> Array:
    check_batches(batch_indices, len(data), "C3")
    output = np.zeros((len(rois), data.shape[1], pooled_h, pooled_w), data.dtype)
    scaled = rois[:, :4] * rois.dtype.type(spatial_scale)
    for region, (middle_x, middle_y, width, height) in enumerate(scaled):
        angle = -rois[region, 4] if clockwise_mode else rois[region, 4]
        cos, sin = np.cos(angle), np.sin(angle)
        v = sample_points(height, pooled_h, sampling_ratio, "C5")[:, :, np.newaxis, np.newaxis] - height / 2
        u = sample_points(width, pooled_w, sampling_ratio, "C5") - width / 2
        y, x = v * cos - u * sin + middle_y, v * sin + u * cos + middle_x  # rotated about the centre
        half = rois.dtype.type(0.5)
        output[region] = pooled(bilinear(data[int(batch_indices[region])], y - half, x - half), "avg")
    return output


# ExperimentalDetectronROIFeatureExtractor: features of regions from the levels of a feature pyramid.

CANONICAL_SIZE = np.float32(224)
"""The size of regions that are read from level 2."""


@shape("ExperimentalDetectronROIFeatureExtractor-6")
def roi_features_shape(
    rois: Fact, *pyramid: Fact, output_size: int, pyramid_scales: tuple[int, ...]
) -> tuple[Shape, ...]:
    numbers = unify(rois.shape[1], 4, "C1")
    for level in pyramid:
        unify(level.shape[0], 1, "C2")
    channels = reduce(lambda channels, level: unify(channels, level.shape[1], "C3"), pyramid, ANY)
    warn_unless(len(pyramid_scales) >= len(pyramid), "C4", f"{len(pyramid_scales)} for {len(pyramid)} levels")
    return Shape.of(rois.shape[0], channels, output_size, output_size), Shape.of(rois.shape[0], numbers)


@kernel("ExperimentalDetectronROIFeatureExtractor-6", widen=True)
def roi_features(
    rois: Array,
    *pyramid: Array,
    output_size: int,
    sampling_ratio: int,
    pyramid_scales: tuple[int, ...],
    aligned: bool,
) -> tuple[Array, Array]:
    require(len(pyramid_scales) >= len(pyramid), "C4", f"{len(pyramid_scales)} for {len(pyramid)} levels")
    features = np.zeros((len(rois), pyramid[0].shape[1], output_size, output_size), rois.dtype)
    sizes = rois[:, 2:] - rois[:, :2]
    for region in np.flatnonzero(sizes.prod(axis=1) > 0):
        level = level_of(sizes[region], len(pyramid))
        offset = rois.dtype.type(0.5 if aligned else 0)
        x1, y1, x2, y2 = rois[region] * rois.dtype.type(1 / pyramid_scales[level]) - offset
        y = y1 + sample_points(np.maximum(y2 - y1, 1), output_size, sampling_ratio, "C5")
        x = x1 + sample_points(np.maximum(x2 - x1, 1), output_size, sampling_ratio, "C5")
        features[region] = pooled(bilinear(pyramid[level][0], y[:, :, np.newaxis, np.newaxis], x), "avg")
    return features, rois


def level_of(size: Array, levels: int) -> int:
    """The level from which a region of a width and height is read: 2 for the canonical size, 3 for twice that
    size.
    """
    level = np.floor(np.log2(np.sqrt(size.prod()) / CANONICAL_SIZE + np.float32(1e-6)) + 2)
    return int(np.clip(np.nan_to_num(level), 0, levels - 1))
