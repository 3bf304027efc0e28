"""MulticlassNms: non-maximum suppression for each class, then the highest scores of each batch item."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from irops.ops.sort import detections
from irops.ops.suppression import intersection_over_union, kept_boxes
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.violation import require, warn_unless

MIN_ADAPTIVE_THRESHOLD = 0.5
"""nms_eta lowers only thresholds greater than this."""


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
        return detections.shared_boxes_shape(
            boxes, scores, nms_top_k=nms_top_k, keep_top_k=keep_top_k, output_type=output_type
        )
    sizes = scores.shape.of_rank(2, "C4")
    classes = unify(boxes.shape[0], sizes[0], "C1")
    each = unify(boxes.shape[1], sizes[1], "C2")
    unify(boxes.shape[2], 4, "C3")
    if roisnum.value is not None and each.known:
        check_numbers(roisnum.value, int(each))
    return detections.outputs_shape(
        boxes, each, classes, roisnum.shape[0], (nms_top_k, keep_top_k), output_type
    )


class NmsChoice(NamedTuple):
    """The attributes that control which boxes are selected."""

    sort_result_type: str
    sort_result_across_batch: bool
    iou_threshold: float
    score_threshold: float
    nms_top_k: int
    keep_top_k: int
    background_class: int
    normalized: bool
    nms_eta: float

    @property
    def edge(self) -> float:
        """The number that is added to high - low to give a side."""
        return 0.0 if self.normalized else 1.0


@kernel("MulticlassNms-8", widen=True)
def shared_boxes(
    boxes: Array, scores: Array, *, output_type: ElementType, **choice: Any
) -> tuple[Array, ...]:
    return of_shared_boxes(boxes, scores, NmsChoice(**choice), output_type)


@kernel("MulticlassNms-9", widen=True)
def multiclass_nms(
    boxes: Array, scores: Array, roisnum: Array | None, *, output_type: ElementType, **choice: Any
) -> tuple[Array, ...]:
    chosen = NmsChoice(**choice)
    if roisnum is None:
        return of_shared_boxes(boxes, scores, chosen, output_type)
    numbers = check_numbers(roisnum, boxes.shape[1])
    ends = np.cumsum(numbers)
    starts = ends - numbers
    items = ((start, boxes[:, start:end], scores[:, start:end]) for start, end in zip(starts, ends))
    selected = select(items, chosen)
    indices = selected.box * len(boxes) + selected.class_id
    return detections.outputs(
        selected, boxes[selected.class_id, selected.box], indices, len(roisnum), output_type
    )


def of_shared_boxes(
    boxes: Array, scores: Array, choice: NmsChoice, output_type: ElementType
) -> tuple[Array, ...]:
    """The outputs if all classes of a batch item share the same boxes."""
    items = ((0, item_boxes[np.newaxis], item_scores) for item_boxes, item_scores in zip(boxes, scores))
    selected = select(items, choice)
    indices = selected.item * boxes.shape[1] + selected.box
    return detections.outputs(selected, boxes[selected.item, selected.box], indices, len(boxes), output_type)


def select(items: Iterable[tuple[int, Array, Array]], choice: NmsChoice) -> detections.Detections:
    """Select boxes of all batch items.

    items: for each, the index of its first box, its boxes [1 or classes, boxes, 4] and its scores
        [classes, boxes].
    """
    parts = []
    for item, (start, boxes, scores) in enumerate(items):
        per_class = []
        for class_id, class_scores in enumerate(scores):
            if class_id != choice.background_class:
                class_boxes = boxes[class_id if len(boxes) > 1 else 0]
                chosen = suppress(class_boxes, class_scores, choice)
                per_class.append(detections.of_class(item, class_id, chosen + start, class_scores[chosen]))
        part = detections.top(detections.concatenated(per_class), choice.keep_top_k)
        by_class = choice.sort_result_type == "classid" and not choice.sort_result_across_batch
        parts.append(part.by_class() if by_class else part)
    selected = detections.concatenated(parts)
    if not choice.sort_result_across_batch:
        return selected
    return detections.sorted_across(selected, choice.sort_result_type)


def check_numbers(roisnum: Array, count: int) -> Array:
    """The number of boxes of each batch item; negative numbers become 0."""
    numbers = as_i64(roisnum)
    warn_unless((numbers >= 0).all(), "C5", numbers.min(initial=0))
    numbers = np.maximum(numbers, 0)
    total = sum(numbers.tolist())
    require(total <= count, "C6", total, f"{count} boxes")
    return numbers


def suppress(boxes: Array, scores: Array, choice: NmsChoice) -> Array:
    """The selected boxes of one class, by descending score."""
    order = np.flatnonzero(scores >= np.float32(choice.score_threshold))
    order = order[np.argsort(-scores[order], kind="stable")]
    if choice.nms_top_k >= 0:
        order = order[: choice.nms_top_k]
    if choice.nms_eta < 1 and choice.iou_threshold > MIN_ADAPTIVE_THRESHOLD:
        return order[_kept_adaptively(boxes[order], choice)]
    threshold = np.float32(choice.iou_threshold)

    def suppresses(a: Array, b: Array) -> Array:
        return np.asarray(intersection_over_union(a, b, choice.edge) >= threshold)

    return order[kept_boxes(boxes[order], suppresses, len(order))]


def _kept_adaptively(boxes: Array, choice: NmsChoice) -> list[int]:
    """The indices of the boxes to keep, where each kept box lowers the threshold."""
    threshold, eta = np.float32(choice.iou_threshold), np.float32(choice.nms_eta)
    chosen: list[int] = []
    for box in range(len(boxes)):
        if not (intersection_over_union(boxes[chosen], boxes[[box]], choice.edge) >= threshold).any():
            chosen.append(box)
            if threshold > MIN_ADAPTIVE_THRESHOLD:
                threshold *= eta
    return chosen
