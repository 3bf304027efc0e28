"""NonMaxSuppression: of boxes that overlap, keep those with the highest scores."""
from __future__ import annotations

from math import inf

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import UNKNOWN, Dim, unify
from irops.values.element import F32, Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import advise, require


@shape("NonMaxSuppression-9")
def non_max_suppression_shape(boxes: Fact, scores: Fact, max_output_boxes_per_class: Fact | None, iou_threshold: Fact | None,
                              score_threshold: Fact | None, soft_nms_sigma: Fact | None, *,
                              output_type: ElementType) -> tuple[Fact, ...]:
    batches = unify(boxes.shape[0], scores.shape[0], "C1")
    count = unify(boxes.shape[1], scores.shape[2], "C2")
    unify(boxes.shape[2], 4, "C3")
    for single in (max_output_boxes_per_class, iou_threshold, score_threshold, soft_nms_sigma):
        require(single is None or single.shape.size.can_be(1), "C4", single)
    most = Dim.of(0) if max_output_boxes_per_class is None else (max_output_boxes_per_class.dims or (UNKNOWN,))[0]
    advise(most >= 0, "C5", most)
    per_class = count.high if most.low < 0 else min(count.high, most.high)
    found = Dim(0, (batches * scores.shape[1] * Dim(0, per_class)).high if per_class else 0)
    return (Fact(output_type, Shape.of(found, 3)), Fact(F32, Shape.of(found, 3)), Fact(output_type, Shape.of(1)))


@kernel("NonMaxSuppression-9", widen=True)
def non_max_suppression(boxes: Array, scores: Array, max_output_boxes_per_class: Array | None, iou_threshold: Array | None,
                        score_threshold: Array | None, soft_nms_sigma: Array | None, *, box_encoding: str,
                        sort_result_descending: bool, output_type: ElementType) -> tuple[Array, ...]:
    most = 0 if max_output_boxes_per_class is None else int(as_i64(max_output_boxes_per_class).item())
    least, overlap, sigma = (0.0 if t is None else float(t.item()) for t in (score_threshold, iou_threshold, soft_nms_sigma))
    corners = as_corners(boxes.astype(np.float32), box_encoding)
    rows: list[tuple[float, int, int, int]] = []
    for batch, number in np.ndindex(*scores.shape[:2]):
        chosen = suppressed(corners[batch], scores[batch, number].astype(np.float32), inf if most < 0 else most, least, overlap, sigma)
        rows += [(score, batch, number, box) for box, score in chosen]
    if sort_result_descending:
        rows.sort(key=lambda row: (-row[0], *row[1:]))
    table = np.array(rows, np.float64).reshape(len(rows), 4)
    places = np.array([row[1:] for row in rows], np.int64).reshape(len(rows), 3)
    found = table[:, [1, 2, 0]].astype(np.float32)
    return places.astype(output_type.dtype), found, np.array([len(rows)], output_type.dtype)


def as_corners(boxes: Array, box_encoding: str) -> Array:
    """Boxes as their lower and their upper corner, each of two numbers."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if box_encoding == "center":                        # x before y, but only differences count
        return np.concatenate([first - second / 2, first + second / 2], axis=-1)
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def suppressed(corners: Array, scores: Array, most: float, least: float, overlap: float, sigma: float) -> list[tuple[int, float]]:
    """The boxes of one class that stay, the best first, with their scores."""
    left = np.where(scores > np.float32(least), scores, np.float32(-inf))
    chosen: list[tuple[int, float]] = []
    while len(chosen) < most and left.size and left.max() > -inf:
        best = int(left.argmax())
        chosen.append((best, float(left[best])))
        shares = intersection_over_union(corners[best], corners)
        if sigma > 0:
            left = left * np.exp(np.float32(-0.5 / sigma) * shares * shares)
            left[~(left > np.float32(least))] = -inf
        else:
            left[shares > np.float32(overlap)] = -inf
        left[best] = -inf
    return chosen


def intersection_over_union(box: Array, boxes: Array) -> Array:
    """The area that a box and each of some boxes have in common, as a share of what both cover; 0 for boxes without area."""
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    common = np.maximum(sides, 0).prod(axis=-1)
    area, areas = (box[2:] - box[:2]).prod(), (boxes[:, 2:] - boxes[:, :2]).prod(axis=-1)
    real = (areas > 0) & (area > 0)
    shares: Array = np.where(real, common / np.where(real, area + areas - common, 1), 0)
    return shares
