"""What OpenVINO's CPU plug-in is known to damage, measured with 2026.4: where it would not give what the
definition says, and why.

Element types that the plug-in has no kernels for travel as others, and their elements come back as others
where these do not hold
them: i64 as i32, f64 as f32, and all data of ReverseSequence as f32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irops.backends.declined import Declined
from irops.backends.openvino_faults import fault_of
from irops.backends.requirements import MOVING, Inputs
from irops.spec.definition import PortSpec
from irops.spec.op import Op
from irops.values.element import STRING, Array, ElementType, element_type_of

CARRIED = {"i64": ("i32",), "u64": ("i32",), "f64": ("f32",)}
"""As what the elements of a type travel, where a kernel moves them."""
CARRIED_AS_FLOATS = {
    "i32": ("f32",),
    "u32": ("f32",),
    "i64": ("i32", "f32"),
    "u64": ("i32", "f32"),
    "f64": ("f32",),
}
"""The same, where it moves floating-point numbers only."""
FLUSHED = ("bf16", "f8e4m3", "f8e5m2", "f8e8m0")
"""Types whose least numbers, zeros' signs or NaNs change on the way through f32 in the plug-in's conversions.
"""
EMPTY = ("Reverse-1", "ReverseSequence-1")
"""Ops whose kernels are known to do well on tensors without elements."""
WIDE = ("i64", "u64", "u32")


def hold_to_limits(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> None:
    """Decline what the plug-in would not compute as the definition of op says.

    Raises:  Declined
    """
    fault = fault_of(op.id, inputs, attributes)
    if fault:
        raise Declined(fault)
    for place, array in enumerate(inputs):
        if array is not None:
            kind = element_type_of(array)
            _hold_type(kind)
            if not array.size and op.id not in EMPTY:
                raise Declined(
                    "tensors without elements make some of OpenVINO's kernels crash, and others read what is"
                    " not theirs"
                )
            _hold_input(op, place, kind, array)
    wanted = attributes.get("destination_type")
    if isinstance(wanted, ElementType):
        _hold_type(wanted)
        if wanted.name in CARRIED:
            raise Declined(f"{wanted} is computed as {CARRIED[wanted.name][0]}")


def _hold_type(kind: ElementType) -> None:
    """Types that fare badly whatever the op."""
    if kind is STRING:
        raise Declined("a tensor of strings makes OpenVINO abort")
    if kind.bits < 8:
        raise Declined("elements that share bytes are misplaced", f"{kind} is such a type")


def _hold_input(op: Op, place: int, kind: ElementType, array: Array) -> None:
    ports = op.definition.inputs
    if (
        op.definition.category not in MOVING
        and kind.floating
        and op.definition.type != "IsNaN"
        and np.isnan(array).any()
    ):
        raise Declined("NaN does not spread as it should")
    if not _leads_out(op, ports[min(place, len(ports) - 1)]):
        _hold_elements(array, kind, ("i32",) if kind.name in WIDE else CARRIED.get(kind.name, ()))
    elif op.definition.category not in MOVING:
        _hold_computed(kind)
    elif kind.name == "f16" and np.isnan(array).any():
        raise Declined("f16 travels as f32, which changes NaNs")
    elif op.definition.type != "ReverseSequence":
        _hold_elements(array, kind, CARRIED.get(kind.name, ()))
    elif kind.name in FLUSHED:
        raise Declined(f"{kind} travels as f32, which changes its least numbers, its zeros or its NaNs")
    else:
        _hold_elements(array, kind, CARRIED_AS_FLOATS.get(kind.name, ()))


def _hold_computed(kind: ElementType) -> None:
    if kind.integral:
        raise Declined(
            "integers are computed as f32, and saturate where they should wrap around", f"got {kind}"
        )
    if kind.name == "f64" or (kind.bits == 8 and kind.floating):
        raise Declined(f"{kind} is computed as f32")


def _leads_out(op: Op, port: PortSpec) -> bool:
    """Whether the elements of an input are of the type of an output, and so may come out."""
    return any(port.type == output.type for output in op.definition.outputs)


def _hold_elements(array: Array, kind: ElementType, ways: tuple[str, ...]) -> None:
    """Demand that nothing is lost when the elements travel as other types, one after the other, and back."""
    if not ways:
        return
    back = array
    with np.errstate(all="ignore"):
        for way in ways:
            back = back.astype(_TYPES[way])
        same = (back < 0) == (array < 0)  # -1 is no 2^64-1, even where it becomes one again
        back = back.astype(array.dtype)
    same &= back.view(f"u{array.itemsize}") == array.view(f"u{array.itemsize}")
    if not same.all():
        raise Declined(f"{kind} travels as {ways[-1]}", f"{array[~same][0]} is lost on the way")


_TYPES = {"i32": np.int32, "f32": np.float32}
