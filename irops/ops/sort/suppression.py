"""Non-maximum suppression: ops that keep the highest-scoring boxes and drop those that overlap a kept box."""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from irops.ops.reals import blocks
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, Dim, minimum, unify
from irops.values.element import F32, I64, Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Overlap = Callable[[Array, Array], Array]
"""A function of boxes [K, ...] and boxes [N, ...] that gives the overlap of each pair: [K, N]."""
Suppresses = Callable[[Array, Array], Array]
"""A function of boxes [K, ...] and boxes [N, ...] that gives, for each pair, whether the first suppresses the
second if it is kept: [K, N].
"""
BLOCK_BOXES = 256
"""Boxes that are compared with each other at once."""


def above(overlap: Overlap, threshold: float) -> Suppresses:
    """Suppression of boxes whose overlap is greater than the threshold."""
    highest = np.float32(threshold)
    return lambda a, b: np.asarray(overlap(a, b) > highest)


def kept_boxes(boxes: Array, suppresses: Suppresses, limit: float) -> Array:
    """The indices of the boxes to keep, at most `limit`, in their order, which is from the best to the worst.

    A box is kept unless a kept box before it suppresses it.
    """
    kept = np.zeros(0, np.intp)
    for start in range(0, len(boxes), BLOCK_BOXES):
        if len(kept) >= limit:
            break
        block = np.arange(start, min(start + BLOCK_BOXES, len(boxes)))
        for before in range(0, len(kept), BLOCK_BOXES):
            better = kept[before : before + BLOCK_BOXES]
            block = block[~suppresses(boxes[better], boxes[block]).any(axis=0)]
        later = np.triu(suppresses(boxes[block], boxes[block]), 1)
        kept = np.concatenate([kept, block[_not_suppressed(later)]])
    return kept[: int(min(limit, len(kept)))]


def _not_suppressed(suppresses: Array) -> Array:
    """Which boxes no kept box suppresses. suppresses: for each pair of boxes, whether the first suppresses
    the second if it is kept; False unless the first is before the second.
    """
    kept = np.ones(len(suppresses), np.bool_)
    for box in np.flatnonzero(suppresses.any(axis=1)):
        if kept[box]:
            kept &= ~suppresses[box]
    return kept


def side_in_common(a: Array, b: Array, axis: int) -> Array:
    """The length that two boxes have in common along an axis; negative if they are apart. Boxes have the
    coordinates of their lower corner, then those of their upper corner.
    """
    low = np.maximum.outer(a[:, axis], b[:, axis])
    length: Array = np.minimum.outer(a[:, axis + 2], b[:, axis + 2])
    length -= low
    return length


def touching_overlap(a: Array, b: Array, extra: float = 0.0) -> Array:
    """The intersection over union of each pair of boxes; 0 if they do not touch.

    extra: the number that is added to high - low to give a side.
    """
    longer = np.float32(extra)
    across, down = side_in_common(a, b, 0), side_in_common(a, b, 1)
    touching = (across >= 0) & (down >= 0)
    intersection = np.maximum(across + longer, 0) * np.maximum(down + longer, 0)
    areas_a, areas_b = ((boxes[:, 2:] - boxes[:, :2] + longer).prod(axis=1) for boxes in (a, b))
    union = np.add.outer(areas_a, areas_b) - intersection
    return np.where(touching, intersection / union, np.float32(0))


def intersection_over_union(a: Array, b: Array, edge: float = 0.0) -> Array:
    """The intersection over union of each pair of boxes, given by two corners; 0 if either area is 0.

    edge: what is added to high - low to give a side.
    """
    longer = np.float32(edge)
    areas_a, areas_b = ((boxes[:, 2:] - boxes[:, :2] + longer).prod(axis=-1) for boxes in (a, b))
    across, down = (side_in_common(a, b, axis) for axis in (0, 1))
    if edge:
        across, down = across + longer, down + longer
    common = np.maximum(across, 0) * np.maximum(down, 0)
    real = np.logical_and.outer(areas_a > 0, areas_b > 0)
    iou: Array = np.where(real, common / np.where(real, np.add.outer(areas_a, areas_b) - common, 1), 0)
    return iou


# NonMaxSuppression: keep the highest-scoring boxes and drop those that overlap a kept box.


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


def box_limit(max_output_boxes_per_class: Array | None) -> float:
    """The maximum number of boxes to select: 0 if not given, infinite if negative."""
    limit = 0 if max_output_boxes_per_class is None else int(as_i64(max_output_boxes_per_class).item())
    return inf if limit < 0 else limit


def scalar_or_zero(tensor: Array | None) -> float:
    """The element of a tensor of one element, or 0 if there is no tensor."""
    return 0.0 if tensor is None else float(tensor.item())


def give_rows(count: Callable[..., Dim], *ids: str) -> None:
    """Make the functions of versions that give the selected boxes in a number of rows: cropped, or filled up
    with -1. count: that number, by batch size, numbers of classes and boxes, and boxes per class
    """

    @shape(*ids)
    def rows_shape(
        boxes: Fact,
        scores: Fact,
        max_output_boxes_per_class: Fact | None,
        iou_threshold: Fact | None,  # noqa: ARG001
        score_threshold: Fact | None,  # noqa: ARG001
    ) -> Shape:
        limit = boxes_per_class(max_output_boxes_per_class, "C4")
        return Shape.of(count(*counts(boxes, scores), limit), 3)

    @kernel(*ids)
    def rows_of_boxes(
        boxes: Array,
        scores: Array,
        max_output_boxes_per_class: Array | None,
        iou_threshold: Array | None,
        score_threshold: Array | None,
        **attributes: Any,
    ) -> Array:
        indices = non_max_suppression(
            boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold, None, **attributes
        )[0]
        limit = box_limit(max_output_boxes_per_class)
        rows = int(count(*map(Dim.of, scores.shape), Dim.of(-1 if limit == inf else int(limit))))
        output = np.full((rows, 3), -1, indices.dtype)
        output[: len(indices)] = indices[:rows]
        return output


def fixed_rows(_: Dim, classes: Dim, count: Dim, limit: Dim) -> Dim:
    """The rows of the output of NonMaxSuppression-1 and -3, which do not depend on the batch size."""
    return count if limit.high < 0 else minimum(count, (limit if limit.low >= 0 else ANY) * classes)


def rows_of_all_items(batches: Dim, classes: Dim, count: Dim, limit: Dim) -> Dim:
    """The maximum number of boxes that can be selected, in all classes of all batch items."""
    each = count if limit.high < 0 else minimum(count, limit if limit.low >= 0 else ANY)
    return batches * classes * each


give_rows(fixed_rows, "NonMaxSuppression-1", "NonMaxSuppression-3")
give_rows(rows_of_all_items, "NonMaxSuppression-4")


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


# NMSRotated: non-maximum suppression of rotated boxes.


TOLERANCE = 1e-9
"""How far outside a box, relative to its size, a corner may lie and count as on its edge."""
BLOCK_PAIRS = 1 << 12
"""Pairs of boxes whose intersection is computed at once."""


@shape("NMSRotated-13")
def nms_rotated_shape(
    boxes: Fact,
    scores: Fact,
    max_output_boxes_per_class: Fact,
    iou_threshold: Fact,
    score_threshold: Fact,
    *,
    output_type: ElementType,
) -> tuple[Fact, ...]:
    for single in (max_output_boxes_per_class, iou_threshold, score_threshold):
        require(single.shape.size.can_be(1), "C4", single)
    return outputs_of(
        counts(boxes, scores, box_numbers=5), boxes_per_class(max_output_boxes_per_class, "C5"), output_type
    )


@kernel("NMSRotated-13")
def nms_rotated(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array,
    iou_threshold: Array,
    score_threshold: Array,
    *,
    clockwise: bool,
    **order: Any,
) -> tuple[Array, ...]:
    rotated = boxes.astype(np.float64)
    if not clockwise:
        rotated[..., 4] = -rotated[..., 4]
    limit = box_limit(max_output_boxes_per_class)
    iou, score = scalar_or_zero(iou_threshold), scalar_or_zero(score_threshold)
    return select(rotated_overlap, rotated, scores, limit, iou, score, 0.0, **order)


def rotated_overlap(a: Array, b: Array) -> Array:
    """The intersection over union of each pair of boxes; 0 if either area is 0."""
    (radii_a, areas_a), (radii_b, areas_b) = (
        (np.hypot(boxes[:, 2], boxes[:, 3]) / 2, boxes[:, 2] * boxes[:, 3]) for boxes in (a, b)
    )
    apart = np.hypot(*(np.subtract.outer(a[:, axis], b[:, axis]) for axis in (0, 1)))
    near = np.logical_and.outer(areas_a > 0, areas_b > 0) & ~(apart > np.add.outer(radii_a, radii_b))
    corners_a, corners_b, iou = corners_of(a), corners_of(b), np.zeros(near.shape, np.float32)
    first, second = np.nonzero(near)
    for start in range(0, len(first), BLOCK_PAIRS):
        i, j = first[start : start + BLOCK_PAIRS], second[start : start + BLOCK_PAIRS]
        common = common_area(corners_a[i], corners_b[j])
        iou[i, j] = common / (areas_a[i] + areas_b[j] - common)
    return iou


def corners_of(boxes: Array) -> Array:
    """The four corners of boxes given by center, width, height and angle, in cyclic order: [boxes, 4, 2]."""
    center, size, angle = boxes[:, np.newaxis, :2], boxes[:, np.newaxis, 2:4] / 2, boxes[:, 4, np.newaxis]
    x, y = np.moveaxis(size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), -1, 0)
    corners: Array = center + np.stack(
        [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)], -1
    )
    return corners


def common_area(a: Array, b: Array) -> Array:
    """The intersection area of pairs of boxes given by their corners."""
    intersections, intersecting = edge_intersections(a, b)
    points = np.concatenate([a, b, intersections], axis=1)
    is_vertex = np.concatenate([inside(a, b), inside(b, a), intersecting], axis=1)
    return polygon_area(points, is_vertex)


def edge_intersections(a: Array, b: Array) -> tuple[Array, Array]:
    """The intersection point of each edge of a with each edge of b, and whether they intersect."""
    edges_a, edges_b = (np.roll(box, -1, axis=1) - box for box in (a, b))
    first, second = edges_a[:, :, np.newaxis], edges_b[:, np.newaxis]
    start = b[:, np.newaxis] - a[:, :, np.newaxis]
    determinant = _cross(first, second)
    t, u = (_cross(start, edge) / np.where(determinant == 0, np.nan, determinant) for edge in (second, first))
    intersecting = (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    points = a[:, :, np.newaxis] + np.nan_to_num(t)[..., np.newaxis] * first
    return points.reshape(len(a), 16, 2), intersecting.reshape(len(a), 16)


def inside(points: Array, box: Array) -> Array:
    """Which points of each group are inside its box, edges included."""
    relative = points - box[:, :1]
    sides = [box[:, 1:2] - box[:, :1], box[:, 3:4] - box[:, :1]]
    result = np.ones(points.shape[:2], bool)
    for side in sides:
        projection, length = (relative * side).sum(-1), (side * side).sum(-1)
        result &= (projection >= -TOLERANCE * length) & (projection <= (1 + TOLERANCE) * length)
    return result


def polygon_area(points: Array, is_vertex: Array) -> Array:
    """The areas of convex polygons. The vertices are in any order; points that are no vertex are ignored."""
    vertices = np.where(is_vertex[..., np.newaxis], points, 0)
    counts = np.maximum(is_vertex.sum(axis=1), 1)[:, np.newaxis, np.newaxis]
    centroid = vertices.sum(axis=1, keepdims=True) / counts
    relative = np.where(is_vertex[..., np.newaxis], points - centroid, 0)
    order = np.argsort(np.where(is_vertex, np.arctan2(relative[..., 1], relative[..., 0]), np.inf), axis=1)
    ring = np.take_along_axis(relative, order[..., np.newaxis], axis=1)
    kept = np.take_along_axis(is_vertex, order, axis=1)
    ring = np.where(kept[..., np.newaxis], ring, ring[:, :1])  # the other points repeat the first vertex
    area: Array = np.abs(_cross(ring, np.roll(ring, -1, axis=1)).sum(axis=1)) / 2
    return area


def _cross(a: Array, b: Array) -> Array:
    product: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


# MulticlassNms and MatrixNms: suppression of boxes class by class, then the highest scores of each item.


class Detections(NamedTuple):
    """Detections as columns of equal length: batch item, class, score, and box index."""

    item: Array
    class_id: Array
    score: Array
    box: Array

    def at(self, rows: Array | slice) -> "Detections":
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
    best = detections.by_score()
    return best.at(slice(keep_top_k)) if keep_top_k >= 0 else best


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
    selected = select_classes(items, chosen)
    indices = selected.box * len(boxes) + selected.class_id
    return outputs(selected, boxes[selected.class_id, selected.box], indices, len(roisnum), output_type)


def of_shared_boxes(
    boxes: Array, scores: Array, choice: NmsChoice, output_type: ElementType
) -> tuple[Array, ...]:
    """The outputs if all classes of a batch item share the same boxes."""
    items = ((0, item_boxes[np.newaxis], item_scores) for item_boxes, item_scores in zip(boxes, scores))
    selected = select_classes(items, choice)
    indices = selected.item * boxes.shape[1] + selected.box
    return outputs(selected, boxes[selected.item, selected.box], indices, len(boxes), output_type)


def select_classes(items: Iterable[tuple[int, Array, Array]], choice: NmsChoice) -> Detections:
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
            decays = (1 - iou) / (1 - compensation.astype(np.float64) + 1e-10)  # as OpenVINO, against 0 / 0
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
