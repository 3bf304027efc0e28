"""Steps of normalizations, pooling, detectors and recurrent cells; pairs that differ in fixed attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.analysis.invocation import OpFault
from irops.editing.conversion.rules.arrays import shape_tensor
from irops.editing.conversion.steps import ConvertedNode, NodeForm, newer, step, versions
from irops.editing.conversion.targets import NotConvertibleError
from irops.values.element import I64


@step("BatchNormInference-1", "BatchNormInference-5")
def batch_norm_newer(subject: ConvertedNode) -> NodeForm:
    gamma, beta, data, mean, variance = subject.inputs
    return NodeForm([data, gamma, beta, mean, variance], subject.carried())


@step("BatchNormInference-5", "BatchNormInference-1")
def batch_norm_older(subject: ConvertedNode) -> NodeForm:
    data, gamma, beta, mean, variance = subject.inputs
    return NodeForm([gamma, beta, data, mean, variance], subject.carried())


@step("MVN-2", "MVN-6")
def mvn_newer(subject: ConvertedNode) -> NodeForm:
    axes = subject.attributes["reduction_axes"]
    if not axes:
        rank = len(subject.sizes("data", "MVN-6 lists the axes"))
        axes = range(1 if subject.attributes["across_channels"] else 2, rank)
    kept = subject.carried(without=("reduction_axes", "across_channels"))
    return NodeForm(
        [subject.input("data"), np.array(sorted(set(axes)), np.int64)], {**kept, "eps_mode": "inside_sqrt"}
    )


@step("MVN-6", "MVN-2")
def mvn_older(subject: ConvertedNode) -> NodeForm:
    rank = len(subject.sizes("data", "the axes of MVN-2 count from the first"))
    axes = sorted({axis % rank for axis in subject.constant("axes", "MVN-2 has them as an attribute")})
    if subject.attributes["normalize_variance"]:
        subject.require_attribute("eps_mode", "inside_sqrt", "MVN-2")
    if axes not in (list(range(1, rank)), list(range(2, rank))) or not axes:
        raise NotConvertibleError(
            f"it normalizes over the axes {axes}; OpenVINO computes MVN-2 over all from 1 or 2 on"
        )
    kept = subject.carried(without=("eps_mode",))
    return NodeForm(
        [subject.input("data")], {**kept, "across_channels": axes[0] == 1, "reduction_axes": axes}
    )


@step(
    "GroupNormalization-12", "Add-1", rounds="data is divided by the deviation before it is scaled, not after"
)
def group_normalization(subject: ConvertedNode) -> NodeForm:
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
    return NodeForm([subject.add("Multiply-1", whole, scale, part="scaled"), bias])


newer("AvgPool-1", "AvgPool-14")
newer("MaxPool-8", "MaxPool-14")


@step("AvgPool-14", "AvgPool-16")
def avg_pool_16(subject: ConvertedNode) -> NodeForm:
    ones = (1,) * len(subject.attributes["kernel"])
    return NodeForm(subject.inputs, {**subject.carried(), "dilations": ones})


@step("AvgPool-16", "AvgPool-14")
def avg_pool_14(subject: ConvertedNode) -> NodeForm:
    _require_no_dilations(subject, "AvgPool-14")
    return NodeForm(subject.inputs, subject.carried(without=("dilations",)))


@step("AvgPool-14", "AvgPool-1")
def avg_pool_1(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, subject.carried(rounding_type=_rounding(subject)))


@step("MaxPool-14", "MaxPool-8")
def max_pool_8(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, subject.carried(rounding_type=_rounding(subject)))


@step("MaxPool-1", "MaxPool-8")
def max_pool_newer(subject: ConvertedNode) -> NodeForm:
    ones = (1,) * len(subject.attributes["kernel"])
    added = {"dilations": ones, "index_element_type": "i64", "axis": 0}
    return NodeForm(subject.inputs, {**subject.carried(), **added})


@step("MaxPool-8", "MaxPool-1")
def max_pool_1(subject: ConvertedNode) -> NodeForm:
    _require_no_dilations(subject, "MaxPool-1")
    if subject.uses(1):
        raise NotConvertibleError("its output of indices is used, which MaxPool-1 does not have")
    return NodeForm(subject.inputs, subject.carried(without=("dilations", "index_element_type", "axis")))


def _require_no_dilations(subject: ConvertedNode, older: str) -> None:
    dilations = subject.attributes["dilations"]
    if any(dilation != 1 for dilation in dilations):
        raise NotConvertibleError(f"its dilations are {', '.join(map(str, dilations))}; {older} has none")


def _rounding(subject: ConvertedNode) -> Any:
    """The rounding that gives the same number of windows as ceil_torch."""
    rounding = subject.attributes["rounding_type"]
    if rounding != "ceil_torch":
        return subject.carried()["rounding_type"]
    if _always_begins_inside(subject):
        return "ceil"
    wanted = subject.node.facts[0].shape
    if wanted.static:
        for other in ("floor", "ceil"):
            if _shape_with(subject, other) == wanted:
                return other
        raise NotConvertibleError(f"neither floor nor ceil gives the output shape {wanted} of ceil_torch")
    raise NotConvertibleError(
        "whether the last window of ceil_torch begins in the padding depends on unknown sizes"
    )


def _always_begins_inside(subject: ConvertedNode) -> bool:
    """Whether the last window begins before the end of data for all sizes, so that ceil_torch means ceil."""
    attributes = subject.attributes
    if attributes["auto_pad"] not in ("explicit", "valid"):
        return False
    count = len(attributes["kernel"])
    ends = attributes["pads_end"] or (0,) * count
    after = ends if attributes["auto_pad"] == "explicit" else (0,) * count
    dilations = attributes.get("dilations") or (1,) * count
    return all(
        stride + end <= (kernel - 1) * dilation + 1
        for stride, end, kernel, dilation in zip(
            attributes["strides"], after, attributes["kernel"], dilations
        )
    )


def _shape_with(subject: ConvertedNode, rounding: str) -> Any:
    invocation = subject.node.invocation
    assert invocation is not None
    changed = invocation.with_values({**invocation.attributes, "rounding_type": rounding})
    try:
        return changed.infer(subject.node.input_facts)[0].shape
    except OpFault:
        return None


newer("Proposal-1", "Proposal-4")


@step("DetectionOutput-1", "DetectionOutput-8")
def detection_output_newer(subject: ConvertedNode) -> NodeForm:
    classes = _classes(subject)
    if classes != subject.attributes["num_classes"]:
        raise NotConvertibleError(
            f"num_classes is {subject.attributes['num_classes']}, but its inputs have {classes}"
        )
    return NodeForm(subject.inputs, subject.carried(without=("num_classes",)))


@step("DetectionOutput-8", "DetectionOutput-1")
def detection_output_older(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, {**subject.carried(), "num_classes": _classes(subject)})


def _classes(subject: ConvertedNode) -> int:
    """The number of classes, which follows from the number of prior boxes."""
    purpose = "the number of classes follows from it"
    predictions = subject.sizes("class_preds", purpose)[-1]
    numbers = subject.sizes("proposals", purpose)[-1]
    if not predictions.known or not numbers.known:
        raise NotConvertibleError(
            "the number of prior boxes is unknown, but the number of classes follows from it"
        )
    boxes = int(numbers) // (4 if subject.attributes["normalized"] else 5)
    return int(predictions) // max(boxes, 1)


@step("Proposal-4", "Proposal-1")
def proposal_older(subject: ConvertedNode) -> NodeForm:
    if subject.uses(1):
        raise NotConvertibleError("its output of probabilities is used, which Proposal-1 does not have")
    return NodeForm(subject.inputs, subject.carried())


@step("LSTMCell-1", "LSTMCell-4")
def lstm_cell_newer(subject: ConvertedNode) -> NodeForm:
    if subject.optional("P") is not None:
        raise NotConvertibleError("it has peephole weights P, which LSTMCell-4 does not have")
    return NodeForm(subject.inputs[:6], subject.carried(without=("input_forget", "weights_format")))


@step("LSTMCell-4", "LSTMCell-1")
def lstm_cell_older(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, {**subject.carried(), "input_forget": False, "weights_format": "fico"})


@step("Interpolate-4", "Interpolate-11")
def interpolate_newer(subject: ConvertedNode) -> NodeForm:
    name = "sizes" if subject.attributes["shape_calculation_mode"] == "sizes" else "scales"
    return NodeForm(
        [subject.input("image"), subject.input(name), subject.optional("axes")], subject.carried()
    )


@step("Interpolate-11", "Interpolate-4")
def interpolate_older(subject: ConvertedNode) -> NodeForm:
    """The older version has an input for sizes and one for scales; the one that is not used are ones."""
    value = subject.input("scales_or_sizes")
    count = subject.fact("scales_or_sizes").shape.dims
    if not count or not count[0].known:
        raise NotConvertibleError(
            "the number of axes is unknown, but Interpolate-4 has sizes and scales for each"
        )
    number = int(count[0])
    if subject.attributes["shape_calculation_mode"] == "sizes":
        pair = [value, np.ones(number, np.float32)]
    else:
        pair = [np.ones(number, np.int64), value]
    return NodeForm([subject.input("image"), *pair, subject.optional("axes")], subject.carried())


versions("Broadcast-1", "Broadcast-3")
versions("DeformableConvolution-1", "DeformableConvolution-8", bilinear_interpolation_pad=False)
versions("Gather-1", "Gather-7", batch_dims=0)
versions("Gelu-2", "Gelu-7", approximation_mode="erf")
versions("MulticlassNms-8", "MulticlassNms-9")
versions("NonMaxSuppression-1", "NonMaxSuppression-3", output_type=I64)
versions("NonMaxSuppression-5", "NonMaxSuppression-9")
versions("OneHot-1", "OneHot-16", negative_indices_mode="ignore_negative")
versions("PriorBox-1", "PriorBox-8", min_max_aspect_ratios_order=True)
versions("ROIAlign-3", "ROIAlign-9", aligned_mode="asymmetric")
versions("ScatterNDUpdate-4", "ScatterNDUpdate-15", reduction="none")
versions("ShapeOf-1", "ShapeOf-3", output_type=I64)
versions("SoftMax-1", "SoftMax-8")
versions("TopK-1", "TopK-3")
versions("TopK-3", "TopK-11", stable=False)
