"""Regions of interest, as the poolings over them take them: rows of a batch item and a box."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.violation import require, warn_unless

FAR = 2.0**40
"""Further away than any element: what lies beyond counts as lying here, so that it fits into an integer."""


def check_regions(rois: Fact, data: Fact) -> None:
    """Hold regions to five numbers each and, where they are known, to what these must be."""
    warn_unless(rois.shape[1].can_be(5), "C1", rois)
    if rois.value is not None and rois.shape[1] == 5:
        held_regions(rois.value, data.shape[0])


def held_regions(rois: Array, items: Dim) -> Array:
    """The regions in f32, held to what they must be, up to the first of item -1, which ends the list."""
    require(rois.shape[1] == 5, "C1", f"{rois.shape[1]} numbers")
    regions = rois.astype(np.float32)
    ends = np.flatnonzero(np.trunc(regions[:, 0]) == -1)
    warn_unless(not ends.size, "C4", f"-1 for region {ends[:1]}")
    regions = regions[: ends[0]] if ends.size else regions
    item = np.trunc(regions[:, 0])
    outside = (item < 0) | (item >= items.high)
    require(not outside.any(), "C2", _first(outside, regions), f"{items} items")
    nothing = np.asarray(np.isnan(regions).any(axis=1))
    require(not nothing.any(), "C3", _first(nothing, regions))
    return regions


def _first(wrong: Array, regions: Array) -> str:
    """The first region that is wrong."""
    places = np.flatnonzero(wrong)
    return f"{regions[places[0]].tolist()} as region {places[0]}" if places.size else "none"


def widened(data: Array) -> Array:
    """Elements in f32; in f64 if they are."""
    return data if data.dtype == np.float64 else data.astype(np.float32, copy=False)


def whole(numbers: Array) -> Array:
    """Numbers as integers, cut off where they are none, held within what lies in reach."""
    found: Array = np.clip(numbers, -FAR, FAR).astype(np.int64)
    return found


def inside(planes: Array, y: Array, x: Array) -> Array:
    """Which points lie within planes, the last rows and columns included."""
    height, width = planes.shape[-2:]
    found: Array = (y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)
    return found


def blended(planes: Array, which: tuple[Any, ...], y: Array, x: Array) -> Array:
    """What planes hold at points, which lie within: the four elements around each, the nearer with the
    greater weight.

    which: the planes' indices before the row and the column; with y and x, they are indices of NumPy.
    """
    top, left, bottom, right = (
        edge.astype(np.int64) for edge in (np.floor(y), np.floor(x), np.ceil(y), np.ceil(x))
    )
    down, across = (y - top).astype(planes.dtype), (x - left).astype(planes.dtype)
    above, above_right = planes[(*which, top, left)], planes[(*which, top, right)]
    below, below_right = planes[(*which, bottom, left)], planes[(*which, bottom, right)]
    upper = above + (above_right - above) * across
    found: Array = upper + (below + (below_right - below) * across - upper) * down
    return found
