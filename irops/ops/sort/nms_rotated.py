"""NMSRotated: of rotated boxes that overlap, keep those with the highest scores."""

from __future__ import annotations

import numpy as np

from irops.ops.sort.non_max_suppression import boxes_per_class, counts, limit, number, outputs_of, selected
from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.violation import require

NEAR = 1e-9
"""How far outside of a box, as a share of its size, a corner may lie and count as on its edge."""


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
        counts(boxes, scores, numbers=5), boxes_per_class(max_output_boxes_per_class, "C5"), output_type
    )


@kernel("NMSRotated-13")
def nms_rotated(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array,
    iou_threshold: Array,
    score_threshold: Array,
    *,
    sort_result_descending: bool,
    output_type: ElementType,
    clockwise: bool,
) -> tuple[Array, ...]:
    turned = boxes.astype(np.float64)
    if not clockwise:
        turned[..., 4] = -turned[..., 4]
    places, found = selected(
        turned,
        scores,
        limit(max_output_boxes_per_class),
        number(score_threshold),
        number(iou_threshold),
        0.0,
        sort_result_descending,
        rotated_overlap,
    )
    return places.astype(output_type.dtype), found, np.array([len(places)], output_type.dtype)


def rotated_overlap(box: Array, boxes: Array) -> Array:
    """The area that a box and each of some boxes have in common, as a share of what both cover; 0 for boxes
    without area.
    """
    radius, radii = np.hypot(box[2], box[3]) / 2, np.hypot(boxes[:, 2], boxes[:, 3]) / 2
    far = np.hypot(boxes[:, 0] - box[0], boxes[:, 1] - box[1]) > radius + radii
    near = np.flatnonzero((boxes[:, 2] * boxes[:, 3] > 0) & (box[2] * box[3] > 0) & ~far)
    common = common_area(corners_of(box[np.newaxis]), corners_of(boxes[near]))
    shares = np.zeros(len(boxes), np.float32)
    shares[near] = common / (box[2] * box[3] + boxes[near, 2] * boxes[near, 3] - common)
    return shares


def corners_of(boxes: Array) -> Array:
    """The four corners, one after the other, of boxes given by middle, width, height and angle: [boxes, 4,
    2].
    """
    middle, size, angle = boxes[:, np.newaxis, :2], boxes[:, np.newaxis, 2:4] / 2, boxes[:, 4, np.newaxis]
    x, y = np.moveaxis(size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), -1, 0)
    corners: Array = middle + np.stack(
        [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)], -1
    )
    return corners


def common_area(a: Array, b: Array) -> Array:
    """The area that pairs of boxes have in common, given by their corners; a may be one box for all of b."""
    a = np.broadcast_to(a, b.shape)
    crossings, crossing = crossings_of(a, b)
    points = np.concatenate([a, b, crossings], axis=1)
    real = np.concatenate([within(a, b), within(b, a), crossing], axis=1)
    return polygon_area(points, real)


def crossings_of(a: Array, b: Array) -> tuple[Array, Array]:
    """Where each edge of a meets each edge of b, and which of them do."""
    along, other = (np.roll(box, -1, axis=1) - box for box in (a, b))
    start, first, second = (
        b[:, np.newaxis] - a[:, :, np.newaxis],
        along[:, :, np.newaxis],
        other[:, np.newaxis],
    )
    turn = _cross(first, second)
    part, other_part = (_cross(start, edge) / np.where(turn == 0, np.nan, turn) for edge in (second, first))
    meet = (part >= 0) & (part <= 1) & (other_part >= 0) & (other_part <= 1)
    points = a[:, :, np.newaxis] + np.nan_to_num(part)[..., np.newaxis] * first
    return points.reshape(len(a), 16, 2), meet.reshape(len(a), 16)


def within(points: Array, box: Array) -> Array:
    """Which points of each group lie within its box, edges included."""
    far = points - box[:, :1]
    sides = [box[:, 1:2] - box[:, :1], box[:, 3:4] - box[:, :1]]
    found = np.ones(points.shape[:2], bool)
    for side in sides:
        reach, length = (far * side).sum(-1), (side * side).sum(-1)
        found &= (reach >= -NEAR * length) & (reach <= (1 + NEAR) * length)
    return found


def polygon_area(points: Array, real: Array) -> Array:
    """The areas of convex polygons, each given by its corners in any order, and some that are none."""
    counted = np.where(real[..., np.newaxis], points, 0)
    middle = counted.sum(axis=1, keepdims=True) / np.maximum(real.sum(axis=1), 1)[:, np.newaxis, np.newaxis]
    spokes = np.where(real[..., np.newaxis], points - middle, 0)
    order = np.argsort(np.where(real, np.arctan2(spokes[..., 1], spokes[..., 0]), np.inf), axis=1)
    ring = np.take_along_axis(spokes, order[..., np.newaxis], axis=1)
    kept = np.take_along_axis(real, order, axis=1)
    ring = np.where(kept[..., np.newaxis], ring, ring[:, :1])  # what is no corner closes the ring
    area: Array = np.abs(_cross(ring, np.roll(ring, -1, axis=1)).sum(axis=1)) / 2
    return area


def _cross(a: Array, b: Array) -> Array:
    turn: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return turn
