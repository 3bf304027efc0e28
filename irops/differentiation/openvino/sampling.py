"""The derivatives of ops on images: samples at computed positions, regions, and colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import add
from typing import Any

import numpy as np

from irops.differentiation.deriving import Derivation, NotDerivedError, composition
from irops.ops.detection.roi_align import SHIFTS
from irops.ops.image.grid_sample import CUBIC_COEFFICIENT

FAR = 2.0**30
"""Coordinates are limited to this distance, so that they fit into an integer."""


@dataclass(frozen=True, slots=True)
class Images:
    """Images [N, C, H, W] as rows of channels, one for each element of each image."""

    d: Derivation
    rows: Any
    height: Any
    width: Any

    @classmethod
    def of(cls, d: Derivation, data: Any) -> Images:
        channels = d.size(data, 1)
        rows = d.in_shape(d.transposed(data, [0, 2, 3, 1]), d.vector([-1, channels]))
        return cls(d, rows, d.size(data, 2), d.size(data, 3))

    @property
    def sizes(self) -> tuple[Any, Any]:
        return self.height, self.width

    def at(self, item: Any, y: Any, x: Any) -> Any:
        """The elements of images at whole positions inside of them: [..., C]."""
        place = (item * self.height + y) * self.width + x
        return self.d.add("Gather-8", self.rows, place, self.d.at(0))

    def weighted(self, item: Any, y: Sequence[Tap], x: Sequence[Tap], outside: Any = None) -> Any:
        """The sums over the taps of two axes: [..., C]. outside: where the sum is 0"""
        parts = []
        for row, column in product(y, x):
            weight = column.weight if row.weight is None else row.weight * column.weight
            for valid in (row.valid, column.valid):
                weight = weight if valid is None else self.d.where(valid, weight, 0.0)
            if outside is not None:
                weight = self.d.where(outside, 0.0, weight)
            found = self.at(item, row.index, column.index)
            parts.append(found * self.d.add("Unsqueeze-1", weight, self.d.at(-1)))
        return reduce(add, parts)


@dataclass(frozen=True, slots=True)
class Tap:
    """An element along an axis that contributes. valid: where it does, None for everywhere"""

    index: Any
    weight: Any
    valid: Any = None


def whole(d: Derivation, coordinate: Any) -> Any:
    """Whole coordinates as integers."""
    limited = d.add("Clamp-1", coordinate, min=-FAR, max=FAR)
    return d.add("Convert-1", limited, destination_type="i64")


def between(d: Derivation, number: Any, low: Any, high: Any) -> Any:
    return d.add("Minimum-1", d.add("Maximum-1", number, low), high)


def as_kind(d: Derivation, size: Any, kind: Any) -> Any:
    """A size as a number of a type."""
    return float(size) if isinstance(size, int) else d.typed(size, kind)


# GridSample.


@composition("GridSample-9")
def grid_sample(d: Derivation) -> Sequence[Any]:
    data, kind = d.input("data"), d.kind_of(d.input("data"))
    images, grid = Images.of(d, data), d.typed(d.input("grid"), kind)
    item = d.in_shape(d.numbers_to(d.size(data, 0)), [-1, 1, 1])
    taps = [
        _grid_taps(d, d.add("Gather-8", grid, d.at(place), d.at(3)), size)
        for place, size in ((1, images.height), (0, images.width))
    ]
    return [d.transposed(images.weighted(item, *taps), [0, 3, 1, 2])]


def _grid_taps(d: Derivation, position: Any, size: Any) -> list[Tap]:
    """The elements along an axis for positions from -1 to 1."""
    length = as_kind(d, size, d.kind_of(position))
    aligned = d.attributes["align_corners"]
    coordinate = (position + 1) * ((length - 1) * 0.5) if aligned else ((position + 1) * length - 1) * 0.5
    mode = d.attributes["mode"]
    if mode == "nearest":
        return [_padded(d, whole(d, d.add("Round-5", coordinate)), coordinate * 0.0 + 1.0, size)]
    first = d.Floor(coordinate)
    t = coordinate - first
    weights = (1 - t, t) if mode == "bilinear" else (_outer(t + 1), _inner(t), _inner(1 - t), _outer(2 - t))
    start = whole(d, first) - (0 if mode == "bilinear" else 1)
    return [_padded(d, start + step, weight, size) for step, weight in enumerate(weights)]


def _inner(t: Any) -> Any:
    """The weight of the cubic convolution at a distance from 0 to 1."""
    a = CUBIC_COEFFICIENT
    return (t * (a + 2) - (a + 3)) * t * t + 1


def _outer(t: Any) -> Any:
    """The weight of the cubic convolution at a distance from 1 to 2."""
    a = CUBIC_COEFFICIENT
    return ((t * a - 5 * a) * t + 8 * a) * t - 4 * a


def _padded(d: Derivation, index: Any, weight: Any, size: Any) -> Tap:
    """An element at an index that may lie outside, as padding_mode says."""
    mode = d.attributes["padding_mode"]
    if mode != "reflection":
        inside = d.add("LogicalAnd-1", d.add("GreaterEqual-1", index, 0), d.add("Less-1", index, size))
        return Tap(between(d, index, 0, size - 1), weight, inside if mode == "zeros" else None)
    aligned = d.attributes["align_corners"]
    period = size * 2
    if aligned:
        period = max(period - 2, 1) if isinstance(size, int) else d.add("Maximum-1", period - 2, 1)
    phase = d.add("FloorMod-1", index, period)
    mirrored = period - phase - (0 if aligned else 1)
    return Tap(d.add("Select-1", d.add("Less-1", phase, size), phase, mirrored), weight)


# Regions, pooled from samples.


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of the bins of regions along an axis. offsets: from the begin of each region, as
    [regions, bins, samples]; valid: where there is one, None for everywhere; share: of the average of a bin
    """

    offsets: Any
    valid: Any
    share: Any


def samples_of(d: Derivation, extent: Any, bins: int) -> Samples:
    """As many samples as sampling_ratio says in each bin; with 0, one for each element of an extent."""
    kind, ratio = d.kind_of(extent), d.attributes["sampling_ratio"]
    each = d.in_shape(extent, [-1, 1, 1]) * (1 / bins)
    begins = each * np.arange(bins, dtype=kind.dtype)[:, None]
    if ratio:
        return Samples(begins + each * ((np.arange(ratio) + 0.5) / ratio).astype(kind.dtype), None, 1 / ratio)
    counts = d.add("Maximum-1", d.add("Ceiling-1", each), 0)
    known = d.known_value(counts)
    if known is None:
        raise NotDerivedError("the number of samples in a region is not known without a run")
    numbers = np.arange(max(int(np.max(known, initial=0)), 1))
    limited = d.add("Maximum-1", counts, 1)
    valid = d.add("Less-1", numbers.astype(kind.dtype), counts)
    return Samples(begins + each * (numbers + 0.5).astype(kind.dtype) / limited, valid, 1 / limited)


def _beside(d: Derivation, coordinate: Any, size: Any) -> tuple[list[Tap], Any]:
    """The elements on either side of coordinates, and where these are more than one element outside."""
    length = as_kind(d, size, d.kind_of(coordinate))
    outside = d.add("LogicalOr-1", d.add("Less-1", coordinate, -1), d.add("Greater-1", coordinate, length))
    last = length - 1
    clamped = isinstance(last, float)
    limited = d.add("Clamp-1", coordinate, min=0, max=last) if clamped else between(d, coordinate, 0, last)
    first = d.Floor(limited)
    after, low = limited - first, whole(d, first)
    return [Tap(low, 1 - after), Tap(d.add("Minimum-1", low + 1, size - 1), after)], outside


def pooled(
    d: Derivation, images: Images, item: Any, y: Samples, x: Samples, at: tuple[Any, Any], mode: str
) -> Any:
    """The bins of regions as [regions, C, bins, bins]. at: the positions along both axes"""
    rows, above = _beside(d, at[0], images.height)
    columns, beside = _beside(d, at[1], images.width)
    samples = images.weighted(d.in_shape(item, [-1, 1, 1, 1, 1]), rows, columns, d.LogicalOr(above, beside))
    for of, places in ((y, [3, 4, 5]), (x, [1, 2, 5])):
        if of.valid is not None:
            samples = d.where(d.add("Unsqueeze-1", of.valid, np.array(places, np.int64)), samples, 0.0)
    if mode == "max":
        found = d.ReLU(d.add("ReduceMax-1", samples, np.array([2, 4]), keep_dims=False))
    else:
        for of, places in ((y, [3, 4, 5]), (x, [1, 2, 5])):
            is_known = isinstance(of.share, float)
            share = of.share if is_known else d.add("Unsqueeze-1", of.share, np.array(places, np.int64))
            samples = samples * share
        found = d.add("ReduceSum-1", samples, np.array([2, 4]), keep_dims=False)
    return d.transposed(found, [0, 3, 1, 2])


def _column(d: Derivation, term: Any, number: int) -> Any:
    return d.add("Gather-8", term, d.at(number), d.at(1))


def _across(d: Derivation, offsets: Any, places: Sequence[int]) -> Any:
    return d.add("Unsqueeze-1", offsets, np.array(places, np.int64))


@composition("ROIAlign-3", "ROIAlign-9")
def roi_align(d: Derivation) -> Sequence[Any]:
    mode = d.attributes.get("aligned_mode", "asymmetric")
    before, after = SHIFTS[mode]
    corners = (d.input("rois") + before) * d.attributes["spatial_scale"] + after
    x1, y1, x2, y2 = (_column(d, corners, number) for number in range(4))
    width, height = x2 - x1, y2 - y1
    if mode == "asymmetric":
        width, height = (d.add("Maximum-1", extent, 1) for extent in (width, height))
    y, x = samples_of(d, height, d.attributes["pooled_h"]), samples_of(d, width, d.attributes["pooled_w"])
    first = [d.in_shape(term, [-1, 1, 1, 1, 1]) for term in (y1, x1)]
    at = first[0] + _across(d, y.offsets, [3, 4]), first[1] + _across(d, x.offsets, [1, 2])
    item = d.add("Convert-1", d.input("batch_indices"), destination_type="i64")
    images = Images.of(d, d.input("data"))
    return [pooled(d, images, item, y, x, at, d.attributes["mode"])]


@composition("ROIAlignRotated-15")
def roi_align_rotated(d: Derivation) -> Sequence[Any]:
    rois = d.input("rois")
    middle_x, middle_y, width, height = (
        _column(d, rois, number) * d.attributes["spatial_scale"] for number in range(4)
    )
    angle = _column(d, rois, 4)
    angle = -angle if d.attributes["clockwise_mode"] else angle
    y, x = samples_of(d, height, d.attributes["pooled_h"]), samples_of(d, width, d.attributes["pooled_w"])

    def wide(term: Any) -> Any:
        return d.in_shape(term, [-1, 1, 1, 1, 1])

    v = _across(d, y.offsets, [3, 4]) - wide(height) * 0.5
    u = _across(d, x.offsets, [1, 2]) - wide(width) * 0.5
    cos, sin = wide(d.Cos(angle)), wide(d.Sin(angle))
    at = (
        v * cos - u * sin + wide(middle_y) - 0.5,
        v * sin + u * cos + wide(middle_x) - 0.5,
    )
    item = d.add("Convert-1", d.input("batch_indices"), destination_type="i64")
    return [pooled(d, Images.of(d, d.input("data")), item, y, x, at, "avg")]


@composition("RegionYolo-1")
def region_yolo(d: Derivation) -> Sequence[Any]:
    data, coords = d.input("data"), d.attributes["coords"]
    items, _, height, width = (d.size(data, axis) for axis in range(4))
    count = d.attributes["num"] if d.attributes["do_softmax"] else len(d.attributes["mask"])
    numbers = coords + d.attributes["classes"] + 1
    cells = d.in_shape(data, d.vector([items, count, numbers, height, width]))

    def part(first: int, last: int) -> Any:
        one = np.array([1], np.int64)
        return d.add("Slice-8", cells, one * first, one * last, one, one * 2)

    if d.attributes["do_softmax"]:
        ends = [part(coords, coords + 1), part(coords + 1, numbers)]
        parts = [d.Sigmoid(ends[0]), d.add("SoftMax-8", ends[1], axis=2)]
    else:
        parts = [d.Sigmoid(part(coords, numbers))]
    found = d.add("Concat-1", d.Sigmoid(part(0, 2)), part(2, coords), *parts, axis=2)
    return [d.in_shape(found, d.sizes_of(d.results[0]))]


# Colours: sums of planes, clamped to 0..255.

TO_YUV = (((0.257, 0.504, 0.098), 16), ((-0.148, -0.291, 0.439), 128), ((0.439, -0.368, -0.071), 128))


def _stored(d: Derivation, term: Any) -> Any:
    return d.add("Clamp-1", term, min=0, max=255)


def _rgb(d: Derivation, y: Any, u: Any, v: Any, *, backwards: bool) -> Any:
    """Pictures [N, H, W, 3] of y[N, H, W, 1] and planes [N, H / 2, W / 2, 1]."""
    light = (y - 16) * 1.164
    u, v = (
        d.in_shape(
            d.add("Tile-1", d.add("Unsqueeze-1", plane, np.array([2, 4])), np.array([1, 1, 2, 1, 2, 1])),
            d.sizes_of(y),
        )
        - 128
        for plane in (u, v)
    )
    colours = [light + v * 1.596, light - u * 0.391 - v * 0.813, light + u * 2.018]
    return _stored(d, d.add("Concat-1", *(colours[::-1] if backwards else colours), axis=3))


def _rows(d: Derivation, term: Any, first: int, last: int) -> Any:
    one = np.array([1], np.int64)
    return d.add("Slice-8", term, one * first, one * last, one, one)


@composition("NV12toRGB-8", "NV12toBGR-8", "I420toRGB-8", "I420toBGR-8")
def to_rgb(d: Derivation) -> Sequence[Any]:
    y, of = d.input("y"), d.op.definition.type
    is_nv12, single = of.startswith("NV12"), len(d.inputs) == 1 or d.inputs[1] is None
    if single:
        items, rows, columns, _ = d.fixed_shape(y)
        height = rows * 2 // 3
        planes, y = _rows(d, y, height, rows), _rows(d, y, 0, height)
        sizes = [items, height // 2, columns // 2, 2] if is_nv12 else [items, 2, height // 2, columns // 2]
        planes = d.in_shape(planes, sizes)
        axis = 3 if is_nv12 else 1
        u, v = (d.add("Gather-8", planes, d.at(number), d.at(axis)) for number in (0, 1))
        u, v = (d.add("Unsqueeze-1", plane, d.at(3)) for plane in (u, v))
    elif is_nv12:
        u, v = (d.add("Gather-8", d.input("uv"), np.array([number]), d.at(3)) for number in (0, 1))
    else:
        u, v = d.input("u"), d.input("v")
    return [_rgb(d, y, u, v, backwards=of.endswith("BGR"))]


@composition("RGBtoNV12-17", "BGRtoNV12-17")
def to_nv12(d: Derivation) -> Sequence[Any]:
    data = d.input("data")
    items, rows, columns, _ = d.fixed_shape(data)
    planes = []
    for weights, shift in TO_YUV:
        listed = weights[::-1] if d.op.definition.type.startswith("BGR") else weights
        matrix = np.array(listed, d.kind_of(data).dtype).reshape(3, 1)
        planes.append(_stored(d, data @ matrix + shift))
    blocks = [items, rows // 2, 2, columns // 2, 2]
    halves = [
        d.add("ReduceMean-1", d.in_shape(plane, blocks), np.array([2, 4]), keep_dims=False)
        for plane in planes[1:]
    ]
    colours = d.add("Concat-1", *(d.add("Unsqueeze-1", plane, d.at(3)) for plane in halves), axis=3)
    if not d.attributes["single_plane"]:
        return [planes[0], _stored(d, colours)]
    return [d.add("Concat-1", planes[0], d.in_shape(colours, [items, rows // 2, columns, 1]), axis=1)]
