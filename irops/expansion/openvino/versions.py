"""Forms of OpenVINO's ops in their older and newer versions, and in simpler ops, by kind of op."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.expansion.expanding import (
    Expanding,
    OtherFormError,
    Outputs,
    RefusedError,
    ReplacingOp,
    expansion,
    newer,
    versions,
)
from irops.ops.invocation import OpFault
from irops.values.element import DYNAMIC, I64, STRING
from irops.values.shape import Shape

# Ops that concern shapes, types and constants

newer("Squeeze-1", "Squeeze-15", allow_axis_skip=False)


@expansion("ShapeOf-3", "Convert-1")
def shape_of_converted(subject: Expanding) -> ReplacingOp:
    """As ShapeOf-1, whose output is i64, and a Convert."""
    return ReplacingOp(
        [subject.add("ShapeOf-1", subject.input("data"), part="i64")],
        {"destination_type": subject.attributes["output_type"]},
    )


@expansion("Identity-16", "Convert-1")
def identity(subject: Expanding) -> ReplacingOp | Outputs:
    """Nothing; for a result of the model, whose name it keeps, a Convert to the type that it has."""
    data = subject.input("data")
    if not subject.is_named:
        return Outputs([data])
    kind = subject.element_type("data", "Convert needs one")
    if kind is STRING:
        raise RefusedError("it is a result of the model, and no other op gives strings as they are")
    return ReplacingOp([data], {"destination_type": kind})


@expansion("Squeeze-15", "Squeeze-1")
def squeeze_older(subject: Expanding) -> ReplacingOp:
    """The axes must be known to have size 1: releases before 2024.3 refuse others."""
    if subject.optional("axes") is None or subject.numbers("axes") == []:
        return ReplacingOp(subject.inputs)
    removed = subject.numbers("axes")
    dims = subject.fact("data").shape.dims
    if not dims or removed is None:
        if subject.attributes["allow_axis_skip"]:
            raise RefusedError("it may keep an axis whose size is unknown, which Squeeze-1 does not")
        return ReplacingOp(subject.inputs)
    removed = [axis % len(dims) for axis in removed]
    if subject.attributes["allow_axis_skip"] and not all(dims[axis].known for axis in removed):
        shape = Shape(dims).unnamed()
        raise RefusedError(f"it may keep an axis of unknown size of data {shape}, which Squeeze-1 does not")
    ones = [axis for axis in removed if dims[axis].can_be(1)]
    if ones == removed:
        return ReplacingOp(subject.inputs)
    if not ones:
        raise RefusedError("it removes no axis, for which Squeeze-1 has no form")
    return ReplacingOp([subject.input("data"), np.array(ones, np.int64)])


@expansion("ConvertPromoteTypes-14", "Convert-1")
def promoted(subject: Expanding) -> Outputs:
    """A Convert of each input to their common type."""
    kind = subject.output(0).element_type
    if kind is DYNAMIC:
        raise RefusedError("the common type of its inputs is unknown")
    return Outputs(
        [
            subject.add("Convert-1", subject.input(name), part=name, destination_type=kind)
            for name in ("input_0", "input_1")
        ]
    )


@expansion("Range-1", "Range-4")
def range_newer(subject: Expanding) -> ReplacingOp:
    return ReplacingOp(subject.inputs, {"output_type": subject.element_type("start")})


@expansion("Range-4", "Range-1")
def range_older(subject: Expanding) -> ReplacingOp:
    kind = subject.attributes["output_type"]
    others = {str(subject.element_type(name)) for name in ("start", "stop", "step")} - {str(kind)}
    if others:
        raise RefusedError(f"its output is {kind} and an input {min(others)}; Range-1 has one type for all")
    return ReplacingOp(subject.inputs)


@expansion("OneHot-16", "OneHot-1", decomposition=True)
def one_hot_normalized(subject: Expanding) -> ReplacingOp:
    """Negative indices, which count from the end, with depth added to them."""
    if subject.attributes["negative_indices_mode"] != "normalize":
        raise OtherFormError("OneHot-1 means the same")
    indices = subject.input("indices")
    kind = subject.element_type("indices")
    zero = subject.like(0, kind)
    depth = subject.typed(subject.input("depth"), kind, "depth")
    from_end = subject.add("Add-1", indices, depth, part="from_end")
    is_negative = subject.add("Less-1", indices, zero, part="is_negative")
    chosen = subject.add("Select-1", is_negative, from_end, indices, part="indices")
    return ReplacingOp([chosen, *subject.inputs[1:]], {"axis": subject.attributes["axis"]})


# Steps of ops that move elements: pads, parts that are written, gathered tuples.

ZERO, ONE, ALL = np.array(0, np.int64), np.array(1, np.int64), np.array([-1], np.int64)


newer("Pad-1", "Pad-12")


@expansion("Pad-12", "Pad-1")
def pad_older(subject: Expanding) -> ReplacingOp:
    for name in ("pads_begin", "pads_end"):
        dims = subject.fact(name).dims
        if dims is None or any(dim.low < 0 for dim in dims):
            raise RefusedError(f"{name} may be negative, which Pad-1 does not define")
    return ReplacingOp(subject.inputs, subject.carried())


@expansion("Pad-12", "Slice-8")
def pad_and_slice(subject: Expanding) -> ReplacingOp:
    """Elements are added first, those that negative pads remove are cut off afterwards."""
    begin, end = (subject.typed(subject.input(name), I64, name) for name in ("pads_begin", "pads_end"))
    added = [subject.add("Maximum-1", pads, ZERO, part=f"{part}_added") for pads, part in _pads(begin, end)]
    removed = [
        subject.add("Minimum-1", pads, ZERO, part=f"{part}_removed") for pads, part in _pads(begin, end)
    ]
    padded = subject.add(
        "Pad-1",
        subject.input("data"),
        *added,
        *subject.inputs[3:],
        part="padded",
        pad_mode=subject.attributes["pad_mode"],
    )
    rank = subject.fact("data").shape.rank
    if rank is None:
        raise RefusedError("the rank of data is unknown, but the steps of a Slice are one for each axis")
    if rank == 0:
        raise RefusedError("its data are a scalar, which Slice does not take")
    sizes = subject.add("ShapeOf-3", padded, part="sizes", output_type=I64)
    start = subject.add("Subtract-1", ZERO, removed[0], part="start")
    stop = subject.add("Add-1", sizes, removed[1], part="stop")
    last = subject.add("Maximum-1", stop, ZERO, part="last")
    return ReplacingOp([padded, start, last, np.ones(rank, np.int64)])


def _pads(begin: Any, end: Any) -> tuple[tuple[Any, str], tuple[Any, str]]:
    return (begin, "begin"), (end, "end")


@expansion("GatherND-5", "GatherND-8")
def gather_nd_newer(subject: Expanding) -> ReplacingOp:
    _require_same_batch(subject)
    return ReplacingOp(subject.inputs, subject.carried())


@expansion("GatherND-8", "GatherND-5")
def gather_nd_older(subject: Expanding) -> ReplacingOp:
    _require_same_batch(subject)
    return ReplacingOp(subject.inputs, subject.carried())


def _require_same_batch(subject: Expanding) -> None:
    if subject.attributes["batch_dims"] > 1:
        raise RefusedError(
            "batch_dims is more than 1: GatherND-5 flattens the batch axes, GatherND-8 keeps them"
        )


# Scattered updates that are combined with what is there, in terms of ScatterElementsUpdate.

newer("ScatterElementsUpdate-3", "ScatterElementsUpdate-12")


@expansion("ScatterElementsUpdate-12", "ScatterElementsUpdate-3")
def scatter_elements_update(subject: Expanding) -> ReplacingOp:
    """Indices that may be negative are counted from 0: releases before 2023.1 refuse others."""
    subject.require_attribute("reduction", "none", "ScatterElementsUpdate-3")
    data, indices, updates, axis = (subject.input(port.name) for port in subject.op.definition.inputs)
    dims = subject.fact("indices").dims
    if dims is None or any(dim.low < 0 for dim in dims):
        kind = subject.element_type("indices")
        shape = subject.shape_of("data")
        single = subject.add("Reshape-1", axis, ALL, part="axis", special_zero=False)
        size = subject.add("Gather-8", shape, single, ZERO, part="size")
        typed = subject.typed(size, kind, "typed_size")
        is_negative = subject.add("Less-1", indices, subject.like(0, kind), part="is_negative")
        from_end = subject.add("Add-1", indices, typed, part="from_end")
        indices = subject.add("Select-1", is_negative, from_end, indices, part="indices")
    return ReplacingOp([data, indices, updates, axis])


# Steps of pooling ops: dilations, and the rounding ceil_torch.

newer("AvgPool-1", "AvgPool-14")
newer("MaxPool-8", "MaxPool-14")


@expansion("AvgPool-14", "AvgPool-16")
def avg_pool_16(subject: Expanding) -> ReplacingOp:
    ones = (1,) * len(subject.attributes["kernel"])
    return ReplacingOp(subject.inputs, {**subject.carried(), "dilations": ones})


@expansion("AvgPool-16", "AvgPool-14")
def avg_pool_14(subject: Expanding) -> ReplacingOp:
    _require_no_dilations(subject, "AvgPool-14")
    return ReplacingOp(subject.inputs, subject.carried(without=("dilations",)))


@expansion("AvgPool-14", "AvgPool-1")
def avg_pool_1(subject: Expanding) -> ReplacingOp:
    return ReplacingOp(subject.inputs, subject.carried(rounding_type=_rounding(subject)))


@expansion("MaxPool-14", "MaxPool-8")
def max_pool_8(subject: Expanding) -> ReplacingOp:
    return ReplacingOp(subject.inputs, subject.carried(rounding_type=_rounding(subject)))


@expansion("MaxPool-1", "MaxPool-8")
def max_pool_newer(subject: Expanding) -> ReplacingOp:
    ones = (1,) * len(subject.attributes["kernel"])
    added = {"dilations": ones, "index_element_type": "i64", "axis": 0}
    return ReplacingOp(subject.inputs, {**subject.carried(), **added})


@expansion("MaxPool-8", "MaxPool-1")
def max_pool_1(subject: Expanding) -> ReplacingOp:
    _require_no_dilations(subject, "MaxPool-1")
    if subject.uses(1):
        raise RefusedError("its output of indices is used, which MaxPool-1 does not have")
    return ReplacingOp(subject.inputs, subject.carried(without=("dilations", "index_element_type", "axis")))


def _require_no_dilations(subject: Expanding, older: str) -> None:
    dilations = subject.attributes["dilations"]
    if any(dilation != 1 for dilation in dilations):
        raise RefusedError(f"its dilations are {', '.join(map(str, dilations))}; {older} has none")


def _rounding(subject: Expanding) -> Any:
    """The rounding that gives the same number of windows as ceil_torch."""
    rounding = subject.attributes["rounding_type"]
    if rounding != "ceil_torch":
        return subject.carried()["rounding_type"]
    if _always_begins_inside(subject):
        return "ceil"
    wanted = subject.output(0).shape
    if wanted.static:
        for other in ("floor", "ceil"):
            if _shape_with(subject, other) == wanted:
                return other
        raise RefusedError(f"neither floor nor ceil gives the output shape {wanted} of ceil_torch")
    raise RefusedError("whether the last window of ceil_torch begins in the padding depends on unknown sizes")


def _always_begins_inside(subject: Expanding) -> bool:
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


def _shape_with(subject: Expanding, rounding: str) -> Any:
    invocation = subject.invocation
    changed = invocation.with_values({**invocation.attributes, "rounding_type": rounding})
    try:
        return changed.infer(subject.input_facts)[0].shape
    except OpFault:
        return None


# Steps of normalizations.


@expansion("BatchNormInference-1", "BatchNormInference-5")
def batch_norm_newer(subject: Expanding) -> ReplacingOp:
    gamma, beta, data, mean, variance = subject.inputs
    return ReplacingOp([data, gamma, beta, mean, variance], subject.carried())


@expansion("BatchNormInference-5", "BatchNormInference-1")
def batch_norm_older(subject: Expanding) -> ReplacingOp:
    data, gamma, beta, mean, variance = subject.inputs
    return ReplacingOp([gamma, beta, data, mean, variance], subject.carried())


@expansion("MVN-2", "MVN-6")
def mvn_newer(subject: Expanding) -> ReplacingOp:
    axes = subject.attributes["reduction_axes"]
    if not axes:
        rank = len(subject.sizes("data", "MVN-6 lists the axes"))
        axes = range(1 if subject.attributes["across_channels"] else 2, rank)
    kept = subject.carried(without=("reduction_axes", "across_channels"))
    return ReplacingOp(
        [subject.input("data"), np.array(sorted(set(axes)), np.int64)], {**kept, "eps_mode": "inside_sqrt"}
    )


@expansion("MVN-6", "MVN-2")
def mvn_older(subject: Expanding) -> ReplacingOp:
    rank = len(subject.sizes("data", "the axes of MVN-2 count from the first"))
    axes = sorted({axis % rank for axis in subject.constant("axes", "MVN-2 has them as an attribute")})
    if subject.attributes["normalize_variance"]:
        subject.require_attribute("eps_mode", "inside_sqrt", "MVN-2")
    if axes not in (list(range(1, rank)), list(range(2, rank))) or not axes:
        raise RefusedError(
            f"it normalizes over the axes {axes}; OpenVINO computes MVN-2 over all from 1 or 2 on"
        )
    kept = subject.carried(without=("eps_mode",))
    return ReplacingOp(
        [subject.input("data")], {**kept, "across_channels": axes[0] == 1, "reduction_axes": axes}
    )


# Steps of ops of detectors and of recurrent cells, whose versions differ in inputs.

newer("Proposal-1", "Proposal-4")


@expansion("DetectionOutput-1", "DetectionOutput-8")
def detection_output_newer(subject: Expanding) -> ReplacingOp:
    classes = _classes(subject)
    if classes != subject.attributes["num_classes"]:
        raise RefusedError(
            f"num_classes is {subject.attributes['num_classes']}, but its inputs have {classes}"
        )
    return ReplacingOp(subject.inputs, subject.carried(without=("num_classes",)))


@expansion("DetectionOutput-8", "DetectionOutput-1")
def detection_output_older(subject: Expanding) -> ReplacingOp:
    return ReplacingOp(subject.inputs, {**subject.carried(), "num_classes": _classes(subject)})


def _classes(subject: Expanding) -> int:
    """The number of classes, which follows from the number of prior boxes."""
    purpose = "the number of classes follows from it"
    predictions = subject.sizes("class_preds", purpose)[-1]
    numbers = subject.sizes("proposals", purpose)[-1]
    if not predictions.known or not numbers.known:
        raise RefusedError("the number of prior boxes is unknown, but the number of classes follows from it")
    boxes = int(numbers) // (4 if subject.attributes["normalized"] else 5)
    return int(predictions) // max(boxes, 1)


@expansion("Proposal-4", "Proposal-1")
def proposal_older(subject: Expanding) -> ReplacingOp:
    if subject.uses(1):
        raise RefusedError("its output of probabilities is used, which Proposal-1 does not have")
    return ReplacingOp(subject.inputs, subject.carried())


@expansion("LSTMCell-1", "LSTMCell-4")
def lstm_cell_newer(subject: Expanding) -> ReplacingOp:
    if subject.optional("P") is not None:
        raise RefusedError("it has peephole weights P, which LSTMCell-4 does not have")
    return ReplacingOp(subject.inputs[:6], subject.carried(without=("input_forget", "weights_format")))


@expansion("LSTMCell-4", "LSTMCell-1")
def lstm_cell_older(subject: Expanding) -> ReplacingOp:
    return ReplacingOp(subject.inputs, {**subject.carried(), "input_forget": False, "weights_format": "fico"})


@expansion("Interpolate-4", "Interpolate-11")
def interpolate_newer(subject: Expanding) -> ReplacingOp:
    name = "sizes" if subject.attributes["shape_calculation_mode"] == "sizes" else "scales"
    return ReplacingOp(
        [subject.input("image"), subject.input(name), subject.optional("axes")], subject.carried()
    )


@expansion("Interpolate-11", "Interpolate-4")
def interpolate_older(subject: Expanding) -> ReplacingOp:
    """The older version has an input for sizes and one for scales; the one that is not used are ones."""
    value = subject.input("scales_or_sizes")
    count = subject.fact("scales_or_sizes").shape.dims
    if not count or not count[0].known:
        raise RefusedError("the number of axes is unknown, but Interpolate-4 has sizes and scales for each")
    number = int(count[0])
    if subject.attributes["shape_calculation_mode"] == "sizes":
        pair = [value, np.ones(number, np.float32)]
    else:
        pair = [np.ones(number, np.int64), value]
    return ReplacingOp([subject.input("image"), *pair, subject.optional("axes")], subject.carried())


# Pairs of versions of which the newer, with some attributes fixed, means what the older does.

versions("Broadcast-1", "Broadcast-3")
versions("DeformableConvolution-1", "DeformableConvolution-8", bilinear_interpolation_pad=False)
versions("Gather-1", "Gather-7", batch_dims=0)
versions("Gather-7", "Gather-8")
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
