"""Ops that OpenVINO 2026.4's CPU plug-in computes wrongly, as measured by `irops conformance`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from irops.backends.requirements import Inputs
from irops.values.element import element_type_of

Attributes = Mapping[str, Any]
Fault = Callable[[Inputs, Attributes], str]
"""The reason to decline the inputs, or ''."""


def fault_of(op: str, inputs: Inputs, attributes: Attributes) -> str:
    """Why the plug-in is known to compute an op wrongly on these inputs, or ''."""
    if attributes.get("auto_broadcast") == "pdpd":
        return "auto_broadcast pdpd is ignored"
    fault = FAULTS.get(op, "")
    return fault if isinstance(fault, str) else fault(inputs, attributes)


def _pad(inputs: Inputs, _: Attributes) -> str:
    negative = any(item is not None and (item < 0).any() for item in inputs[1:3])
    return "negative padding makes OpenVINO crash" if negative else ""


def _gather(inputs: Inputs, _: Attributes) -> str:
    data, indices, axis = inputs[0], inputs[1], inputs[2]
    if data is None or indices is None or axis is None:
        return ""
    size = data.shape[int(axis.ravel()[0])]
    outside = (indices >= size).any() or (indices < -size).any()
    return "indices out of range read memory outside of the tensor" if outside else ""


def _gather_without_signs(inputs: Inputs, attributes: Attributes) -> str:
    indices = inputs[1]
    negative = indices is not None and (indices < 0).any()
    return "negative indices are outside of the axis" if negative else _gather(inputs, attributes)


def _gather_nd(inputs: Inputs, _: Attributes) -> str:
    indices = inputs[1]
    empty = indices is not None and indices.shape[-1] == 0
    return "empty tuples read memory outside of the tensor" if empty else ""


def _reverse_sequence(inputs: Inputs, _: Attributes) -> str:
    lengths = inputs[1]
    if lengths is None or element_type_of(lengths).name != "bf16":
        return ""
    numbers = lengths.astype(np.float64)
    return (
        "fractions of bf16 lengths are rounded, not truncated" if (numbers != np.trunc(numbers)).any() else ""
    )


def _strided_slice(inputs: Inputs, attributes: Attributes) -> str:
    begin = inputs[1]
    masks = (attributes.get(name) or () for name in ("new_axis_mask", "shrink_axis_mask", "ellipsis_mask"))
    if begin is not None and any(any(mask[len(begin) :]) for mask in masks):
        return "masks beyond the last position read memory outside of the tensor"
    added, dropped = (np.any(attributes.get(name) or ()) for name in ("new_axis_mask", "shrink_axis_mask"))
    return (
        "combined new_axis_mask and shrink_axis_mask read memory outside of the tensor"
        if added and dropped
        else ""
    )


def _convert(inputs: Inputs, attributes: Attributes) -> str:
    data, destination = inputs[0], attributes["destination_type"]
    if data is None or not destination.integral or not data.size or data.dtype == object:
        return ""
    low, high = destination.extent
    numbers = data.astype(np.float64)
    return "numbers out of range saturate" if not ((numbers > low - 1) & (numbers < high + 1)).all() else ""


def _non_zero(inputs: Inputs, _: Attributes) -> str:
    return "OpenVINO treats a scalar as a vector" if inputs[0] is not None and inputs[0].ndim == 0 else ""


FAULTS: dict[str, str | Fault] = {
    "AvgPool-16": "AvgPool-16 makes OpenVINO crash",
    "TopK-11": "TopK-11 corrupts OpenVINO's memory",
    "IsFinite-10": "some infinities are not detected",
    "IsInf-10": "the signs of infinities are not distinguished",
    "Range-4": "the elements and their number are computed as f32",
    "Convert-1": _convert,
    "Gather-1": _gather_without_signs,
    "Gather-7": _gather_without_signs,
    "Gather-8": _gather,
    "GatherND-5": _gather_nd,
    "GatherND-8": _gather_nd,
    "NonZero-3": _non_zero,
    "Pad-12": _pad,
    "ReverseSequence-1": _reverse_sequence,
    "StridedSlice-1": _strided_slice,
}
