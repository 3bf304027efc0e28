"""NonMaxSuppression: of boxes that overlap, keep those with the highest scores."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, Dim, minimum, unify
from irops.values.element import F32, I64, Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Shares = Callable[[Array, Array], Array]
"""How much a box and each of some boxes have in common, as a share of what both cover."""


@shape("NonMaxSuppression-5", "NonMaxSuppression-9")
def non_max_suppression_shape(
    boxes: Fact,
    scores: Fact,
    max_output_boxes_per_class: Fact | None,
    iou_threshold: Fact | None,
    score_threshold: Fact | None,
    soft_nms_sigma: Fact | None,
    *,
    output_type: ElementType,
) -> tuple[Fact, ...]:
    for single in (max_output_boxes_per_class, iou_threshold, score_threshold, soft_nms_sigma):
        require(single is None or single.shape.size.can_be(1), "C4", single)
    return outputs_of(counts(boxes, scores), boxes_per_class(max_output_boxes_per_class, "C5"), output_type)


def outputs_of(counted: tuple[Dim, Dim, Dim], most: Dim, output_type: ElementType) -> tuple[Fact, ...]:
    """Indices, scores and the number of selected boxes: at most so many for each class of each item."""
    batches, classes, count = counted
    per_class = count.high if most.low < 0 else min(count.high, most.high)
    found = Dim(0, (batches * classes * Dim(0, per_class)).high if per_class else 0)
    return (
        Fact(output_type, Shape.of(found, 3)),
        Fact(F32, Shape.of(found, 3)),
        Fact(output_type, Shape.of(1)),
    )


@shape("NonMaxSuppression-1", "NonMaxSuppression-3")
def over_all_items_shape(
    boxes: Fact,
    scores: Fact,
    max_output_boxes_per_class: Fact | None,
    iou_threshold: Fact | None,  # noqa: ARG001
    score_threshold: Fact | None,  # noqa: ARG001
) -> Shape:
    most, (_, classes, count) = boxes_per_class(max_output_boxes_per_class, "C4"), counts(boxes, scores)
    return Shape.of(rows_over_all_items(classes, count, most), 3)


@shape("NonMaxSuppression-4")
def in_each_item_shape(
    boxes: Fact,
    scores: Fact,
    max_output_boxes_per_class: Fact | None,
    iou_threshold: Fact | None,  # noqa: ARG001
    score_threshold: Fact | None,  # noqa: ARG001
) -> Shape:
    most, (batches, classes, count) = boxes_per_class(max_output_boxes_per_class, "C4"), counts(boxes, scores)
    return Shape.of(rows_in_each_item(batches, classes, count, most), 3)


def counts(boxes: Fact, scores: Fact, numbers: int = 4) -> tuple[Dim, Dim, Dim]:
    """How many batch items, classes and boxes there are; numbers: how many a box has."""
    batches = unify(boxes.shape[0], scores.shape[0], "C1")
    count = unify(boxes.shape[1], scores.shape[2], "C2")
    unify(boxes.shape[2], numbers, "C3")
    return batches, scores.shape[1], count


def boxes_per_class(given: Fact | None, constraint: str) -> Dim:
    """How many boxes are to be selected for each class, at most; a negative number is no limit."""
    most = Dim.of(0) if given is None else (given.dims or (UNKNOWN,))[0]
    warn_unless(most >= 0, constraint, most)
    return most


def rows_over_all_items(classes: Dim, count: Dim, most: Dim) -> Dim:
    """How long the output was at first: as if all batch items had as many boxes as one."""
    return count if most.high < 0 else minimum(count, (most if most.low >= 0 else ANY) * classes)


def rows_in_each_item(batches: Dim, classes: Dim, count: Dim, most: Dim) -> Dim:
    """How many boxes may be selected at most, for every class of every batch item."""
    each = count if most.high < 0 else minimum(count, most if most.low >= 0 else ANY)
    return batches * classes * each


@kernel("NonMaxSuppression-5", "NonMaxSuppression-9")
def non_max_suppression(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    soft_nms_sigma: Array | None,
    *,
    box_encoding: str,
    sort_result_descending: bool,
    output_type: ElementType,
) -> tuple[Array, ...]:
    corners = as_corners(boxes.astype(np.float32), box_encoding)
    places, found = selected(
        corners,
        scores,
        limit(max_output_boxes_per_class),
        number(score_threshold),
        number(iou_threshold),
        number(soft_nms_sigma),
        sort_result_descending,
    )
    return places.astype(output_type.dtype), found, np.array([len(places)], output_type.dtype)


@kernel("NonMaxSuppression-1")
def as_it_was(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    *,
    box_encoding: str,
    sort_result_descending: bool,
) -> Array:
    return over_all_items(
        boxes,
        scores,
        max_output_boxes_per_class,
        iou_threshold,
        score_threshold,
        box_encoding=box_encoding,
        sort_result_descending=sort_result_descending,
        output_type=I64,
    )


@kernel("NonMaxSuppression-3")
def over_all_items(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    *,
    box_encoding: str,
    sort_result_descending: bool,
    output_type: ElementType,
) -> Array:
    places = non_max_suppression(
        boxes,
        scores,
        max_output_boxes_per_class,
        iou_threshold,
        score_threshold,
        None,
        box_encoding=box_encoding,
        sort_result_descending=sort_result_descending,
        output_type=output_type,
    )[0]
    most = _dim(limit(max_output_boxes_per_class))
    return filled(places, int(rows_over_all_items(Dim.of(scores.shape[1]), Dim.of(scores.shape[2]), most)))


@kernel("NonMaxSuppression-4")
def in_each_item(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    *,
    box_encoding: str,
    sort_result_descending: bool,
    output_type: ElementType,
) -> Array:
    places = non_max_suppression(
        boxes,
        scores,
        max_output_boxes_per_class,
        iou_threshold,
        score_threshold,
        None,
        box_encoding=box_encoding,
        sort_result_descending=sort_result_descending,
        output_type=output_type,
    )[0]
    most = _dim(limit(max_output_boxes_per_class))
    batches, classes, count = map(Dim.of, scores.shape)
    return filled(places, int(rows_in_each_item(batches, classes, count, most)))


def limit(given: Array | None) -> float:
    """How many boxes to select, of a tensor of one element: 0 where it is not given, no limit where it is
    negative.
    """
    most = 0 if given is None else int(as_i64(given).item())
    return inf if most < 0 else most


def _dim(most: float) -> Dim:
    return Dim.of(-1 if most == inf else int(most))


def number(given: Array | None) -> float:
    """A tensor of one element, or 0."""
    return 0.0 if given is None else float(given.item())


def filled(places: Array, rows: int) -> Array:
    """Places cut to so many rows, or filled up with -1."""
    output = np.full((rows, 3), -1, places.dtype)
    output[: len(places)] = places[:rows]
    return output


def selected(
    corners: Array,
    scores: Array,
    most: float,
    least: float,
    overlap: float,
    sigma: float,
    descending: bool,
    shares: Shares | None = None,
) -> tuple[Array, Array]:
    """Batch item, class and box of each selected box; and batch item, class and score. shares: what overlap
    is, if not of corners.
    """
    rows: list[tuple[float, int, int, int]] = []
    for batch, which in np.ndindex(*scores.shape[:2]):
        chosen = suppressed(
            corners[batch], scores[batch, which].astype(np.float32), most, least, overlap, sigma, shares
        )
        rows += [(score, batch, which, box) for box, score in chosen]
    if descending:
        rows.sort(key=lambda row: (-row[0], *row[1:]))
    table = np.array(rows, np.float64).reshape(len(rows), 4)
    places = np.array([row[1:] for row in rows], np.int64).reshape(len(rows), 3)
    return places, table[:, [1, 2, 0]].astype(np.float32)


def as_corners(boxes: Array, box_encoding: str) -> Array:
    """Boxes as their lower and their upper corner, each of two numbers."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if box_encoding == "center":  # x before y, but only differences count
        return np.concatenate([first - second / 2, first + second / 2], axis=-1)
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def suppressed(
    corners: Array,
    scores: Array,
    most: float,
    least: float,
    overlap: float,
    sigma: float,
    overlaps: Shares | None = None,
) -> list[tuple[int, float]]:
    """The boxes of one class that stay, the best first, with their scores."""
    overlaps = overlaps or intersection_over_union
    left = np.where(scores > np.float32(least), scores, np.float32(-inf))
    chosen: list[tuple[int, float]] = []
    while len(chosen) < most and left.size and left.max() > -inf:
        best = int(left.argmax())
        chosen.append((best, float(left[best])))
        shares = overlaps(corners[best], corners)
        if sigma > 0:
            left = left * np.exp(np.float32(-0.5 / sigma) * shares * shares)
            left[~(left > np.float32(least))] = -inf
        else:
            left[shares > np.float32(overlap)] = -inf
        left[best] = -inf
    return chosen


def intersection_over_union(box: Array, boxes: Array) -> Array:
    """The area that a box and each of some boxes have in common, as a share of what both cover; 0 for boxes
    without area.
    """
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    common = np.maximum(sides, 0).prod(axis=-1)
    area, areas = (box[2:] - box[:2]).prod(), (boxes[:, 2:] - boxes[:, :2]).prod(axis=-1)
    real = (areas > 0) & (area > 0)
    shares: Array = np.where(real, common / np.where(real, area + areas - common, 1), 0)
    return shares
