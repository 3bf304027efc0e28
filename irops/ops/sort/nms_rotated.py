"""NMSRotated: non-maximum suppression of rotated boxes."""

from typing import Any

import numpy as np

from irops.ops.sort.non_max_suppression import (
    box_limit,
    boxes_per_class,
    counts,
    outputs_of,
    scalar_or_zero,
    select,
)
from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.violation import require

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
