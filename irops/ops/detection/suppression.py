"""Suppression: of boxes that overlap, the best ones stay."""

from __future__ import annotations

import numpy as np

from irops.values.element import Array


def overlaps(box: Array, boxes: Array, extra: float = 0.0) -> Array:
    """What a box and each of some boxes have in common, as a share of what both cover; 0 where they do not
    touch.

    extra: how much longer a side is than the difference of its corners.
    """
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    touching, longer = (low <= high).all(axis=1), np.float32(extra)
    common = np.maximum(high - low + longer, 0).prod(axis=1)
    area, areas = (box[2:] - box[:2] + longer).prod(), (boxes[:, 2:] - boxes[:, :2] + longer).prod(axis=1)
    return np.where(touching, common / (area + areas - common), np.float32(0))


def kept(boxes: Array, threshold: float, most: float, extra: float = 0.0) -> list[int]:
    """Which boxes stay, the best of which come first, when each drops those behind it that it overlaps by
    more than threshold.
    """
    alive, chosen = np.ones(len(boxes), bool), list[int]()
    for number in range(len(boxes)):
        if alive[number]:
            chosen.append(number)
            if len(chosen) == most:
                break
            alive &= ~(overlaps(boxes[number], boxes, extra) > np.float32(threshold))
    return chosen
