"""Proposal and GenerateProposals: boxes that anchors and deltas propose; what Detectron makes of them."""

from dataclasses import dataclass
from functools import partial
from math import inf, log
from typing import Any

import numpy as np

from irops.ops.image.interpolate import away_from_zero
from irops.ops.sort.suppression import above, candidates, kept_boxes, touching_overlap
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import I32, Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


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
            remaining[box:] &= ~(touching_overlap(boxes[[box]], boxes[box:], edge)[0] > limit)
            if eta < 1 and limit > 0.5:
                limit *= np.float32(eta)
    return np.array(chosen, np.int64)


HALF, ONE = np.float32(0.5), np.float32(1)
Numbers = tuple[float, ...]


@shape("Proposal-1")
def proposal_1_shape(
    class_probs: Fact,
    bbox_deltas: Fact,
    image_shape: Fact,
    *,
    ratio: Numbers,
    scale: Numbers,
    post_nms_topn: int,
    framework: str,
    **_: Any,
) -> Shape:
    probs, deltas, anchors = class_probs.shape, bbox_deltas.shape, len(ratio) * len(scale)
    batch = unify(probs[0], deltas[0], "C1")
    unify(probs[1] * 2, deltas[1], "C2")
    fits = probs[1].can_be(2 * anchors) and deltas[1].can_be(4 * anchors)
    warn_unless(fits, "C3", probs[1], deltas[1], f"{anchors} anchors")
    warn_unless(probs[2].can_be(deltas[2]) and probs[3].can_be(deltas[3]), "C4", probs, deltas)
    count = image_shape.shape[0]
    require(count >= 3 and count <= 4, "C5", count)  # not 3 <= count <= 4: a Dim may be an interval
    warn_unless(framework in ("", "tensorflow"), "C6", repr(framework))
    if image_shape.value is not None:
        check_image(image_shape.value)
    return Shape.of(batch * post_nms_topn, 5)


@shape("Proposal-4")
def proposal_4_shape(
    class_probs: Fact, bbox_deltas: Fact, image_shape: Fact, **attributes: Any
) -> tuple[Shape, Shape]:
    boxes = proposal_1_shape(class_probs, bbox_deltas, image_shape, **attributes)
    return boxes, boxes[:1]


def check_image(image_shape: Array) -> None:
    """Require a positive size and non-negative scales of the image."""
    numbers = image_shape.astype(np.float32)
    sizes, scales = numbers[:2], numbers[2:]
    valid = (np.isfinite(sizes) & (sizes > 0)).all() and (np.isfinite(scales) & (scales >= 0)).all()
    require(valid, "C7", numbers.tolist())


@dataclass(frozen=True, slots=True)
class Frame:
    """The differences between Caffe and the TensorFlow Object Detection API.

    extra: the number that is added to high - low to give a side; rows_first: boxes are y, x, y, x and
        anchors are centred on their position.
    """

    extra: np.float32
    rows_first: bool


def anchors_of(base_size: int, ratio: Numbers, scale: Numbers, frame: Frame) -> Array:
    """The anchors at the first position, of every ratio and scale."""
    ratios, scales = np.array(ratio, np.float32), np.array(scale, np.float32)
    width = np.sqrt(np.float32(base_size) * np.float32(base_size) / ratios)
    width = width if frame.rows_first else away_from_zero(width)
    height = width * ratios if frame.rows_first else away_from_zero(width * ratios)
    halves = HALF * (
        np.stack([width, height], axis=-1)[:, np.newaxis] * scales[:, np.newaxis] - frame.extra
    ).reshape(-1, 2)
    centre = np.float32(0) if frame.rows_first else HALF * (np.float32(base_size) - frame.extra)
    return np.concatenate([centre - halves, centre + halves], axis=1)


def clipped(boxes: Array, limits: Array) -> Array:
    """Corners clipped to the image; NaN becomes 0."""
    corners: Array = np.fmax(np.float32(0), np.minimum(boxes, np.tile(limits, 2)))
    return corners


def decoded(anchors: Array, deltas: Array, frame: Frame) -> Array:
    """Anchors moved and resized: deltas of centres are fractions of the sides, those of sides exponents."""
    sides = anchors[..., 2:] - anchors[..., :2] + frame.extra
    middles = deltas[..., :2] * sides + (anchors[..., :2] + HALF * sides)
    halves = HALF * (np.exp(deltas[..., 2:]) * sides)
    return np.concatenate([middles - halves, middles + halves], axis=-1)


@kernel("Proposal-4")
def proposal_4(
    class_probs: Array,
    bbox_deltas: Array,
    image_shape: Array,
    *,
    base_size: int,
    pre_nms_topn: int,
    post_nms_topn: int,
    nms_thresh: float,
    feat_stride: int,
    min_size: int,
    ratio: Numbers,
    scale: Numbers,
    clip_before_nms: bool,
    clip_after_nms: bool,
    normalize: bool,
    box_size_scale: float,
    box_coordinate_scale: float,
    framework: str,
) -> tuple[Array, Array]:
    check_image(image_shape)
    require(framework in ("", "tensorflow"), "C6", repr(framework))
    frame = Frame(np.float32(0), True) if framework else Frame(ONE, False)
    image = image_shape.astype(np.float32)
    limits = image[:2] if frame.rows_first else image[1::-1]
    anchors = anchors_of(base_size, ratio, scale, frame)
    check_maps(class_probs, bbox_deltas, len(anchors))
    all_anchors = anchors_at_positions(anchors, class_probs.shape[2:], feat_stride, limits, frame)
    divisors = np.array([box_coordinate_scale] * 2 + [box_size_scale] * 2, np.float32)
    boxes = decoded(all_anchors, by_anchor(bbox_deltas, 4) / divisors, frame)
    boxes = clipped(boxes, limits - frame.extra) if clip_before_nms else boxes
    large = (boxes[..., 2:] - boxes[..., :2] + frame.extra >= np.float32(min_size) * image[[-1, 2]]).all(
        axis=-1
    )
    scores = by_anchor(class_probs[:, len(anchors) :], 1)[..., 0] * large
    rois = np.zeros((len(boxes), post_nms_topn, 5), np.float32)
    probs = np.zeros((len(boxes), post_nms_topn), np.float32)
    suppresses = above(partial(touching_overlap, extra=float(frame.extra)), nms_thresh)
    for item, score in enumerate(scores):
        best = np.argsort(-score, kind="stable")[:pre_nms_topn]
        best = best[kept_boxes(boxes[item, best], suppresses, post_nms_topn)]
        corners = clipped(boxes[item, best], limits) if clip_after_nms else boxes[item, best]
        rois[item, : len(best), 0], rois[item, len(best) : len(best) + 1, 0] = item, -1
        rois[item, : len(best), 1:] = corners / np.tile(limits, 2) if normalize else corners
        probs[item, : len(best)] = score[best]
    return rois.reshape(-1, 5).astype(class_probs.dtype), probs.ravel().astype(class_probs.dtype)


def anchors_at_positions(
    anchors: Array, sizes: tuple[int, ...], feat_stride: int, limits: Array, frame: Frame
) -> Array:
    """The anchors at every position of the maps, ordered by row, column and anchor."""
    y, x = np.indices(sizes, np.float32) * np.float32(feat_stride)
    positions = np.stack([y, x, y, x] if frame.rows_first else [x, y, x, y], axis=-1)
    boxes = (positions[:, :, np.newaxis] + anchors).reshape(y.size * len(anchors), 4)
    return clipped(boxes, limits) if frame.rows_first else boxes


def by_anchor(maps: Array, numbers: int) -> Array:
    """The numbers of each anchor at each position, of shape [batch, rows * columns * anchors, numbers]."""
    batch, channels, height, width = maps.shape
    parts = maps.astype(np.float32).reshape(batch, channels // numbers, numbers, height, width)
    return parts.transpose(0, 3, 4, 1, 2).reshape(batch, height * width * (channels // numbers), numbers)


def check_maps(class_probs: Array, bbox_deltas: Array, anchors: int) -> None:
    """Check that the two maps fit each other and the number of anchors."""
    batch, channels, height, width = class_probs.shape
    require(len(bbox_deltas) == batch, "C1", batch, len(bbox_deltas))
    require(bbox_deltas.shape[1] == 2 * channels, "C2", 2 * channels, bbox_deltas.shape[1])
    require(channels == 2 * anchors, "C3", Dim.of(channels), f"{anchors} anchors")
    require(
        bbox_deltas.shape[2:] == (height, width), "C4", Shape(class_probs.shape), Shape(bbox_deltas.shape)
    )


@kernel("Proposal-1")
def proposal_1(class_probs: Array, bbox_deltas: Array, image_shape: Array, **attributes: Any) -> Array:
    return proposal_4(class_probs, bbox_deltas, image_shape, **attributes)[0]


MAX_EXPONENT = log(1000 / 16)
"""The upper limit of the deltas of sizes, which are exponents."""


@shape("ExperimentalDetectronGenerateProposalsSingleImage-6")
def proposals_of_one_shape(
    im_info: Fact, anchors: Fact, deltas: Fact, scores: Fact, *, post_nms_count: int
) -> tuple[Shape, ...]:
    unify(im_info.shape[0], 3, "C1")
    unify(anchors.shape[1], 4, "C2")
    height = unify(deltas.shape[1], scores.shape[1], "C3")
    width = unify(deltas.shape[2], scores.shape[2], "C3")
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


# Detections and prior grids of Detectron.


@shape("ExperimentalDetectronDetectionOutput-6")
def detection_output_shape(
    rois: Fact,
    deltas: Fact,
    scores: Fact,
    im_info: Fact,
    *,
    num_classes: int,
    post_nms_count: int,
    max_detections_per_image: int,
    deltas_weights: tuple[float, ...],
) -> tuple[Fact, ...]:
    unify(rois.shape[1], 4, "C1")
    unify(deltas.shape[1], Dim.of(num_classes) * 4, "C2")
    unify(scores.shape[1], num_classes, "C3")
    unify(unify(rois.shape[0], deltas.shape[0], "C4"), scores.shape[0], "C4")
    require(im_info.shape[0].can_be(1) and im_info.shape[1].can_be(3), "C5", im_info)
    warn_unless(len(deltas_weights) == 4, "C6", f"{len(deltas_weights)} numbers")
    warn_unless(post_nms_count >= 0, "C7", post_nms_count)
    count, kind = max_detections_per_image, rois.element_type
    return Fact(kind, Shape.of(count, 4)), Fact(I32, Shape.of(count)), Fact(kind, Shape.of(count))


@kernel("ExperimentalDetectronDetectionOutput-6", widen=True)
def detection_output(
    rois: Array,
    deltas: Array,
    scores: Array,
    im_info: Array,  # noqa: ARG001
    *,
    score_threshold: float,
    nms_threshold: float,
    num_classes: int,
    post_nms_count: int,
    max_detections_per_image: int,
    max_delta_log_wh: float,
    deltas_weights: tuple[float, ...],
) -> tuple[Array, ...]:
    require(len(deltas_weights) == 4, "C6", f"{len(deltas_weights)} numbers")
    weighted = deltas.reshape(len(rois), num_classes, 4) / np.array(deltas_weights, rois.dtype)
    valid: Array = np.all(rois[:, 2:] > rois[:, :2], axis=1)
    boxes = np.maximum(refined(rois[:, np.newaxis], weighted, 1, max_delta_log_wh), 0)
    boxes[~valid] = 0
    box_scores = np.where(valid[:, np.newaxis], scores, 0)
    found, limits = [np.zeros((0, 2), np.int64)], (score_threshold, nms_threshold, post_nms_count)
    for number in range(1, num_classes):
        found.append(detected_of_class(boxes[:, number], box_scores[:, number], number, *limits))
    detected = np.concatenate(found)
    if len(detected) > max_detections_per_image:
        best = np.lexsort((detected[:, 0], -box_scores[detected[:, 0], detected[:, 1]]))
        detected = detected[best[:max_detections_per_image]]
    unused = max_detections_per_image - len(detected)
    region, number = detected.T
    labels, chosen = number.astype(np.int32), (region, number)
    padded = np.pad(boxes[chosen], ((0, unused), (0, 0)))
    return padded, np.pad(labels, (0, unused)), np.pad(box_scores[chosen], (0, unused))


def detected_of_class(
    boxes: Array, scores: Array, number: int, score_threshold: float, nms_threshold: float, max_count: int
) -> Array:
    """The indices of the detected boxes of one class, the best first, each with the number of the class."""
    order = candidates(scores, score_threshold, -1)
    max_boxes = inf if max_count < 0 else max_count
    chosen = order[non_max_suppression(boxes[order], max_boxes, nms_threshold, 1)]
    return np.stack([chosen, np.full_like(chosen, number)], axis=1)


@shape("ExperimentalDetectronPriorGridGenerator-6")
def prior_grid_shape(
    priors: Fact, feature_map: Fact, im_data: Fact, *, flatten: bool, h: int, w: int
) -> Shape:
    unify(priors.shape[1], 4, "C1")
    unify(feature_map.shape[0], im_data.shape[0], "C2")
    count, rows, columns = priors.shape[0], feature_map.shape[2], feature_map.shape[3]
    require(rows >= h and columns >= w, "C3", f"{h} x {w}", feature_map)
    return Shape.of(rows * columns * count, 4) if flatten else Shape.of(rows, columns, count, 4)


@kernel("ExperimentalDetectronPriorGridGenerator-6", widen=True)
def prior_grid(
    priors: Array,
    feature_map: Array,
    im_data: Array,
    *,
    flatten: bool,
    h: int,
    w: int,
    stride_x: float,
    stride_y: float,
) -> Array:
    rows, columns = feature_map.shape[2:]
    require(rows >= h and columns >= w, "C3", f"{h} x {w}", f"{rows} x {columns}")
    height, width = h or rows, w or columns
    y = centres(height, stride_y or im_data.shape[2] / max(height, 1))
    x = centres(width, stride_x or im_data.shape[3] / max(width, 1))
    points = np.stack(np.broadcast_arrays(x, y[:, np.newaxis]), axis=-1)[:, :, np.newaxis]
    grid = (priors.reshape(-1, 2, 2) + points[..., np.newaxis, :].astype(priors.dtype)).reshape(-1, 4)
    output = np.zeros((rows * columns * len(priors), 4), priors.dtype)
    output[: len(grid)] = grid
    return output if flatten else output.reshape(rows, columns, len(priors), 4)


def centres(count: int, step: float) -> Array:
    """The centres of `count` consecutive steps."""
    return np.float32(step) * (np.arange(count, dtype=np.float32) + np.float32(0.5))
