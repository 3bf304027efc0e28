"""GenerateProposals and ExperimentalDetectronGenerateProposalsSingleImage: region proposals from anchors."""

from __future__ import annotations

from math import log

import numpy as np

from irops.ops.detection.refined_boxes import non_max_suppression, refined
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

MAX_EXPONENT = log(1000 / 16)
"""The upper limit of the deltas of sizes, which are exponents."""


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
    box_scores = scores.transpose(1, 2, 0).ravel() * large
    order = highest(box_scores, pre_nms_count)
    chosen = order[non_max_suppression(boxes[order], post_nms_count, nms_threshold, 0)]
    unused = post_nms_count - len(chosen)
    return np.pad(boxes[chosen], ((0, unused), (0, 0))), np.pad(box_scores[chosen], (0, unused))


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
    count = Dim(0, (batches * post_nms_count).high)
    kind = im_info.element_type
    return Fact(kind, Shape.of(count, 4)), Fact(kind, Shape.of(count)), Fact(roi_num_type, Shape.of(batches))


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
    rois, roi_scores, counts = [np.zeros((0, 4), scores.dtype)], [np.zeros(0, scores.dtype)], []
    for info, image_deltas, image_scores in zip(im_info, deltas, scores.transpose(0, 2, 3, 1)):
        boxes = proposed(anchors.reshape(-1, 4), image_deltas, info, edge)
        box_scores = image_scores.ravel()
        min_sizes = np.float32(min_size) * info[[-1, 2]]  # the last number scales widths, the third heights
        order = highest(box_scores, pre_nms_count)
        order = order[(boxes[order, 2:] - boxes[order, :2] + edge >= min_sizes).all(axis=1)]
        chosen = order[non_max_suppression(boxes[order], post_nms_count, nms_threshold, edge, nms_eta)]
        rois.append(boxes[chosen])
        roi_scores.append(box_scores[chosen])
        counts.append(len(chosen))
    return np.concatenate(rois), np.concatenate(roi_scores), np.array(counts, roi_num_type.dtype)


def proposed(anchors: Array, deltas: Array, image: Array, edge: int) -> Array:
    """Anchors [boxes, 4] refined by deltas [4 * anchors per position, rows, columns], and clipped to the
    height and width of the image.
    """
    by_box = deltas.reshape(len(deltas) // 4, 4, *deltas.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, 4)
    last = image[[1, 0, 1, 0]] - edge
    clipped: Array = np.maximum(np.minimum(refined(anchors, by_box, edge, MAX_EXPONENT), last), 0)
    return clipped


def highest(scores: Array, max_count: int) -> Array:
    """The indices of at most max_count highest scores, in descending order of score."""
    return np.argsort(-scores, kind="stable")[:max_count]
