"""GenerateProposals and ExperimentalDetectronGenerateProposalsSingleImage: where in images things may be."""

from __future__ import annotations

from math import log

import numpy as np

from irops.ops.detection.refined_boxes import kept, refined
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

MOST = log(1000 / 16)
"""The greatest exponent that a size is stretched by."""


@shape("ExperimentalDetectronGenerateProposalsSingleImage-6")
def proposals_of_one_shape(
    im_info: Fact, anchors: Fact, deltas: Fact, scores: Fact, *, post_nms_count: int
) -> tuple[Shape, ...]:
    unify(im_info.shape[0], 3, "C1")
    unify(anchors.shape[1], 4, "C2")
    height, width = (
        unify(deltas.shape[1], scores.shape[1], "C3"),
        unify(deltas.shape[2], scores.shape[2], "C3"),
    )
    warn_unless(deltas.shape[0].can_be(scores.shape[0] * 4), "C4", deltas, scores)
    warn_unless(anchors.shape[0].can_be(height * width * scores.shape[0]), "C5", anchors, scores)
    return Shape.of(post_nms_count, 4), Shape.of(post_nms_count)


@kernel("ExperimentalDetectronGenerateProposalsSingleImage-6", widen=True)
def proposals_of_one(
    im_info: Array,
    anchors: Array,
    deltas: Array,
    scores: Array,
    *,
    min_size: float,
    nms_threshold: float,
    post_nms_count: int,
    pre_nms_count: int,
) -> tuple[Array, ...]:
    require(
        len(deltas) == 4 * len(scores), "C4", f"{len(deltas)} channels of deltas", f"{len(scores)} of scores"
    )
    require(len(anchors) == scores.size, "C5", f"{len(anchors)} anchors", f"{scores.size} scores")
    boxes = proposed(anchors, deltas, im_info, 1)
    large = (boxes[:, 2:] - boxes[:, :2] + 1 >= np.float32(min_size)).all(axis=1)
    points = scores.transpose(1, 2, 0).ravel() * large
    order = best(points, pre_nms_count)
    chosen = order[kept(boxes[order], post_nms_count, nms_threshold, 0)]
    rest = post_nms_count - len(chosen)
    return np.pad(boxes[chosen], ((0, rest), (0, 0))), np.pad(points[chosen], (0, rest))


@shape("GenerateProposals-9")
def generate_proposals_shape(
    im_info: Fact,
    anchors: Fact,
    deltas: Fact,
    scores: Fact,
    *,
    post_nms_count: int,
    nms_eta: float,
    roi_num_type: ElementType,
) -> tuple[Fact, ...]:
    numbers = im_info.shape[1]
    require(numbers.can_be(3) or numbers.can_be(4), "C1", im_info)
    unify(anchors.shape[3], 4, "C2")
    batches = unify(unify(deltas.shape[0], scores.shape[0], "C3"), im_info.shape[0], "C3")
    for axis in (2, 3):
        unify(unify(deltas.shape[axis], scores.shape[axis], "C4"), anchors.shape[axis - 2], "C4")
    require(deltas.shape[1].can_be(scores.shape[1] * 4), "C5", deltas, scores)
    unify(anchors.shape[2], scores.shape[1], "C6")
    warn_unless(nms_eta == 1, "C7", f"{nms_eta:g}")
    found = Dim(0, (batches * post_nms_count).high)
    kind = im_info.element_type
    return Fact(kind, Shape.of(found, 4)), Fact(kind, Shape.of(found)), Fact(roi_num_type, Shape.of(batches))


@kernel("GenerateProposals-9", widen=True)
def generate_proposals(
    im_info: Array,
    anchors: Array,
    deltas: Array,
    scores: Array,
    *,
    min_size: float,
    nms_threshold: float,
    post_nms_count: int,
    pre_nms_count: int,
    normalized: bool,
    nms_eta: float,
    roi_num_type: ElementType,
) -> tuple[Array, ...]:
    edge = 0 if normalized else 1
    rois, points, numbers = [np.zeros((0, 4), scores.dtype)], [np.zeros(0, scores.dtype)], []
    for info, moves, chances in zip(im_info, deltas, scores.transpose(0, 2, 3, 1)):
        boxes, own = proposed(anchors.reshape(-1, 4), moves, info, edge), chances.ravel()
        least = (
            np.float32(min_size) * info[[-1, 2]]
        )  # the scale of widths is the last number, of heights the third
        order = best(own, pre_nms_count)
        order = order[(boxes[order, 2:] - boxes[order, :2] + edge >= least).all(axis=1)]
        chosen = order[kept(boxes[order], post_nms_count, nms_threshold, edge, nms_eta)]
        rois.append(boxes[chosen])
        points.append(own[chosen])
        numbers.append(len(chosen))
    return np.concatenate(rois), np.concatenate(points), np.array(numbers, roi_num_type.dtype)


def proposed(anchors: Array, deltas: Array, image: Array, edge: int) -> Array:
    """Anchors [boxes, 4] refined by deltas [4 * anchors of a place, rows, columns], cut to the image's height
    and width.
    """
    moves = deltas.reshape(len(deltas) // 4, 4, *deltas.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, 4)
    last = image[[1, 0, 1, 0]] - edge
    cut: Array = np.maximum(np.minimum(refined(anchors, moves, edge, MOST), last), 0)
    return cut


def best(scores: Array, most: int) -> Array:
    """Where the highest scores are, the highest first, no more than so many."""
    return np.argsort(-scores, kind="stable")[:most]
