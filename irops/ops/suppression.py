"""Greedy non-maximum suppression, shared by the ops that drop boxes by their overlap with better ones."""

from collections.abc import Callable

import numpy as np

from irops.values.element import Array

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
