"""ROIAlign and ROIAlignRotated: regions of feature maps pooled to a fixed size from interpolated samples."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from irops.ops.detection.sampled_regions import bilinear, check_batches, pooled, sample_points
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import warn_unless

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
