"""Bilinear sampling of regions of feature maps, shared by the RoI align ops."""

from __future__ import annotations

from math import ceil, isfinite

import numpy as np

from irops.values.dim import Dim, DimLike
from irops.values.element import Array
from irops.values.violation import LimitExceeded, require

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
