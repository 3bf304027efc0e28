"""What OpenVINO's CPU plug-in is known to damage, measured with 2026.4: where it would not give what the definition says, and why.

Element types that the plug-in has no kernels for travel as others, and their elements come back as others where these do not hold
them: i64 as i32, f64 as f32, and all data of ReverseSequence as f32.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irops.backends.requirements import Inputs
from irops.registry import Op
from irops.spec.definition import PortSpec
from irops.values.element import STRING, Array, ElementType, element_type_of

MOVING = ("movement", "shape")
"""Categories whose ops carry elements and compute none."""
CARRIED = {"i64": ("i32",), "u64": ("i32",), "f64": ("f32",)}
"""As what the elements of a type travel, where a kernel moves them."""
CARRIED_AS_FLOATS = {"i32": ("f32",), "u32": ("f32",), "i64": ("i32", "f32"), "u64": ("i32", "f32"), "f64": ("f32",)}
"""The same, where it moves floating-point numbers only."""
FLUSHED = ("bf16", "f8e4m3", "f8e5m2", "f8e8m0")
"""Types whose least numbers, zeros' signs or NaNs change on the way through f32 in the plug-in's conversions."""
WIDE = ("i64", "u64", "u32")


def declines(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> str | None:
    """Why the plug-in would not give what the definition of op says of these inputs; None where nothing is known against it."""
    for place, array in enumerate(inputs):
        if array is not None:
            kind = element_type_of(array)
            reason = _whatever_op(kind) or _as_input(op, place, kind, array)
            if reason:
                return reason
    wanted = attributes.get("destination_type")
    if isinstance(wanted, ElementType):
        return _whatever_op(wanted) or (f"{wanted} is computed as {CARRIED[wanted.name][0]}" if wanted.name in CARRIED else None)
    return None


def _whatever_op(kind: ElementType) -> str | None:
    if kind is STRING:
        return "a tensor of strings makes OpenVINO abort"
    return f"elements of {kind} share bytes, and OpenVINO misplaces them" if kind.bits < 8 else None


def _as_input(op: Op, place: int, kind: ElementType, array: Array) -> str | None:
    ports = op.definition.inputs
    port = ports[min(place, len(ports) - 1)]
    if not _leads_out(op, port):
        return _lost(array, kind, ("i32",) if kind.name in WIDE else CARRIED.get(kind.name, ()))
    if op.definition.category not in MOVING:
        return f"{kind} is computed as {'f32' if kind.floating else 'i32'}" if kind.name in (*WIDE, "f64") else None
    if kind.name == "f16" and np.isnan(array).any():
        return "f16 travels as f32, which changes NaNs"
    if op.definition.type != "ReverseSequence":
        return _lost(array, kind, CARRIED.get(kind.name, ()))
    if kind.name in FLUSHED:
        return f"{kind} travels as f32, which changes its least numbers, its zeros or its NaNs"
    return _lost(array, kind, CARRIED_AS_FLOATS.get(kind.name, ()))


def _leads_out(op: Op, port: PortSpec) -> bool:
    """Whether the elements of an input are of the type of an output, and so may come out."""
    return any(port.type == output.type for output in op.definition.outputs)


def _lost(array: Array, kind: ElementType, ways: tuple[str, ...]) -> str | None:
    """What is lost when the elements travel as other types, one after the other, and back."""
    if not ways:
        return None
    back = array
    with np.errstate(all="ignore"):
        for way in ways:
            back = back.astype(_TYPES[way])
        back = back.astype(array.dtype)
    same = back.view(f"u{array.itemsize}") == array.view(f"u{array.itemsize}")
    return None if same.all() else f"{kind} travels as {ways[-1]}, which does not hold {array[~same][0]}"


_TYPES = {"i32": np.int32, "f32": np.float32}
