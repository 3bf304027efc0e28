"""Steps of normalizations."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import RefusedError
from irops.editing.conversion.rules.shapes import shape_tensor
from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject


@step("BatchNormInference-1", "BatchNormInference-5")
def batch_norm_newer(subject: Subject) -> Form:
    gamma, beta, data, mean, variance = subject.inputs
    return Form([data, gamma, beta, mean, variance], subject.carried())


@step("BatchNormInference-5", "BatchNormInference-1")
def batch_norm_older(subject: Subject) -> Form:
    data, gamma, beta, mean, variance = subject.inputs
    return Form([gamma, beta, data, mean, variance], subject.carried())


@step("MVN-2", "MVN-6")
def mvn_newer(subject: Subject) -> Form:
    axes = subject.attributes["reduction_axes"]
    if not axes:
        rank = len(subject.sizes("data", "MVN-6 lists the axes"))
        axes = range(1 if subject.attributes["across_channels"] else 2, rank)
    kept = subject.carried(without=("reduction_axes", "across_channels"))
    return Form(
        [subject.input("data"), np.array(sorted(set(axes)), np.int64)], {**kept, "eps_mode": "inside_sqrt"}
    )


@step("MVN-6", "MVN-2")
def mvn_older(subject: Subject) -> Form:
    rank = len(subject.sizes("data", "the axes of MVN-2 count from the first"))
    axes = sorted({axis % rank for axis in subject.constant("axes", "MVN-2 has them as an attribute")})
    if subject.attributes["normalize_variance"]:
        subject.require_attribute("eps_mode", "inside_sqrt", "MVN-2")
    if axes not in (list(range(1, rank)), list(range(2, rank))) or not axes:
        raise RefusedError(
            f"it normalizes over the axes {axes}; OpenVINO computes MVN-2 over all from 1 or 2 on"
        )
    kept = subject.carried(without=("eps_mode",))
    return Form([subject.input("data")], {**kept, "across_channels": axes[0] == 1, "reduction_axes": axes})


@step(
    "GroupNormalization-12", "Add-1", rounds="data is divided by the deviation before it is scaled, not after"
)
def group_normalization(subject: Subject) -> Form:
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
    whole = subject.add(
        "Reshape-1", centred, shape_tensor(subject, "data", "shape"), part="channels", special_zero=False
    )
    axes = np.array([0, *range(2, rank)], np.int64)
    scale = subject.add("Unsqueeze-1", subject.input("scale"), axes, part="scale")
    bias = subject.add("Unsqueeze-1", subject.input("bias"), axes, part="bias")
    return Form([subject.add("Multiply-1", whole, scale, part="scaled"), bias])
