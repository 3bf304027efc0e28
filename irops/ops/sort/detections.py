"""Detections (boxes selected by MatrixNms and MulticlassNms): their order and the outputs made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irops.ops.sort.non_max_suppression import counts
from irops.spec.binding import shape
from irops.values.dim import Dim
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape


class Detections(NamedTuple):
    """Detections as columns of equal length: batch item, class, score, and box index."""

    item: Array
    class_id: Array
    score: Array
    box: Array

    def at(self, rows: Array) -> Detections:
        return Detections(*(column[rows] for column in self))

    def by_score(self) -> Detections:
        """Sort by descending score; equal scores by batch item, class and box."""
        return self.at(np.lexsort((self.box, self.class_id, self.item, -self.score)))

    def by_class(self) -> Detections:
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
