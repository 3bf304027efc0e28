"""The selection of boxes by non-maximum suppression, class by class, for NonMaxSuppression and NMSRotated."""

from math import inf

import numpy as np

from irops.ops.suppression import Overlap, above, kept_boxes
from irops.values.element import Array

TABLE_BOXES = 1 << 10
"""Up to this many boxes, of which many are selected, soft suppression computes all overlaps at once."""


def select(
    boxes: Array,
    scores: Array,
    limit: float,
    score_threshold: float,
    iou_threshold: float,
    sigma: float,
    descending: bool,
    overlap: Overlap,
) -> tuple[Array, Array]:
    """The rows (batch item, class, box) and (batch item, class, score) of the selected boxes.

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
    if descending:
        order = np.lexsort((*table.T[::-1], -of_rows))
        table, of_rows = table[order], of_rows[order]
    return table, np.column_stack([table[:, :2].astype(np.float32), of_rows])


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
