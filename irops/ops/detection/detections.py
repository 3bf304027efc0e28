"""What DetectionOutput makes detections of: prior boxes, their refinement, scores; and which of them it
chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from irops.ops.detection.suppression import kept
from irops.values.element import Array

Chosen = dict[int, list[int]]
"""Which priors are detections, class by class, the best first."""


@dataclass(frozen=True, slots=True)
class Priors:
    """Prior boxes of each image, or of all at once: corners, variances, and which come before the end of the
    list.
    """

    boxes: Array
    variances: Array
    alive: Array

    @property
    def count(self) -> int:
        return int(self.alive.shape[1])

    @staticmethod
    def of(proposals: Array, normalized: bool, variance_encoded_in_target: bool) -> Priors:
        images, _, length = proposals.shape
        size = 4 if normalized else 5
        rows = proposals.astype(np.float32)
        boxes = rows[:, 0].reshape(images, length // size, size)
        corners = boxes[:, np.newaxis, :, size - 4 :]
        alive = (
            np.ones(boxes.shape[:2], bool)
            if normalized
            else np.logical_and.accumulate(boxes[:, :, 0] != -1, axis=1)
        )
        if variance_encoded_in_target:
            return Priors(corners, np.ones_like(corners), alive)
        return Priors(corners, rows[:, 1, : corners.size // max(images, 1)].reshape(corners.shape), alive)


@dataclass(frozen=True, slots=True)
class Coding:
    """How priors and what is said of them become boxes. image: what unnormalized coordinates x and y are
    divided by.
    """

    by_centre: bool
    clip: bool
    image: tuple[int, int]
    variances: Array

    def decoded(self, priors: Array, logits: Array) -> Array:
        """Images, classes with places of their own, priors, corners."""
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
    class_preds: Array, aux_class_preds: Array | None, priors: int, background: int, least: float
) -> Array:
    """Images, classes, priors. Where there surely is no object, the background has score 1 and all
    others 0.
    """
    classes = class_preds.shape[1] // max(priors, 1)
    scores = class_preds.astype(np.float32).reshape(len(class_preds), priors, classes)
    if aux_class_preds is not None:
        nothing = aux_class_preds.astype(np.float32).reshape(len(scores), priors, 2)[..., 1] < np.float32(
            least
        )
        scores = np.where(
            nothing[..., np.newaxis], (np.arange(classes) == background).astype(np.float32), scores
        )
    return scores.swapaxes(1, 2)


@dataclass(frozen=True, slots=True)
class Choice:
    """What of an image is chosen. top_k: before suppression, keep_top_k: after it; -1: all."""

    background: int
    top_k: int
    keep_top_k: int
    nms_threshold: float
    confidence_threshold: float
    share_location: bool

    def by_class(self, scores: Array, boxes: Array, alive: Array) -> Chosen:
        """As in Caffe: class by class, all priors with scores above the threshold."""
        found: Chosen = {}
        for label in range(len(scores)):
            if label != self.background:
                candidates = np.flatnonzero(alive & (scores[label] > np.float32(self.confidence_threshold)))
                best = candidates[np.argsort(-scores[label, candidates], kind="stable")]
                found[label] = self._suppressed(
                    best if self.top_k == -1 else best[: self.top_k], label, boxes
                )
        return found

    def by_prior(self, scores: Array, boxes: Array, alive: Array) -> Chosen:
        """As in MXNet: every prior is of its best class, or none; 0 is the background."""
        numbers = np.nan_to_num(scores, nan=-inf, posinf=inf, neginf=-inf)
        numbers[[label for label in (0, self.background) if 0 <= label < len(numbers)]] = -inf
        if not numbers.size:
            return {}
        labels, best = numbers.argmax(axis=0), numbers.max(axis=0)
        candidates = np.flatnonzero(alive & (best >= np.float32(self.confidence_threshold)) & (best > -1))
        order = candidates[np.lexsort((candidates, labels[candidates], -best[candidates]))]
        order = order if self.top_k == -1 else order[: self.top_k]
        return {
            int(label): self._suppressed(order[labels[order] == label], int(label), boxes)
            for label in np.unique(labels[order])
        }

    def best(self, found: Chosen, scores: Array) -> Chosen:
        """The keep_top_k best of all classes."""
        if self.keep_top_k == -1 or sum(map(len, found.values())) <= self.keep_top_k:
            return found
        ranked = sorted(
            ((label, prior) for label, priors in found.items() for prior in priors),
            key=lambda pair: (-scores[pair], pair[1]),
        )[: self.keep_top_k]
        return {label: [prior for other, prior in ranked if other == label] for label in found}

    def _suppressed(self, best: Array, label: int, boxes: Array) -> list[int]:
        found: list[int] = best[
            kept(boxes[0 if self.share_location else label, best], self.nms_threshold, inf)
        ].tolist()
        return found


class Detections:
    """The rows of an output, filled one after the other."""

    def __init__(self, output: Array) -> None:
        self.output, self.count = output, 0

    def add(self, image: int, label: int, scores: Array, corners: Array) -> None:
        rows = self.output[0, 0, self.count : self.count + len(scores)]
        rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:] = image, label, scores, corners
        self.count += len(scores)

    def ended(self) -> Array:
        """The output; where rows are left, the first of them begins with -1."""
        self.output[0, 0, self.count : self.count + 1, 0] = -1
        return self.output
