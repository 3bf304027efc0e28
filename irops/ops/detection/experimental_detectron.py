"""Detections and prior grids of Detectron."""

from math import inf

import numpy as np

from irops.ops.detection.proposals import non_max_suppression, refined
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import I32, Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


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
    above = np.flatnonzero(scores > np.float32(score_threshold))
    order = above[np.argsort(-scores[above], kind="stable")]
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
