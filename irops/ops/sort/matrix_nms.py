"""MatrixNms: scores of boxes fall by how much better boxes overlap them, all at once."""

from __future__ import annotations

import numpy as np

from irops.ops.sort.detections import across, best, joined, of_class, outputs, outputs_shape
from irops.ops.sort.non_max_suppression import counts
from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType
from irops.values.fact import Fact


@shape("MatrixNms-8")
def matrix_nms_shape(
    boxes: Fact, scores: Fact, *, nms_top_k: int, keep_top_k: int, output_type: ElementType
) -> tuple[Fact, ...]:
    items, kinds, each = counts(boxes, scores)
    return outputs_shape(boxes, each, kinds, items, (nms_top_k, keep_top_k), output_type)


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
        found = []
        for kind in range(scores.shape[1]):
            if kind != background_class:
                chosen = candidates(scores[item, kind], score_threshold, nms_top_k)
                sigma = gaussian_sigma if decay_function == "gaussian" else None
                left = scores[item, kind, chosen] * decay(boxes[item, chosen], normalized, sigma)
                stays = left > np.float32(post_threshold)
                found.append(of_class(item, kind, chosen[stays], left[stays]))
        parts.append(best(joined(found), keep_top_k))
    every = joined(parts)
    if sort_result_across_batch:
        every = across(every, sort_result_type)
    return outputs(
        every, boxes[every.item, every.box], every.item * boxes.shape[1] + every.box, len(boxes), output_type
    )


def candidates(scores: Array, score_threshold: float, most: int) -> Array:
    """The boxes whose scores are greater than the threshold, the best first, no more than most; -1: all."""
    above = np.flatnonzero(scores > np.float32(score_threshold))
    order = above[np.argsort(-scores[above], kind="stable")]
    return order[:most] if most >= 0 else order


def decay(boxes: Array, normalized: bool, sigma: float | None) -> Array:
    """What is left of the scores of boxes, the best first; sigma: of the Gaussian function, None for the
    linear one.
    """
    most = np.zeros(len(boxes), np.float32)
    left = np.ones(len(boxes), np.float32)
    for place in range(1, len(boxes)):
        shares, before = overlap(boxes[place], boxes[:place], normalized), most[:place]
        most[place] = np.fmax.reduce(shares, initial=0)
        if sigma is None:
            falls = (1 - shares) / (1 - before.astype(np.float64) + 1e-10)
        else:
            falls = np.exp((before * before - shares * shares) * np.float32(sigma))
        left[place] = np.fmin.reduce(falls, initial=1)
    return left


def overlap(box: Array, boxes: Array, normalized: bool) -> Array:
    """The area that a box and each of some boxes have in common, as a share of what both cover; NaN where
    that is nothing.
    """
    edge = np.float32(0 if normalized else 1)
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    common = (high - low + edge).prod(axis=-1)
    shares: Array = common / (area(box, edge) + area(boxes, edge) - common)
    apart = (boxes[:, :2] > box[2:]) | (boxes[:, 2:] < box[:2])
    return np.where(apart.any(axis=-1), np.float32(0), shares)


def area(boxes: Array, edge: np.float32) -> Array:
    """The areas of boxes, 0 of those whose corners are swapped; edge: 1 where the last elements count as part
    of a box.
    """
    sides = boxes[..., 2:] - boxes[..., :2]
    found: Array = np.where((sides < 0).any(axis=-1), np.float32(0), (sides + edge).prod(axis=-1))
    return found
