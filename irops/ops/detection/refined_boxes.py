"""Boxes that a network has refined: moved and stretched by deltas, and dropped where better ones overlap
them.
"""

from __future__ import annotations

import numpy as np

from irops.values.element import Array


def refined(boxes: Array, deltas: Array, edge: float, most: float) -> Array:
    """Boxes [..., 4], their middles moved by shares of their sizes, their sizes multiplied by exp of the rest
    of deltas.

    edge: 1 where the last elements count as part of a box, else 0; most: the greatest exponent.
    """
    size = boxes[..., 2:] - boxes[..., :2] + np.float32(edge)
    middle = boxes[..., :2] + np.float32(0.5) * size
    moved = deltas[..., :2] * size + middle
    half = np.float32(0.5) * (np.exp(np.minimum(deltas[..., 2:], np.float32(most))) * size)
    return np.concatenate([moved - half, moved + half - np.float32(edge)], axis=-1)


def areas(boxes: Array, edge: float) -> Array:
    """The areas of boxes."""
    found: Array = (boxes[..., 2:] - boxes[..., :2] + np.float32(edge)).prod(axis=-1)
    return found


def overlap(box: Array, boxes: Array, edge: float) -> Array:
    """The area that a box and each of some boxes have in common, as a share of what both cover."""
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    common = np.maximum(high - low + np.float32(edge), 0).prod(axis=-1)
    apart = ((boxes[:, :2] > box[2:]) | (boxes[:, 2:] < box[:2])).any(axis=-1)
    covered = areas(box, edge) + areas(boxes, edge) - common
    shares: Array = np.where(apart | (common <= 0), np.float32(0), common / covered)
    return shares


def kept(boxes: Array, most: float, threshold: float, edge: float, eta: float = 1.0) -> Array:
    """The boxes, the best first, that no kept one before overlaps by more than the threshold; no more than so
    many.

    eta: what the threshold is multiplied by after each that is kept, as long as it is greater than 0.5.
    """
    alive = np.ones(len(boxes), bool)
    chosen: list[int] = []
    limit = np.float32(threshold)
    for box in range(len(boxes)):
        if len(chosen) >= most:
            break
        if alive[box]:
            chosen.append(box)
            alive[box:] &= ~(overlap(boxes[box], boxes[box:], edge) > limit)
            if eta < 1 and limit > 0.5:
                limit *= np.float32(eta)
    return np.array(chosen, np.int64)
