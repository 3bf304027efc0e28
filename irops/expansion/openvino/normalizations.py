"""Normalizations in sums, products and roots."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.expansion.expanding import Expanding, OtherFormError, Outputs, RefusedError, ReplacingOp, expansion

SUMS = "sums are rounded in another order, and narrow types round after each op"

# By mean and deviation


@expansion("MVN-6", "Divide-1", rounds=SUMS)
def mvn(subject: Expanding) -> Outputs:
    """(data - mean) / sqrt(variance + eps), or / (sqrt(variance) + eps)."""
    if not subject.attributes["normalize_variance"]:
        raise OtherFormError("it does not divide by the deviation")
    subject.real_type("data")
    difference, axes = _centred(subject)
    square = subject.Multiply(difference, difference)
    variance = subject.ReduceMean(square, axes, keep_dims=True, part="variance")
    eps = subject.attributes["eps"]
    if subject.attributes["eps_mode"] == "inside_sqrt":
        deviation = subject.Sqrt(subject.Add(variance, eps))
    else:
        deviation = subject.Add(subject.Sqrt(variance), eps)
    return Outputs([subject.Divide(difference, deviation)])


@expansion("MVN-6", "Subtract-1", rounds=SUMS)
def mean_alone(subject: Expanding) -> Outputs:
    if subject.attributes["normalize_variance"]:
        raise OtherFormError("it divides by the deviation")
    subject.real_type("data")
    return Outputs([_centred(subject)[0]])


def _centred(subject: Expanding) -> tuple[Any, Any]:
    """data minus its mean, and the axes of the mean."""
    data, known = subject.input("data"), subject.constant("axes", "an axis may occur twice")
    rank = subject.of_rank("data", "its axes are counted from 0")
    axes = np.array(sorted({axis % rank for axis in known}), np.int64)
    mean = subject.ReduceMean(data, axes, keep_dims=True, part="mean")
    return subject.Subtract(data, mean, part="centred"), axes


@expansion("BatchNormInference-5", "Add-1", rounds="narrow types round after each op")
def batch_norm(subject: Expanding) -> Outputs:
    """(data - mean) * (gamma / sqrt(variance + epsilon)) + beta, along axis 1."""
    subject.real_type("data")
    rank = subject.of_rank("data", "mean and variance lie along axis 1")
    root = subject.Sqrt(subject.Add(subject.input("variance"), subject.attributes["epsilon"]))
    factor, mean, beta = (
        subject.Divide(subject.input("gamma"), root),
        subject.input("mean"),
        subject.input("beta"),
    )
    if rank > 2:
        axes = list(range(1, rank - 1))
        factor, mean, beta = (subject.Unsqueeze(number, axes) for number in (factor, mean, beta))
    centred = subject.Subtract(subject.input("data"), mean)
    return Outputs([subject.Add(subject.Multiply(centred, factor), beta)])


@expansion(
    "GroupNormalization-12", "Add-1", rounds="data is divided by the deviation before it is scaled, not after"
)
def group_normalization(subject: Expanding) -> ReplacingOp:
    """MVN of the groups, then scale and bias of the channels."""
    data = subject.input("data")
    rank = len(subject.sizes("data", "scale and bias are applied to axis 1"))
    groups = np.array([0, subject.attributes["num_groups"], -1], np.int64)
    grouped = subject.add("Reshape-1", data, groups, part="groups", special_zero=True)
    centred = subject.add(
        "MVN-6",
        grouped,
        np.array([2], np.int64),
        part="normalized",
        eps=subject.attributes["epsilon"],
        normalize_variance=True,
        eps_mode="inside_sqrt",
    )
    whole = subject.add("Reshape-1", centred, subject.shape_of("data"), part="channels", special_zero=False)
    axes = np.array([0, *range(2, rank)], np.int64)
    scale = subject.add("Unsqueeze-1", subject.input("scale"), axes, part="scale")
    bias = subject.add("Unsqueeze-1", subject.input("bias"), axes, part="bias")
    return ReplacingOp([subject.add("Multiply-1", whole, scale, part="scaled"), bias])


# By the sum of squares


def _squares(subject: Expanding, axes: Any) -> Any:
    data = subject.input("data")
    return subject.ReduceSum(subject.Multiply(data, data), axes, keep_dims=True)


@expansion("GRN-1", "Divide-1", rounds=SUMS)
def grn(subject: Expanding) -> Outputs:
    """data / sqrt(sum of squares along axis 1 + bias)."""
    subject.real_type("data")
    total = subject.Add(_squares(subject, [1]), subject.attributes["bias"])
    return Outputs([subject.Divide(subject.input("data"), subject.Sqrt(total))])


@expansion("NormalizeL2-1", "Divide-1", rounds=SUMS)
def normalize_l2(subject: Expanding) -> Outputs:
    """data / sqrt(sum of squares + eps), or / sqrt(max(sum of squares, eps))."""
    subject.real_type("data")
    rank = subject.of_rank("data", "its axes are counted from 0")
    axes = sorted({axis % rank for axis in subject.constant("axes", "no axes mean something else")})
    if not axes:
        raise OtherFormError("it has no axes")
    combine = "Add-1" if subject.attributes["eps_mode"] == "add" else "Maximum-1"
    total = subject.add(combine, _squares(subject, axes), subject.attributes["eps"])
    return Outputs([subject.Divide(subject.input("data"), subject.Sqrt(total))])


@expansion("NormalizeL2-1", "Convert-1")
def normalize_each(subject: Expanding) -> Outputs:
    """1 for every number but 0, where there are no axes."""
    if subject.constant("axes", "no axes mean something else"):
        raise OtherFormError("it has axes")
    kind = subject.real_type("data")
    return Outputs([subject.typed(subject.NotEqual(subject.input("data"), 0.0), kind)])


MOST_NEIGHBOURS = 64
"""The most neighbours along an axis for which an op each is added."""


@expansion("LRN-1", "Divide-1", rounds=SUMS)
def lrn(subject: Expanding) -> Outputs:
    """data / (bias + alpha / size^axes * sum of squares of neighbours)^beta."""
    subject.real_type("data")
    data, rank = subject.input("data"), subject.of_rank("data", "neighbours lie along its axes")
    axes = sorted({axis % rank for axis in subject.constant("axes", "neighbours lie along them")})
    size = subject.attributes["size"]
    if size > MOST_NEIGHBOURS:
        raise RefusedError(f"each of {size} neighbours would need an op")
    sums = subject.Multiply(data, data)
    for axis in axes:
        sums = _window_sums(subject, sums, axis, rank, (size - 1) // 2)
    scale = subject.attributes["alpha"] / float(size) ** len(axes)
    base = subject.Add(subject.Multiply(sums, scale), subject.attributes["bias"])
    return Outputs([subject.Divide(data, subject.Power(base, subject.attributes["beta"]))])


def _window_sums(subject: Expanding, value: Any, axis: int, rank: int, radius: int) -> Any:
    """The sums of the elements at distance 0 to radius along an axis."""
    pads = [radius if place == axis else 0 for place in range(rank)]
    padded = subject.add("Pad-1", value, pads, pads, pad_mode="constant")
    total = None
    for shift in range(2 * radius + 1):
        stop = shift - 2 * radius or np.iinfo(np.int64).max
        part = subject.add("Slice-8", padded, [shift], [stop], [1], [axis])
        total = part if total is None else subject.Add(total, part)
    return total
