"""Boxes that were found for classes, over batch items: how MatrixNms and MulticlassNms order and give
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irops.values.dim import Dim
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape


class Detections(NamedTuple):
    """Columns of as many rows: batch item, class, score, and box."""

    item: Array
    kind: Array
    score: Array
    box: Array

    def at(self, rows: Array) -> Detections:
        return Detections(*(column[rows] for column in self))

    def by_score(self) -> Detections:
        """The best first; of equal ones those of the first item, class, box."""
        return self.at(np.lexsort((self.box, self.kind, self.item, -self.score)))

    def by_class(self) -> Detections:
        """Class by class, in each item by item, the best first."""
        return self.at(np.lexsort((self.box, -self.score, self.item, self.kind)))


def joined(parts: Sequence[Detections]) -> Detections:
    """All rows, one part after the other."""
    empty = Detections(
        np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.int64)
    )
    return Detections(*(np.concatenate(columns) for columns in zip(empty, *parts)))


def of_class(
    item: int, kind: int, chosen: Sequence[int] | Array, scores: Sequence[float] | Array
) -> Detections:
    """Boxes of one class of one item, and their scores."""
    boxes = np.asarray(chosen, np.int64)
    return Detections(
        np.full(len(boxes), item), np.full(len(boxes), kind), np.asarray(scores, np.float32), boxes
    )


def best(found: Detections, keep_top_k: int) -> Detections:
    """What is found in one item, the best first, no more than so many; -1: all."""
    return Detections(*(column[:keep_top_k] if keep_top_k >= 0 else column for column in found.by_score()))


def across(found: Detections, sort_result_type: str) -> Detections:
    """What is found in all items, sorted over them, if at all."""
    if sort_result_type == "none":
        return found
    return found.by_class() if sort_result_type == "classid" else found.by_score()


def outputs(
    found: Detections, corners: Array, places: Array, items: int, output_type: ElementType
) -> tuple[Array, ...]:
    """Class, score and corners of each; its place in the boxes; how many there are in each item."""
    rows = np.concatenate([found.kind[:, np.newaxis], found.score[:, np.newaxis], corners], axis=1).astype(
        np.float32
    )
    kind = output_type.dtype
    return rows, places[:, np.newaxis].astype(kind), np.bincount(found.item, minlength=items).astype(kind)


def outputs_shape(
    boxes: Fact, each: Dim, kinds: Dim, items: Dim, top_k: tuple[int, int], output_type: ElementType
) -> tuple[Fact, ...]:
    """Up to so many boxes of each class in each item, top_k: at most so many of a class, and of an item; -1
    for all.
    """
    of_class, of_item = top_k
    most = (each if of_class < 0 else each.at_most(of_class)) * kinds
    found = Dim(0, ((most if of_item < 0 else most.at_most(of_item)) * items).high)
    return (
        Fact(boxes.element_type, Shape.of(found, 6)),
        Fact(output_type, Shape.of(found, 1)),
        Fact(output_type, Shape.of(items)),
    )
