"""DetectionOutput: boxes of detected objects, by class."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from irops.ops.movement.blocks import divided
from irops.ops.sort.suppression import above, kept_boxes, touching_overlap
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless

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
    def of(proposals: Array, normalized: bool, variance_encoded_in_target: bool) -> "Priors":
        images, _, length = proposals.shape
        size = 4 if normalized else 5
        rows = proposals.astype(np.float32)
        boxes = rows[:, 0].reshape(images, length // size, size)
        corners = boxes[:, np.newaxis, :, size - 4 :]
        open_ended = np.logical_and.accumulate(boxes[:, :, 0] != -1, axis=1)
        valid = np.ones(boxes.shape[:2], bool) if normalized else open_ended
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
        by_prior = (len(logits), count, logits.shape[1] // max(4 * count, 1), 4)
        deltas = logits.astype(np.float32).reshape(by_prior).swapaxes(1, 2)
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
class DetectionChoice:
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
        found = {int(label): order[labels[order] == label] for label in np.unique(labels[order])}
        return {label: self._suppressed(best, label, boxes) for label, best in found.items()}

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


class DetectionRows:
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


OptionalFact = Fact | None


@shape("DetectionOutput-1")
def detection_output_1_shape(
    box_logits: Fact,
    class_preds: Fact,
    proposals: Fact,
    aux_class_preds: OptionalFact,
    aux_box_preds: OptionalFact,
    *,
    num_classes: int,
    share_location: bool,
    normalized: bool,
    **attributes: Any,
) -> Shape:
    priors, classes = priors_of(proposals, normalized), Dim.of(num_classes)
    priors = unify(
        priors, divided(box_logits.shape[1], 4 * (Dim.of(1) if share_location else classes), "C4"), "C4"
    )
    priors = unify(priors, divided(class_preds.shape[1], classes, "C5"), "C5")
    inputs = (box_logits, class_preds, proposals, aux_class_preds, aux_box_preds)
    return shape_for(classes, priors, *inputs, **attributes)


@shape("DetectionOutput-8")
def detection_output_8_shape(
    box_logits: Fact,
    class_preds: Fact,
    proposals: Fact,
    aux_class_preds: OptionalFact,
    aux_box_preds: OptionalFact,
    *,
    share_location: bool,
    normalized: bool,
    **attributes: Any,
) -> Shape:
    priors = priors_of(proposals, normalized)
    require(priors >= 1, "C12", priors)
    priors = priors.at_least(1)
    if share_location:
        priors = unify(priors, divided(box_logits.shape[1], Dim.of(4), "C4"), "C4")
    if aux_class_preds is not None:
        priors = unify(priors, divided(aux_class_preds.shape[1], Dim.of(2), "C7"), "C7")
    classes = divided(class_preds.shape[1], priors, "C5")
    if not share_location:
        classes = unify(classes, divided(box_logits.shape[1], priors * 4, "C4"), "C4")
    inputs = (box_logits, class_preds, proposals, aux_class_preds, aux_box_preds)
    return shape_for(classes, priors, *inputs, **attributes)


def priors_of(proposals: Fact, normalized: bool) -> Dim:
    """The number of prior boxes."""
    return divided(proposals.shape[2], Dim.of(4 if normalized else 5), "C6")


def shape_for(
    classes: Dim,
    priors: Dim,
    box_logits: Fact,
    class_preds: Fact,
    proposals: Fact,
    aux_class_preds: OptionalFact,
    aux_box_preds: OptionalFact,
    *,
    variance_encoded_in_target: bool,
    background_label_id: int,
    decrease_label_id: bool,
    keep_top_k: tuple[int, ...],
    top_k: int,
    **_: Any,
) -> Shape:
    """The shape of the output, after a check that the inputs fit each other and the numbers of classes and
    priors.
    """
    warn_unless(not decrease_label_id or background_label_id == 0, "C11", background_label_id)
    images = unify(box_logits.shape[0], class_preds.shape[0], "C1")
    require(
        proposals.shape[0].can_be(1) or proposals.shape[0].can_be(images), "C2", proposals, f"{images} images"
    )
    unify(proposals.shape[1], 1 if variance_encoded_in_target else 2, "C3")
    require((aux_class_preds is None) == (aux_box_preds is None), "C9", "one of them")
    if aux_class_preds is not None and aux_box_preds is not None:
        unify(aux_class_preds.shape[1], priors * 2, "C7")
        unify_shapes(aux_box_preds.shape, box_logits.shape, "C8")
        images = unify(images, aux_class_preds.shape[0], "C7")
    return output_shape(images, classes, priors, keep_top_k, top_k)


def output_shape(images: Dim, classes: Dim, priors: Dim, keep_top_k: tuple[int, ...], top_k: int) -> Shape:
    """The shape of the output, with a row for every possible detection."""
    require(keep_top_k, "C10")
    if keep_top_k[0] > 0:
        return Shape.of(1, 1, images * keep_top_k[0], 7)
    return Shape.of(1, 1, images * classes * (top_k if keep_top_k[0] == -1 and top_k > 0 else priors), 7)


@kernel("DetectionOutput-1", "DetectionOutput-8")
def detection_output(
    box_logits: Array,
    class_preds: Array,
    proposals: Array,
    aux_class_preds: Array | None,
    aux_box_preds: Array | None,
    *,
    background_label_id: int,
    top_k: int,
    variance_encoded_in_target: bool,
    keep_top_k: tuple[int, ...],
    code_type: str,
    share_location: bool,
    nms_threshold: float,
    confidence_threshold: float,
    clip_after_nms: bool,
    clip_before_nms: bool,
    decrease_label_id: bool,
    normalized: bool,
    input_height: int,
    input_width: int,
    objectness_score: float,
) -> Array:
    priors = Priors.of(proposals, normalized, variance_encoded_in_target)
    scores = scores_of(class_preds, aux_class_preds, priors.count, background_label_id, objectness_score)
    image = (1, 1) if normalized else (input_width, input_height)
    coding = Coding(code_type.endswith("CENTER_SIZE"), clip_before_nms, image, priors.variances)
    boxes = priors.boxes if aux_box_preds is None else coding.decoded(priors.boxes, aux_box_preds)
    boxes = coding.decoded(boxes, box_logits)
    choice = DetectionChoice(
        background_label_id, top_k, keep_top_k[0], nms_threshold, confidence_threshold, share_location
    )
    images, classes, _ = scores.shape
    rows = int(output_shape(Dim.of(images), Dim.of(classes), Dim.of(priors.count), keep_top_k, top_k)[2])
    output = DetectionRows(np.zeros((1, 1, rows, 7), np.float32))
    for number in range(images):
        valid, of_image = priors.valid[number % len(priors.valid)], scores[number]
        select = choice.by_prior if decrease_label_id else choice.by_class
        selected = select(of_image, boxes[number], valid)
        for label, chosen in choice.best(selected, of_image).items():
            corners = boxes[number, 0 if share_location else label, chosen]
            corners = np.clip(corners, 0, 1) if clip_after_nms else corners
            output.add(number, label - decrease_label_id, of_image[label, chosen], corners)
    return output.ended().astype(box_logits.dtype)
