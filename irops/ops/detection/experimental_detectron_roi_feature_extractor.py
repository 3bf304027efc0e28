"""ExperimentalDetectronROIFeatureExtractor: features of regions from the levels of a feature pyramid."""

from __future__ import annotations

from functools import reduce

import numpy as np

from irops.ops.detection.sampled_regions import bilinear, pooled, sample_points
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

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
