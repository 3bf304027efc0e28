"""Regions of feature maps, read at points between their elements: what the ops that align regions share."""

from __future__ import annotations

from math import ceil, isfinite

import numpy as np

from irops.values.dim import Dim, DimLike
from irops.values.element import Array
from irops.values.violation import LimitExceeded, require

MOST_SAMPLES = 1 << 27
"""How many values may be read at a time."""


def bilinear(maps: Array, y: Array, x: Array) -> Array:
    """Maps [C, H, W] at points, for every channel: four neighbours weighted by nearness; 0 where further than
    one element outside.
    """
    height, width = maps.shape[1:]
    shape = np.broadcast_shapes(y.shape, x.shape)
    if not maps.size:
        return np.zeros((len(maps), *shape), maps.dtype)
    afford(len(maps) * int(np.prod(shape, dtype=object)))
    outside = (y < -1) | (y > height) | (x < -1) | (x > width)
    top, bottom, down = _neighbours(y, height)
    left, right, across = _neighbours(x, width)
    upper = maps[:, top, left] * (1 - across) + maps[:, top, right] * across
    lower = maps[:, bottom, left] * (1 - across) + maps[:, bottom, right] * across
    read: Array = np.where(outside, maps.dtype.type(0), upper * (1 - down) + lower * down)
    return read


def _neighbours(at: Array, size: int) -> tuple[Array, Array, Array]:
    """The elements on either side of points along an axis, and how far the points lie from the first to the
    second.
    """
    inside = np.clip(at, 0, size - 1)
    low = np.floor(np.nan_to_num(inside)).astype(np.int64)
    return low, np.minimum(low + 1, size - 1), inside - low.astype(at.dtype)


def sample_points(extent: Array, bins: int, ratio: int, constraint: str) -> Array:
    """Where an extent is sampled, from its beginning on: [bins, points in each]; ratio points in each, or,
    with 0, one per element.

    Raises:  Violation(constraint) where their number depends on an extent that is not finite
    """
    kind = extent.dtype
    each = extent / kind.type(bins)
    if ratio == 0:
        require(isfinite(each), constraint, extent)
    count = ratio or max(ceil(each), 0)
    afford(bins * count)
    steps = (np.arange(count, dtype=kind) + kind.type(0.5)) * (each / kind.type(max(count, 1)))
    points: Array = np.arange(bins, dtype=kind)[:, np.newaxis] * each + steps
    return points


def afford(count: int) -> None:
    """Raises LimitExceeded where so many values are too many to be held beside the tensors."""
    if count > MOST_SAMPLES:
        raise LimitExceeded(
            "memory-limit", f"a region is sampled at {count:,} points, {MOST_SAMPLES:,} are taken at a time"
        )


def pooled(samples: Array, mode: str) -> Array:
    """Samples [C, rows of bins, in each, columns of bins, in each], as one value per bin; no samples: 0."""
    if mode == "max":
        most: Array = samples.max(axis=(2, 4), initial=0)
        return most
    count = samples.shape[2] * samples.shape[4]
    average: Array = samples.sum(axis=(2, 4)) / samples.dtype.type(max(count, 1))
    return average


def check_batches(batches: Array, count: DimLike, constraint: str) -> None:
    """Hold the batch items that regions name to those that there are."""
    numbers = np.asarray(batches).astype(object).ravel()
    most = Dim.of(count).high
    wrong = [place for place, number in enumerate(numbers) if not 0 <= number < most]
    require(
        not wrong,
        constraint,
        *(f"{numbers[place]} for region {place} and {count} batch items" for place in wrong[:1]),
    )
