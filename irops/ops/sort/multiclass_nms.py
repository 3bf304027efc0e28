"""MulticlassNms: of boxes that overlap, keep the best of each class, and the best of these in each batch
item.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from irops.ops.sort.detections import Detections, across, best, joined, of_class, outputs, outputs_shape
from irops.ops.sort.non_max_suppression import counts
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.violation import require, warn_unless


@shape("MulticlassNms-8")
def shared_boxes_shape(
    boxes: Fact, scores: Fact, *, nms_top_k: int, keep_top_k: int, output_type: ElementType
) -> tuple[Fact, ...]:
    items, kinds, each = counts(boxes, scores)
    return outputs_shape(boxes, each, kinds, items, (nms_top_k, keep_top_k), output_type)


@shape("MulticlassNms-9")
def multiclass_nms_shape(
    boxes: Fact,
    scores: Fact,
    roisnum: Fact | None,
    *,
    nms_top_k: int,
    keep_top_k: int,
    output_type: ElementType,
) -> tuple[Fact, ...]:
    if roisnum is None:
        scores.shape.of_rank(3, "C4")
        return shared_boxes_shape(
            boxes, scores, nms_top_k=nms_top_k, keep_top_k=keep_top_k, output_type=output_type
        )
    sizes = scores.shape.of_rank(2, "C4")
    kinds = unify(boxes.shape[0], sizes[0], "C1")
    each = unify(boxes.shape[1], sizes[1], "C2")
    unify(boxes.shape[2], 4, "C3")
    if roisnum.value is not None and each.known:
        check_numbers(roisnum.value, int(each))
    return outputs_shape(boxes, each, kinds, roisnum.shape[0], (nms_top_k, keep_top_k), output_type)


class Choice(NamedTuple):
    """What the attributes say of which boxes to select."""

    sort_result_type: str
    sort_result_across_batch: bool
    iou_threshold: float
    score_threshold: float
    nms_top_k: int
    keep_top_k: int
    background_class: int
    normalized: bool
    nms_eta: float


@kernel("MulticlassNms-8", widen=True)
def shared_boxes(
    boxes: Array,
    scores: Array,
    *,
    sort_result_type: str,
    sort_result_across_batch: bool,
    output_type: ElementType,
    iou_threshold: float,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    background_class: int,
    normalized: bool,
    nms_eta: float,
) -> tuple[Array, ...]:
    choice = Choice(
        sort_result_type,
        sort_result_across_batch,
        iou_threshold,
        score_threshold,
        nms_top_k,
        keep_top_k,
        background_class,
        normalized,
        nms_eta,
    )
    return of_shared_boxes(boxes, scores, choice, output_type)


@kernel("MulticlassNms-9", widen=True)
def multiclass_nms(
    boxes: Array,
    scores: Array,
    roisnum: Array | None,
    *,
    sort_result_type: str,
    sort_result_across_batch: bool,
    output_type: ElementType,
    iou_threshold: float,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    background_class: int,
    normalized: bool,
    nms_eta: float,
) -> tuple[Array, ...]:
    choice = Choice(
        sort_result_type,
        sort_result_across_batch,
        iou_threshold,
        score_threshold,
        nms_top_k,
        keep_top_k,
        background_class,
        normalized,
        nms_eta,
    )
    if roisnum is None:
        return of_shared_boxes(boxes, scores, choice, output_type)
    numbers = check_numbers(roisnum, boxes.shape[1])
    ends = np.cumsum(numbers)
    starts = ends - numbers
    found = found_in(
        ((start, boxes[:, start:end], scores[:, start:end]) for start, end in zip(starts, ends)), choice
    )
    return outputs(
        found, boxes[found.kind, found.box], found.box * len(boxes) + found.kind, len(roisnum), output_type
    )


def of_shared_boxes(
    boxes: Array, scores: Array, choice: Choice, output_type: ElementType
) -> tuple[Array, ...]:
    """The outputs where all classes of a batch item have the same boxes."""
    found = found_in(((0, own[np.newaxis], points) for own, points in zip(boxes, scores)), choice)
    return outputs(
        found, boxes[found.item, found.box], found.item * boxes.shape[1] + found.box, len(boxes), output_type
    )


def found_in(items: Iterable[tuple[int, Array, Array]], choice: Choice) -> Detections:
    """What is selected. items: the number of the first box, the boxes [1, or classes, boxes, 4], and the
    scores [classes, boxes].
    """
    parts = []
    for item, (start, boxes, scores) in enumerate(items):
        found = []
        for kind, points in enumerate(scores):
            if kind != choice.background_class:
                chosen = kept(boxes[kind if len(boxes) > 1 else 0], points, choice)
                found.append(of_class(item, kind, chosen + start, points[chosen]))
        part = best(joined(found), choice.keep_top_k)
        parts.append(
            part.by_class()
            if choice.sort_result_type == "classid" and not choice.sort_result_across_batch
            else part
        )
    every = joined(parts)
    return across(every, choice.sort_result_type) if choice.sort_result_across_batch else every


def check_numbers(roisnum: Array, count: int) -> Array:
    """How many boxes belong to each batch item, none where the number is negative."""
    numbers = as_i64(roisnum)
    warn_unless((numbers >= 0).all(), "C5", numbers.min(initial=0))
    numbers = np.maximum(numbers, 0)
    total = sum(numbers.tolist())
    require(total <= count, "C6", total, f"{count} boxes")
    return numbers


def kept(boxes: Array, scores: Array, choice: Choice) -> Array:
    """The boxes of one class that stay, the best first."""
    overlap, eta = np.float32(choice.iou_threshold), np.float32(choice.nms_eta)
    order = np.flatnonzero(scores >= np.float32(choice.score_threshold))
    order = order[np.argsort(-scores[order], kind="stable")]
    chosen: list[int] = []
    for box in order[: choice.nms_top_k] if choice.nms_top_k >= 0 else order:
        if not (shares(boxes[box], boxes[chosen], choice.normalized) >= overlap).any():
            chosen.append(int(box))
            if eta < 1 and overlap > 0.5:
                overlap *= eta
    return np.array(chosen, np.int64)


def shares(box: Array, boxes: Array, normalized: bool) -> Array:
    """The area that a box and each of some boxes have in common, as a share of what both cover; 0 for boxes
    without area.
    """
    edge = np.float32(0 if normalized else 1)
    area, areas = (box[2:] - box[:2] + edge).prod(), (boxes[:, 2:] - boxes[:, :2] + edge).prod(axis=-1)
    common = np.maximum(np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2]) + edge, 0).prod(
        axis=-1
    )
    real = (area > 0) & (areas > 0)
    found: Array = np.where(real, common / np.where(real, area + areas - common, 1), 0)
    return found
