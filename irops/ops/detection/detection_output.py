"""DetectionOutput: decode the outputs of a single-shot detector into detections."""

from __future__ import annotations

import numpy as np

from irops.ops.detection.detections import Choice, Coding, Detections, Priors, scores_of
from irops.ops.movement.blocks import divided
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless

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
    keep_top_k: tuple[int, ...],
    top_k: int,
    share_location: bool,
    normalized: bool,
    variance_encoded_in_target: bool,
    background_label_id: int,
    decrease_label_id: bool,
) -> Shape:
    priors, classes = priors_of(proposals, normalized), Dim.of(num_classes)
    priors = unify(
        priors, divided(box_logits.shape[1], 4 * (Dim.of(1) if share_location else classes), "C4"), "C4"
    )
    priors = unify(priors, divided(class_preds.shape[1], classes, "C5"), "C5")
    check_background(background_label_id, decrease_label_id)
    images = images_of(box_logits, class_preds, proposals, variance_encoded_in_target)
    images = checked_refinement(aux_class_preds, aux_box_preds, box_logits, images, priors)
    return output_shape(images, classes, priors, keep_top_k, top_k)


@shape("DetectionOutput-8")
def detection_output_8_shape(
    box_logits: Fact,
    class_preds: Fact,
    proposals: Fact,
    aux_class_preds: OptionalFact,
    aux_box_preds: OptionalFact,
    *,
    keep_top_k: tuple[int, ...],
    top_k: int,
    share_location: bool,
    normalized: bool,
    variance_encoded_in_target: bool,
    background_label_id: int,
    decrease_label_id: bool,
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
    check_background(background_label_id, decrease_label_id)
    images = images_of(box_logits, class_preds, proposals, variance_encoded_in_target)
    images = checked_refinement(aux_class_preds, aux_box_preds, box_logits, images, priors)
    return output_shape(images, classes, priors, keep_top_k, top_k)


def priors_of(proposals: Fact, normalized: bool) -> Dim:
    """The number of prior boxes."""
    return divided(proposals.shape[2], Dim.of(4 if normalized else 5), "C6")


def check_background(background_label_id: int, decrease_label_id: bool) -> None:
    warn_unless(not decrease_label_id or background_label_id == 0, "C11", background_label_id)


def images_of(box_logits: Fact, class_preds: Fact, proposals: Fact, variance_encoded_in_target: bool) -> Dim:
    """The number of images. Checks proposals against it."""
    images = unify(box_logits.shape[0], class_preds.shape[0], "C1")
    require(
        proposals.shape[0].can_be(1) or proposals.shape[0].can_be(images), "C2", proposals, f"{images} images"
    )
    unify(proposals.shape[1], 1 if variance_encoded_in_target else 2, "C3")
    return images


def checked_refinement(
    aux_class_preds: OptionalFact, aux_box_preds: OptionalFact, box_logits: Fact, images: Dim, priors: Dim
) -> Dim:
    """The number of images, after a check that the auxiliary inputs fit the others."""
    require((aux_class_preds is None) == (aux_box_preds is None), "C9", "one of them")
    if aux_class_preds is None or aux_box_preds is None:
        return images
    unify(aux_class_preds.shape[1], priors * 2, "C7")
    unify_shapes(aux_box_preds.shape, box_logits.shape, "C8")
    return unify(images, aux_class_preds.shape[0], "C7")


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
    choice = Choice(
        background_label_id, top_k, keep_top_k[0], nms_threshold, confidence_threshold, share_location
    )
    images, classes, _ = scores.shape
    rows = int(output_shape(Dim.of(images), Dim.of(classes), Dim.of(priors.count), keep_top_k, top_k)[2])
    output = Detections(np.zeros((1, 1, rows, 7), np.float32))
    for number in range(images):
        valid, of_image = priors.valid[number % len(priors.valid)], scores[number]
        selected = (
            choice.by_prior(of_image, boxes[number], valid)
            if decrease_label_id
            else choice.by_class(of_image, boxes[number], valid)
        )
        for label, chosen in choice.best(selected, of_image).items():
            corners = boxes[number, 0 if share_location else label, chosen]
            output.add(
                number,
                label - decrease_label_id,
                of_image[label, chosen],
                np.clip(corners, 0, 1) if clip_after_nms else corners,
            )
    return output.ended().astype(box_logits.dtype)
