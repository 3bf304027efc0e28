"""Regions of interest of the RoI pooling ops: rows of a batch index and a box."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.violation import require, warn_unless

FAR = 2.0**40
"""Coordinates are limited to this distance, so that they fit into an integer."""


def check_regions(rois: Fact, data: Fact) -> None:
    """Check that regions have five numbers and, if they are known, that these are valid."""
    warn_unless(rois.shape[1].can_be(5), "C1", rois)
    if rois.value is not None and rois.shape[1] == 5:
        valid_regions(rois.value, data.shape[0])


def valid_regions(rois: Array, items: Dim) -> Array:
    """The regions in f32, up to the first with batch index -1, which ends the list.

    Raises:  Violation if one of them is invalid
    """
    require(rois.shape[1] == 5, "C1", f"{rois.shape[1]} numbers")
    regions = rois.astype(np.float32)
    ends = np.flatnonzero(np.trunc(regions[:, 0]) == -1)
    warn_unless(not ends.size, "C4", f"-1 for region {ends[:1]}")
    regions = regions[: ends[0]] if ends.size else regions
    item = np.trunc(regions[:, 0])
    outside = (item < 0) | (item >= items.high)
    require(not outside.any(), "C2", _first(outside, regions), f"{items} items")
    with_nan = np.asarray(np.isnan(regions).any(axis=1))
    require(not with_nan.any(), "C3", _first(with_nan, regions))
    return regions


def _first(invalid: Array, regions: Array) -> str:
    """The first invalid region, as text."""
    indices = np.flatnonzero(invalid)
    return f"{regions[indices[0]].tolist()} as region {indices[0]}" if indices.size else "none"


def widened(data: Array) -> Array:
    """Elements in f32; f64 stays f64."""
    return data if data.dtype == np.float64 else data.astype(np.float32, copy=False)


def whole(numbers: Array) -> Array:
    """Numbers truncated to integers and limited to FAR."""
    integers: Array = np.clip(numbers, -FAR, FAR).astype(np.int64)
    return integers


def inside(planes: Array, y: Array, x: Array) -> Array:
    """Which points lie between the first and the last element of planes, both included."""
    height, width = planes.shape[-2:]
    mask: Array = (y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)
    return mask


def interpolated(planes: Array, which: tuple[Any, ...], y: Array, x: Array) -> Array:
    """Planes at points inside of them, interpolated bilinearly.

    which: the indices before the row and the column; with y and x, they follow the indexing rules of NumPy.
    """
    top, left, bottom, right = (
        edge.astype(np.int64) for edge in (np.floor(y), np.floor(x), np.ceil(y), np.ceil(x))
    )
    down, across = (y - top).astype(planes.dtype), (x - left).astype(planes.dtype)
    above, above_right = planes[(*which, top, left)], planes[(*which, top, right)]
    below, below_right = planes[(*which, bottom, left)], planes[(*which, bottom, right)]
    upper = above + (above_right - above) * across
    result: Array = upper + (below + (below_right - below) * across - upper) * down
    return result
