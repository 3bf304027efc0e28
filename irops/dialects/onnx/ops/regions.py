"""Ops of ONNX on regions and positions of images: RoiAlign, MaxRoiPool, GridSample, NonMaxSuppression."""

from __future__ import annotations

from itertools import product
from math import ceil, floor

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.detection.roi_align import check_batches, sample_points
from irops.ops.image.grid_sample import padded, taps, unnormalized
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, unify
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

# RoiAlign and MaxRoiPool.


@shape("onnx:RoiAlign-10")
def roi_align_shape(
    X: Fact, rois: Fact, batch_indices: Fact, *, output_height: int, output_width: int
) -> Shape:
    unify(rois.shape[1], 4, "C1")
    count = unify(rois.shape[0], batch_indices.shape[0], "C2")
    if batch_indices.value is not None:
        check_batches(batch_indices.value, X.shape[0], "C3")
    return Shape.of(count, X.shape[1], output_height, output_width)


@kernel("onnx:RoiAlign-10", widen=True)
def roi_align(
    X: Array,
    rois: Array,
    batch_indices: Array,
    *,
    mode: str,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    coordinate_transformation_mode: str = "output_half_pixel",
) -> Array:
    check_batches(batch_indices, len(X), "C3")
    shift = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    output = np.zeros((len(rois), X.shape[1], output_height, output_width), X.dtype)
    for region, corners in enumerate(rois * rois.dtype.type(spatial_scale) - rois.dtype.type(shift)):
        x1, y1, x2, y2 = corners
        width, height = x2 - x1, y2 - y1
        if not shift:
            width, height = np.maximum(width, 1), np.maximum(height, 1)
        y = y1 + sample_points(height, output_height, sampling_ratio, "C4")
        x = x1 + sample_points(width, output_width, sampling_ratio, "C4")
        output[region] = _pooled_samples(X[int(batch_indices[region])], y, x, mode)
    return output


def _pooled_samples(maps: Array, y: Array, x: Array, mode: str) -> Array:
    """One number for each bin: the mean of samples, or the maximum of the four weighted elements of each."""
    (height, width), rows, columns = maps.shape[1:], y[:, :, np.newaxis, np.newaxis], x
    outside = (rows < -1) | (rows > height) | (columns < -1) | (columns > width)
    parts = []
    for (top, down), (left, across) in product(_sides(rows, height), _sides(columns, width)):
        parts.append(np.where(outside, 0, maps[:, top, left] * (down * across)))
    if mode == "max":
        return np.asarray(np.maximum.reduce(parts).max(axis=(2, 4)))
    total = parts[0] + parts[1] + parts[2] + parts[3]
    return np.asarray(total.mean(axis=(2, 4)))


def _sides(places: Array, size: int) -> list[tuple[Array, Array]]:
    """The elements before and after each place, and their weights."""
    inside = np.clip(places, 0, size - 1)
    low = np.floor(inside).astype(np.int64)
    rest = inside - low.astype(places.dtype)
    return [(low, 1 - rest), (np.minimum(low + 1, size - 1), rest)]


@shape("onnx:MaxRoiPool-1")
def max_roi_pool_shape(X: Fact, rois: Fact, *, pooled_shape: tuple[int, ...]) -> Shape:
    unify(rois.shape[1], 5, "C1")
    require(len(pooled_shape) == 2 and min(pooled_shape) > 0, "C2", pooled_shape)
    return Shape.of(rois.shape[0], X.shape[1], *pooled_shape)


@kernel("onnx:MaxRoiPool-1", widen=True)
def max_roi_pool(X: Array, rois: Array, *, pooled_shape: tuple[int, ...], spatial_scale: float) -> Array:
    check_batches(rois[:, 0], len(X), "C3")
    output = np.zeros((len(rois), X.shape[1], *pooled_shape), X.dtype)
    for region, (batch, *corners) in enumerate(rois.tolist()):
        x1, y1, x2, y2 = (floor(corner * spatial_scale + 0.5) for corner in corners)
        spans = [(y1, max(y2 - y1 + 1, 1), X.shape[2]), (x1, max(x2 - x1 + 1, 1), X.shape[3])]
        bins = [
            [_bin(start, extent / count, place, size) for place in range(count)]
            for (start, extent, size), count in zip(spans, pooled_shape)
        ]
        for (row, down), (column, across) in product(enumerate(bins[0]), enumerate(bins[1])):
            covered = X[int(batch), :, down, across]
            if covered.size:
                output[region, :, row, column] = covered.max(axis=(1, 2))
    return output


def _bin(start: int, extent: float, place: int, size: int) -> slice:
    """The elements of one bin of a region along an axis."""
    first, last = floor(place * extent) + start, ceil((place + 1) * extent) + start
    return slice(min(max(first, 0), size), min(max(last, 0), size))


# GridSample, for any number of spatial axes.

MODES = {"linear": "bilinear", "cubic": "bicubic"}
"""The names of modes for two axes."""


@shape("onnx:GridSample-16")
def grid_sample_shape(X: Fact, grid: Fact) -> Shape:
    if X.shape.rank is None or grid.shape.rank is None:
        return UNRANKED
    axes = X.shape.rank - 2
    require(grid.shape.rank == axes + 2, "C1", X.shape, grid.shape)
    unify(grid.shape[-1], axes, "C2")
    return Shape.of(unify(X.shape[0], grid.shape[0], "C3"), X.shape[1], *grid.shape[1:-1])


@kernel("onnx:GridSample-16")
def grid_sample(X: Array, grid: Array, *, align_corners: bool, mode: str, padding_mode: str) -> Array:
    kind, points, sizes = element_type_of(X), as_numbers(grid), X.shape[2:]
    mode = MODES.get(mode, mode)
    wide = X.dtype if mode == "nearest" else np.float64
    result = np.zeros((*X.shape[:2], *grid.shape[1:-1]), wide)
    for item, (image, positions) in enumerate(zip(X, points)):
        along = [
            taps(unnormalized(positions[..., -1 - axis], size, align_corners), mode)
            for axis, size in enumerate(sizes)
        ]
        for corner in product(*along):
            places = [
                padded(index, size, padding_mode, align_corners) for (index, _), size in zip(corner, sizes)
            ]
            inside = np.logical_and.reduce([within for _, within in places])
            elements = image[(slice(None), *(index for index, _ in places))]
            if mode == "nearest":
                result[item] = np.where(inside, elements, np.zeros((), X.dtype))
            else:
                weight = np.multiply.reduce([weight for _, weight in corner])
                result[item] += as_numbers(elements) * np.where(inside, weight, 0)
    return result if mode == "nearest" else converted(result, kind)


# NonMaxSuppression.


@shape("onnx:NonMaxSuppression-10")
def suppression_shape(
    boxes: Fact,
    scores: Fact,
    max_output_boxes_per_class: Fact | None,
    iou_threshold: Fact | None,
    score_threshold: Fact | None,
) -> Shape:
    del iou_threshold, score_threshold
    unify(boxes.shape[2], 4, "C1")
    batch = unify(boxes.shape[0], scores.shape[0], "C2")
    count = unify(boxes.shape[1], scores.shape[2], "C3")
    limit = None if max_output_boxes_per_class is None else max_output_boxes_per_class.value
    if limit is not None:
        count = count.at_most(max(int(limit.item()), 0))
    most = batch * scores.shape[1] * (count if limit is not None else Dim.of(0))
    return Shape.of(Dim(0, most.high) if max_output_boxes_per_class is None or limit is not None else ANY, 3)


@kernel("onnx:NonMaxSuppression-10")
def suppression(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    *,
    center_point_box: bool,
) -> Array:
    limit = 0 if max_output_boxes_per_class is None else int(as_i64(max_output_boxes_per_class).item())
    most = 0.0 if iou_threshold is None else float(iou_threshold.item())
    require(0 <= most <= 1, "C4", most)
    lowest_score = -np.inf if score_threshold is None else float(score_threshold.item())
    rows: list[tuple[int, int, int]] = []
    for batch, item in enumerate(_corners(boxes, center_point_box)):
        for category, row in enumerate(scores[batch]):
            kept: list[int] = []
            for box in np.argsort(-row, kind="stable"):
                if len(kept) >= limit or not row[box] > lowest_score:
                    break
                if not (_overlaps(item[box], item[kept]) > most).any():
                    kept.append(int(box))
            rows.extend((batch, category, box) for box in kept)
    return np.array(rows, np.int64).reshape(-1, 3)


def _corners(boxes: Array, center_point_box: bool) -> Array:
    """Boxes as two corners with ascending coordinates."""
    if center_point_box:
        half = boxes[..., 2:] / 2
        return np.concatenate((boxes[..., :2] - half, boxes[..., :2] + half), -1)
    low, high = (reduced(boxes[..., :2], boxes[..., 2:]) for reduced in (np.minimum, np.maximum))
    return np.concatenate((low, high), -1)


def _overlaps(box: Array, others: Array) -> Array:
    """The intersection over the union of a box with each of others; 0 where a box has no area."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    common = np.prod(np.maximum(sides, 0), 1)
    areas = np.prod(others[:, 2:] - others[:, :2], 1)
    area = np.prod(box[2:] - box[:2])
    union = area + areas - common
    valid = (areas > 0) & (area > 0) & (union > 0)
    return np.where(valid, common / np.where(valid, union, 1), 0)
