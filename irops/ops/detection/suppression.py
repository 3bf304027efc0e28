"""Non-maximum suppression, as DetectionOutput and Proposal compute it."""

from __future__ import annotations

import numpy as np

from irops.values.element import Array


def overlaps(box: Array, boxes: Array, extra: float = 0.0) -> Array:
    """The intersection over union of a box and each of some boxes; 0 if they do not touch.

    extra: the number that is added to high - low to give a side.
    """
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    touching, longer = (low <= high).all(axis=1), np.float32(extra)
    intersection = np.maximum(high - low + longer, 0).prod(axis=1)
    area, areas = (box[2:] - box[:2] + longer).prod(), (boxes[:, 2:] - boxes[:, :2] + longer).prod(axis=1)
    return np.where(touching, intersection / (area + areas - intersection), np.float32(0))


def non_max_suppression(boxes: Array, threshold: float, max_count: float, extra: float = 0.0) -> list[int]:
    """The indices of the boxes to keep, at most max_count. The boxes are ordered by descending score; each is
    kept unless a kept box before it overlaps it by more than the threshold.
    """
    remaining, chosen = np.ones(len(boxes), bool), list[int]()
    for number in range(len(boxes)):
        if remaining[number]:
            chosen.append(number)
            if len(chosen) == max_count:
                break
            remaining &= ~(overlaps(boxes[number], boxes, extra) > np.float32(threshold))
    return chosen
