"""MatrixNms: scores decay by the overlap with higher-scoring boxes, computed for all boxes at once."""

import numpy as np

from irops.ops.reals import blocks
from irops.ops.sort.detections import concatenated, of_class, outputs, sorted_across, top
from irops.ops.suppression import BLOCK_BOXES, side_in_common
from irops.spec.binding import kernel
from irops.values.element import Array, ElementType


@kernel("MatrixNms-8", widen=True)
def matrix_nms(
    boxes: Array,
    scores: Array,
    *,
    sort_result_type: str,
    sort_result_across_batch: bool,
    output_type: ElementType,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    background_class: int,
    normalized: bool,
    decay_function: str,
    gaussian_sigma: float,
    post_threshold: float,
) -> tuple[Array, ...]:
    parts = []
    for item in range(len(boxes)):
        per_class = []
        for class_id in range(scores.shape[1]):
            if class_id != background_class:
                chosen = candidates(scores[item, class_id], score_threshold, nms_top_k)
                sigma = gaussian_sigma if decay_function == "gaussian" else None
                decayed = scores[item, class_id, chosen] * decay(boxes[item, chosen], normalized, sigma)
                kept = decayed > np.float32(post_threshold)
                per_class.append(of_class(item, class_id, chosen[kept], decayed[kept]))
        parts.append(top(concatenated(per_class), keep_top_k))
    selected = concatenated(parts)
    if sort_result_across_batch:
        selected = sorted_across(selected, sort_result_type)
    indices = selected.item * boxes.shape[1] + selected.box
    return outputs(selected, boxes[selected.item, selected.box], indices, len(boxes), output_type)


def candidates(scores: Array, score_threshold: float, nms_top_k: int) -> Array:
    """The boxes with a score greater than the threshold by descending score, at most nms_top_k; -1: all."""
    above = np.flatnonzero(scores > np.float32(score_threshold))
    order = above[np.argsort(-scores[above], kind="stable")]
    return order[:nms_top_k] if nms_top_k >= 0 else order


def decay(boxes: Array, normalized: bool, sigma: float | None) -> Array:
    """The decay factors of boxes sorted by descending score. sigma: of gaussian decay; None: linear."""
    max_iou = np.zeros(len(boxes), np.float32)
    factors = np.ones(len(boxes), np.float32)
    for block in blocks(len(boxes), 1, BLOCK_BOXES):
        iou = overlap(boxes[block], boxes[: block.stop], normalized)
        better = np.arange(iou.shape[1]) < np.arange(block.start, block.start + len(iou))[:, np.newaxis]
        max_iou[block] = np.fmax.reduce(iou, axis=1, initial=0, where=better)
        compensation = max_iou[: block.stop]
        if sigma is None:
            decays = (1 - iou) / (1 - compensation.astype(np.float64) + 1e-10)
        else:
            decays = np.exp((compensation * compensation - iou * iou) * np.float32(sigma))
        factors[block] = np.fmin.reduce(decays, axis=1, initial=1, where=better)
    return factors


def overlap(a: Array, b: Array, normalized: bool) -> Array:
    """The intersection over union of each pair of boxes; 0 if they are apart, NaN if the union is 0."""
    edge = np.float32(0 if normalized else 1)
    common = (side_in_common(a, b, 0) + edge) * (side_in_common(a, b, 1) + edge)
    iou: Array = common / (np.add.outer(area(a, edge), area(b, edge)) - common)
    for axis in (0, 1):
        iou[np.less.outer(a[:, axis + 2], b[:, axis]) | np.greater.outer(a[:, axis], b[:, axis + 2])] = 0
    return iou


def area(boxes: Array, edge: np.float32) -> Array:
    """The areas of boxes, 0 if the corners are swapped. edge: what is added to width and height."""
    sides = boxes[..., 2:] - boxes[..., :2]
    areas: Array = np.where((sides < 0).any(axis=-1), np.float32(0), (sides + edge).prod(axis=-1))
    return areas
