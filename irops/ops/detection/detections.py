"""The steps of DetectionOutput: prior boxes, decoding, scores, and the selection of detections."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from irops.ops.suppression import above, kept_boxes, touching_overlap
from irops.values.element import Array

Selection = dict[int, list[int]]
"""The indices of the selected priors for each class, the best first."""


@dataclass(frozen=True, slots=True)
class Priors:
    """Prior boxes of each image, or one set for all images. valid: which boxes precede the end of the list,
    a box with batch index -1.
    """

    boxes: Array
    variances: Array
    valid: Array

    @property
    def count(self) -> int:
        return int(self.valid.shape[1])

    @staticmethod
    def of(proposals: Array, normalized: bool, variance_encoded_in_target: bool) -> Priors:
        images, _, length = proposals.shape
        size = 4 if normalized else 5
        rows = proposals.astype(np.float32)
        boxes = rows[:, 0].reshape(images, length // size, size)
        corners = boxes[:, np.newaxis, :, size - 4 :]
        valid = (
            np.ones(boxes.shape[:2], bool)
            if normalized
            else np.logical_and.accumulate(boxes[:, :, 0] != -1, axis=1)
        )
        if variance_encoded_in_target:
            return Priors(corners, np.ones_like(corners), valid)
        return Priors(corners, rows[:, 1, : corners.size // max(images, 1)].reshape(corners.shape), valid)


@dataclass(frozen=True, slots=True)
class Coding:
    """How priors and logits are decoded to boxes. image: width and height, the divisors of coordinates."""

    by_centre: bool
    clip: bool
    image: tuple[int, int]
    variances: Array

    def decoded(self, priors: Array, logits: Array) -> Array:
        """Boxes, of shape [images, classes (1 if they share boxes), priors, 4]."""
        count = priors.shape[2]
        deltas = (
            logits.astype(np.float32)
            .reshape(len(logits), count, logits.shape[1] // max(4 * count, 1), 4)
            .swapaxes(1, 2)
        )
        moved, before = deltas * self.variances, priors / np.array(self.image * 2, np.float32)
        if self.by_centre:
            sides, centres = before[..., 2:] - before[..., :2], (before[..., :2] + before[..., 2:]) / 2
            middles, halves = moved[..., :2] * sides + centres, np.exp(moved[..., 2:]) * sides / 2
            boxes = np.concatenate([middles - halves, middles + halves], axis=-1)
        else:
            boxes = before + moved
        return np.clip(boxes, 0, 1) if self.clip else boxes


def scores_of(
    class_preds: Array, aux_class_preds: Array | None, priors: int, background: int, min_objectness: float
) -> Array:
    """Scores, of shape [images, classes, priors]. Where aux_class_preds finds no object, the score of the
    background is 1 and that of all other classes 0.
    """
    classes = class_preds.shape[1] // max(priors, 1)
    scores = class_preds.astype(np.float32).reshape(len(class_preds), priors, classes)
    if aux_class_preds is not None:
        objectness = aux_class_preds.astype(np.float32).reshape(len(scores), priors, 2)[..., 1]
        empty = (objectness < np.float32(min_objectness))[..., np.newaxis]
        scores = np.where(empty, (np.arange(classes) == background).astype(np.float32), scores)
    return scores.swapaxes(1, 2)


@dataclass(frozen=True, slots=True)
class Choice:
    """The selection of detections of an image. top_k limits boxes before suppression, keep_top_k after it;
    -1: no limit.
    """

    background: int
    top_k: int
    keep_top_k: int
    nms_threshold: float
    confidence_threshold: float
    share_location: bool

    def by_class(self, scores: Array, boxes: Array, valid: Array) -> Selection:
        """As in Caffe: for each class, all priors with scores above the threshold."""
        selected: Selection = {}
        for label in range(len(scores)):
            if label != self.background:
                candidates = np.flatnonzero(valid & (scores[label] > np.float32(self.confidence_threshold)))
                best = candidates[np.argsort(-scores[label, candidates], kind="stable")]
                selected[label] = self._suppressed(
                    best if self.top_k == -1 else best[: self.top_k], label, boxes
                )
        return selected

    def by_prior(self, scores: Array, boxes: Array, valid: Array) -> Selection:
        """As in MXNet: each prior only for its best class; class 0 is the background."""
        numbers = np.nan_to_num(scores, nan=-inf, posinf=inf, neginf=-inf)
        numbers[[label for label in (0, self.background) if 0 <= label < len(numbers)]] = -inf
        if not numbers.size:
            return {}
        labels, best = numbers.argmax(axis=0), numbers.max(axis=0)
        candidates = np.flatnonzero(valid & (best >= np.float32(self.confidence_threshold)) & (best > -1))
        order = candidates[np.lexsort((candidates, labels[candidates], -best[candidates]))]
        order = order if self.top_k == -1 else order[: self.top_k]
        return {
            int(label): self._suppressed(order[labels[order] == label], int(label), boxes)
            for label in np.unique(labels[order])
        }

    def best(self, selected: Selection, scores: Array) -> Selection:
        """The keep_top_k best priors of all classes."""
        if self.keep_top_k == -1 or sum(map(len, selected.values())) <= self.keep_top_k:
            return selected
        ranked = sorted(
            ((label, prior) for label, priors in selected.items() for prior in priors),
            key=lambda pair: (-scores[pair], pair[1]),
        )[: self.keep_top_k]
        return {label: [prior for other, prior in ranked if other == label] for label in selected}

    def _suppressed(self, best: Array, label: int, boxes: Array) -> list[int]:
        of_class = boxes[0 if self.share_location else label, best]
        remaining: list[int] = best[
            kept_boxes(of_class, above(touching_overlap, self.nms_threshold), inf)
        ].tolist()
        return remaining


class Detections:
    """The rows of an output, which are filled one after the other."""

    def __init__(self, output: Array) -> None:
        self.output, self.count = output, 0

    def add(self, image: int, label: int, scores: Array, corners: Array) -> None:
        rows = self.output[0, 0, self.count : self.count + len(scores)]
        rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:] = image, label, scores, corners
        self.count += len(scores)

    def ended(self) -> Array:
        """The output, with -1 at the start of the first unused row, if there is one."""
        self.output[0, 0, self.count : self.count + 1, 0] = -1
        return self.output
