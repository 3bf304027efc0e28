"""Decoding of boxes with deltas, and non-maximum suppression, as Detectron computes them."""

from __future__ import annotations

import numpy as np

from irops.values.element import Array


def refined(boxes: Array, deltas: Array, edge: float, max_exponent: float) -> Array:
    """Boxes [..., 4] moved and resized by deltas (dx, dy, dw, dh): dx and dy are fractions of the size, which
    is multiplied by exp(dw) and exp(dh).

    edge: 1 if the size of a box is hi - lo + 1, else 0; max_exponent: the upper limit of dw and dh.
    """
    size = boxes[..., 2:] - boxes[..., :2] + np.float32(edge)
    middle = boxes[..., :2] + np.float32(0.5) * size
    new_middle = deltas[..., :2] * size + middle
    half = np.float32(0.5) * (np.exp(np.minimum(deltas[..., 2:], np.float32(max_exponent))) * size)
    return np.concatenate([new_middle - half, new_middle + half - np.float32(edge)], axis=-1)


def area(boxes: Array, edge: float) -> Array:
    """The areas of boxes [..., 4]."""
    areas: Array = (boxes[..., 2:] - boxes[..., :2] + np.float32(edge)).prod(axis=-1)
    return areas


def overlap(box: Array, boxes: Array, edge: float) -> Array:
    """The intersection over union of a box and each of some boxes."""
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    intersection = np.maximum(high - low + np.float32(edge), 0).prod(axis=-1)
    apart = ((boxes[:, :2] > box[2:]) | (boxes[:, 2:] < box[:2])).any(axis=-1)
    union = area(box, edge) + area(boxes, edge) - intersection
    overlaps: Array = np.where(apart | (intersection <= 0), np.float32(0), intersection / union)
    return overlaps


def non_max_suppression(
    boxes: Array, max_count: float, threshold: float, edge: float, eta: float = 1.0
) -> Array:
    """The indices of the boxes to keep, at most max_count. The boxes are ordered by descending score; each is
    kept unless a kept box before it overlaps it by more than the threshold.

    eta: the factor of the threshold after each kept box, as long as the threshold is greater than 0.5.
    """
    remaining = np.ones(len(boxes), bool)
    chosen: list[int] = []
    limit = np.float32(threshold)
    for box in range(len(boxes)):
        if len(chosen) >= max_count:
            break
        if remaining[box]:
            chosen.append(box)
            remaining[box:] &= ~(overlap(boxes[box], boxes[box:], edge) > limit)
            if eta < 1 and limit > 0.5:
                limit *= np.float32(eta)
    return np.array(chosen, np.int64)
