"""NonMaxSuppression: keep the highest-scoring boxes and drop those that overlap a kept box."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from irops.ops.suppression import Overlap, above, intersection_over_union, kept_boxes
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, Dim, minimum, unify
from irops.values.element import F32, I64, Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Inputs = tuple[Array, Array, Array | None, Array | None, Array | None]
"""boxes, scores, max_output_boxes_per_class, iou_threshold and score_threshold."""


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


def outputs_of(counted: tuple[Dim, Dim, Dim], limit: Dim, output_type: ElementType) -> tuple[Fact, ...]:
    """The facts of selected_indices, selected_scores and valid_outputs. limit: boxes per class, at most."""
    batches, classes, count = counted
    per_class = count.high if limit.low < 0 else min(count.high, limit.high)
    selected = Dim(0, (batches * classes * Dim(0, per_class)).high if per_class else 0)
    rows = Shape.of(selected, 3)
    return Fact(output_type, rows), Fact(F32, rows), Fact(output_type, Shape.of(1))


@shape("NonMaxSuppression-1", "NonMaxSuppression-3")
def non_max_suppression_1_shape(
    boxes: Fact,
    scores: Fact,
    max_output_boxes_per_class: Fact | None,
    iou_threshold: Fact | None,  # noqa: ARG001
    score_threshold: Fact | None,  # noqa: ARG001
) -> Shape:
    limit = boxes_per_class(max_output_boxes_per_class, "C4")
    return Shape.of(fixed_rows(*counts(boxes, scores), limit), 3)


@shape("NonMaxSuppression-4")
def non_max_suppression_4_shape(
    boxes: Fact,
    scores: Fact,
    max_output_boxes_per_class: Fact | None,
    iou_threshold: Fact | None,  # noqa: ARG001
    score_threshold: Fact | None,  # noqa: ARG001
) -> Shape:
    limit = boxes_per_class(max_output_boxes_per_class, "C4")
    return Shape.of(rows_of_all_items(*counts(boxes, scores), limit), 3)


def counts(boxes: Fact, scores: Fact, box_numbers: int = 4) -> tuple[Dim, Dim, Dim]:
    """The batch size, and the numbers of classes and boxes. box_numbers: the numbers that describe a box."""
    batches = unify(boxes.shape[0], scores.shape[0], "C1")
    count = unify(boxes.shape[1], scores.shape[2], "C2")
    unify(boxes.shape[2], box_numbers, "C3")
    return batches, scores.shape[1], count


def boxes_per_class(max_output_boxes_per_class: Fact | None, constraint: str) -> Dim:
    """The maximum number of boxes to select for each class; a negative number means no limit."""
    limit = Dim.of(0)
    if max_output_boxes_per_class is not None:
        limit = (max_output_boxes_per_class.dims or (UNKNOWN,))[0]
    warn_unless(limit >= 0, constraint, limit)
    return limit


def fixed_rows(_: Dim, classes: Dim, count: Dim, limit: Dim) -> Dim:
    """The rows of the output of NonMaxSuppression-1 and -3, which do not depend on the batch size."""
    return count if limit.high < 0 else minimum(count, (limit if limit.low >= 0 else ANY) * classes)


def rows_of_all_items(batches: Dim, classes: Dim, count: Dim, limit: Dim) -> Dim:
    """The maximum number of boxes that can be selected, in all classes of all batch items."""
    each = count if limit.high < 0 else minimum(count, limit if limit.low >= 0 else ANY)
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
    **order: Any,
) -> tuple[Array, ...]:
    corners, limit = as_corners(boxes.astype(np.float32), box_encoding), box_limit(max_output_boxes_per_class)
    numbers = (iou_threshold, score_threshold, soft_nms_sigma)
    return select(intersection_over_union, corners, scores, limit, *map(scalar_or_zero, numbers), **order)


@kernel("NonMaxSuppression-1", "NonMaxSuppression-3")
def non_max_suppression_3(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    **attributes: Any,
) -> Array:
    inputs = (boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold)
    return with_rows(fixed_rows, inputs, attributes)


@kernel("NonMaxSuppression-4")
def non_max_suppression_4(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    **attributes: Any,
) -> Array:
    inputs = (boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold)
    return with_rows(rows_of_all_items, inputs, attributes)


def box_limit(max_output_boxes_per_class: Array | None) -> float:
    """The maximum number of boxes to select: 0 if not given, infinite if negative."""
    limit = 0 if max_output_boxes_per_class is None else int(as_i64(max_output_boxes_per_class).item())
    return inf if limit < 0 else limit


def scalar_or_zero(tensor: Array | None) -> float:
    """The element of a tensor of one element, or 0 if there is no tensor."""
    return 0.0 if tensor is None else float(tensor.item())


def with_rows(count: Callable[..., Dim], inputs: Inputs, attributes: dict[str, Any]) -> Array:
    """The indices of the selected boxes in a number of rows: cropped, or filled up with -1."""
    indices = non_max_suppression(*inputs, None, **attributes)[0]
    limit = box_limit(inputs[2])
    rows = int(count(*map(Dim.of, inputs[1].shape), Dim.of(-1 if limit == inf else int(limit))))
    output = np.full((rows, 3), -1, indices.dtype)
    output[: len(indices)] = indices[:rows]
    return output


def as_corners(boxes: Array, box_encoding: str) -> Array:
    """Convert boxes to their lower and upper corner, two numbers each."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if box_encoding == "center":  # x before y; the order has no effect on areas
        return np.concatenate([first - second / 2, first + second / 2], axis=-1)
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


# The selection of boxes by non-maximum suppression, class by class, for NonMaxSuppression and
# NMSRotated.


TABLE_BOXES = 1 << 10
"""Up to this many boxes, of which many are selected, soft suppression computes all overlaps at once."""


def select(
    overlap: Overlap,
    boxes: Array,
    scores: Array,
    limit: float,
    iou_threshold: float,
    score_threshold: float,
    sigma: float,
    *,
    sort_result_descending: bool,
    output_type: ElementType = I64,
) -> tuple[Array, Array, Array]:
    """The rows (batch item, class, box) and (batch item, class, score) of the selected boxes; their number.

    boxes: [batch, boxes, ...]; scores: [batch, classes, boxes]
    """
    threshold = np.float32(score_threshold)
    indices, selected_scores = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.float32)]
    for item, class_id in np.ndindex(*scores.shape[:2]):
        class_scores = scores[item, class_id].astype(np.float32, copy=False)
        candidates = np.flatnonzero((class_scores > threshold) & (class_scores > -inf))
        if sigma > 0:
            chosen, remaining = softly_suppressed(
                boxes[item, candidates], class_scores[candidates], limit, threshold, sigma, overlap
            )
        else:
            candidates = candidates[np.argsort(-class_scores[candidates], kind="stable")]
            chosen = kept_boxes(boxes[item, candidates], above(overlap, iou_threshold), limit)
            remaining = class_scores[candidates[chosen]]
        rows = np.empty((len(chosen), 3), np.int64)
        rows[:] = (item, class_id, 0)
        rows[:, 2] = candidates[chosen]
        indices.append(rows)
        selected_scores.append(remaining)
    table, of_rows = np.concatenate(indices), np.concatenate(selected_scores)
    if sort_result_descending:
        order = np.lexsort((*table.T[::-1], -of_rows))
        table, of_rows = table[order], of_rows[order]
    rows_of_scores = np.column_stack([table[:, :2].astype(np.float32), of_rows])
    return table.astype(output_type.dtype), rows_of_scores, np.array([len(table)], output_type.dtype)


def softly_suppressed(
    boxes: Array, scores: Array, limit: float, threshold: np.float32, sigma: float, overlap: Overlap
) -> tuple[Array, Array]:
    """The selected boxes of one class and their scores, in the order of selection.

    A selected box multiplies the scores of the others by exp(-0.5 / sigma * overlap²); those whose score is
    then at most the threshold are dropped.
    """
    chosen: list[int] = []
    chosen_scores: list[np.float32] = []
    remaining, scale = scores.copy(), np.float32(-0.5 / sigma)
    table = _decay(overlap(boxes, boxes), scale) if len(boxes) <= min(TABLE_BOXES, 8 * limit) else None
    while len(chosen) < limit and len(chosen) < len(boxes):
        best = int(remaining.argmax())
        if remaining[best] == -inf:
            break
        chosen.append(best)
        chosen_scores.append(remaining[best])
        remaining *= _decay(overlap(boxes[[best]], boxes)[0], scale) if table is None else table[best]
        remaining[~(remaining > threshold)] = -inf
        remaining[best] = -inf
    return np.array(chosen, np.intp), np.array(chosen_scores, np.float32)


def _decay(iou: Array, scale: np.float32) -> Array:
    decay: Array = np.exp(scale * iou * iou)
    return decay
