"""MulticlassNms and MatrixNms: suppression of boxes class by class, then the highest scores of each item."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from irops.ops.reals import blocks
from irops.ops.sort.non_max_suppression import counts
from irops.ops.suppression import BLOCK_BOXES, intersection_over_union, kept_boxes, side_in_common
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


class Detections(NamedTuple):
    """Detections as columns of equal length: batch item, class, score, and box index."""

    item: Array
    class_id: Array
    score: Array
    box: Array

    def at(self, rows: Array) -> "Detections":
        return Detections(*(column[rows] for column in self))

    def by_score(self) -> "Detections":
        """Sort by descending score; equal scores by batch item, class and box."""
        return self.at(np.lexsort((self.box, self.class_id, self.item, -self.score)))

    def by_class(self) -> "Detections":
        """Sort by class, then batch item, then descending score."""
        return self.at(np.lexsort((self.box, -self.score, self.item, self.class_id)))


def concatenated(parts: Sequence[Detections]) -> Detections:
    """Concatenate detections."""
    empty = Detections(
        np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.int64)
    )
    return Detections(*(np.concatenate(columns) for columns in zip(empty, *parts)))


def of_class(
    item: int, class_id: int, chosen: Sequence[int] | Array, scores: Sequence[float] | Array
) -> Detections:
    """Detections of one class of one batch item."""
    boxes = np.asarray(chosen, np.int64)
    return Detections(
        np.full(len(boxes), item), np.full(len(boxes), class_id), np.asarray(scores, np.float32), boxes
    )


def top(detections: Detections, keep_top_k: int) -> Detections:
    """The detections of one batch item by descending score, at most keep_top_k of them; -1: all."""
    return Detections(
        *(column[:keep_top_k] if keep_top_k >= 0 else column for column in detections.by_score())
    )


def sorted_across(detections: Detections, sort_result_type: str) -> Detections:
    """The detections of all batch items, sorted across them by sort_result_type."""
    match sort_result_type:
        case "classid":
            return detections.by_class()
        case "score":
            return detections.by_score()
        case _:
            return detections


def outputs(
    detections: Detections, corners: Array, indices: Array, items: int, output_type: ElementType
) -> tuple[Array, ...]:
    """The outputs of the op: rows of class, score and corners; box indices; the count of each batch item."""
    rows = np.concatenate(
        [detections.class_id[:, np.newaxis], detections.score[:, np.newaxis], corners], axis=1
    ).astype(np.float32)
    dtype = output_type.dtype
    counts = np.bincount(detections.item, minlength=items)
    return rows, indices[:, np.newaxis].astype(dtype), counts.astype(dtype)


def outputs_shape(
    boxes: Fact, each: Dim, classes: Dim, items: Dim, top_k: tuple[int, int], output_type: ElementType
) -> tuple[Fact, ...]:
    """The facts of the outputs, for `each` boxes per class and batch item.

    top_k: the maximum number of boxes of a class of a batch item, and of a batch item; -1: no limit.
    """
    of_class, of_item = top_k
    per_item = (each if of_class < 0 else each.at_most(of_class)) * classes
    count = Dim(0, ((per_item if of_item < 0 else per_item.at_most(of_item)) * items).high)
    rows, indices = Shape.of(count, 6), Shape.of(count, 1)
    return Fact(boxes.element_type, rows), Fact(output_type, indices), Fact(output_type, Shape.of(items))


@shape("MatrixNms-8", "MulticlassNms-8")
def shared_boxes_shape(
    boxes: Fact, scores: Fact, *, nms_top_k: int, keep_top_k: int, output_type: ElementType
) -> tuple[Fact, ...]:
    items, classes, each = counts(boxes, scores)
    return outputs_shape(boxes, each, classes, items, (nms_top_k, keep_top_k), output_type)


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
        return shared_boxes_shape(
            boxes, scores, nms_top_k=nms_top_k, keep_top_k=keep_top_k, output_type=output_type
        )
    sizes = scores.shape.of_rank(2, "C4")
    classes = unify(boxes.shape[0], sizes[0], "C1")
    each = unify(boxes.shape[1], sizes[1], "C2")
    unify(boxes.shape[2], 4, "C3")
    if roisnum.value is not None and each.known:
        check_numbers(roisnum.value, int(each))
    return outputs_shape(boxes, each, classes, roisnum.shape[0], (nms_top_k, keep_top_k), output_type)


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
    return outputs(selected, boxes[selected.class_id, selected.box], indices, len(roisnum), output_type)


def of_shared_boxes(
    boxes: Array, scores: Array, choice: NmsChoice, output_type: ElementType
) -> tuple[Array, ...]:
    """The outputs if all classes of a batch item share the same boxes."""
    items = ((0, item_boxes[np.newaxis], item_scores) for item_boxes, item_scores in zip(boxes, scores))
    selected = select(items, choice)
    indices = selected.item * boxes.shape[1] + selected.box
    return outputs(selected, boxes[selected.item, selected.box], indices, len(boxes), output_type)


def select(items: Iterable[tuple[int, Array, Array]], choice: NmsChoice) -> Detections:
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
                per_class.append(of_class(item, class_id, chosen + start, class_scores[chosen]))
        part = top(concatenated(per_class), choice.keep_top_k)
        by_class = choice.sort_result_type == "classid" and not choice.sort_result_across_batch
        parts.append(part.by_class() if by_class else part)
    selected = concatenated(parts)
    if not choice.sort_result_across_batch:
        return selected
    return sorted_across(selected, choice.sort_result_type)


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


# MatrixNms: scores decay by the overlap with higher-scoring boxes, computed for all boxes at once.


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
