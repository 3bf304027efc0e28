"""Losses of classes: the negative log-likelihood, and the cross entropy of scores."""

from __future__ import annotations

import numpy as np

from irops.ops.activation.soft_max import log_softmax
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import SCALAR, Shape, unify_shapes
from irops.values.violation import require


def loss_shape(scores: Fact, labels: Fact, weights: Fact | None, reduction: str) -> Shape:
    """The shape of the loss.

    Raises:  Violation of C1 (a label for each position), C2 (a weight for each class)
    """
    each = unify_shapes(labels.shape, scores.shape.without([1]), "C1")
    if weights is not None:
        unify(weights.shape[0], scores.shape[1], "C2")
    return each if reduction == "none" else SCALAR


@shape("onnx:NegativeLogLikelihoodLoss-12")
def negative_log_likelihood_loss_shape(
    input: Fact, target: Fact, weight: Fact | None, *, reduction: str
) -> Shape:
    return loss_shape(input, target, weight, reduction)


@kernel("onnx:NegativeLogLikelihoodLoss-12", widen=True)
def negative_log_likelihood_loss(
    input: Array, target: Array, weight: Array | None, *, ignore_index: int | None, reduction: str
) -> Array:
    labels, classes = as_i64(target), input.shape[1]
    ignored = np.zeros(labels.shape, bool) if ignore_index is None else labels == ignore_index
    outside = ~ignored & ((labels < 0) | (labels >= classes))
    require(not outside.any(), "C3", f"{labels[outside][:1].tolist()} of {classes} classes")
    if ignored.all():
        weights = losses = np.zeros(labels.shape, input.dtype)
    else:
        label = np.where(ignored, 0, labels)
        weights = np.where(ignored, 0, 1 if weight is None else weight[label]).astype(input.dtype)
        picked = np.take_along_axis(input, np.expand_dims(label, 1), axis=1)[:, 0]
        losses = np.where(ignored, 0, -picked * weights)
    if reduction == "none":
        return losses
    return np.asarray(losses.sum() / (weights.sum() if reduction == "mean" else 1), input.dtype)


@shape("onnx:SoftmaxCrossEntropyLoss-12")
def softmax_cross_entropy_loss_shape(
    scores: Fact, labels: Fact, weights: Fact | None, *, reduction: str
) -> tuple[Shape, Shape]:
    return loss_shape(scores, labels, weights, reduction), scores.shape


@kernel("onnx:SoftmaxCrossEntropyLoss-12", widen=True)
def softmax_cross_entropy_loss(
    scores: Array, labels: Array, weights: Array | None, *, ignore_index: int | None, reduction: str
) -> tuple[Array, Array]:
    log_prob = log_softmax(scores, axis=1)
    loss = negative_log_likelihood_loss(
        log_prob, labels, weights, ignore_index=ignore_index, reduction=reduction
    )
    return loss, log_prob
