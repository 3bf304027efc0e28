"""Inputs for which OpenVINO's CPU plug-in, measured with 2026.4, does not compute what the definition
specifies.

The plug-in converts element types without kernels to other types and back: i64 to i32, f64 to f32, and all
data of ReverseSequence to f32. Values that the other type cannot represent are changed.
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

CONVERTED = {"i64": ("i32",), "u64": ("i32",), "f64": ("f32",)}
"""The types to which elements are converted, in order, by ops that move them."""
CONVERTED_TO_FLOAT = {
    "i32": ("f32",),
    "u32": ("f32",),
    "i64": ("i32", "f32"),
    "u64": ("i32", "f32"),
    "f64": ("f32",),
}
"""The same for kernels that move floating-point numbers only."""
LOSSY = ("bf16", "f8e4m3", "f8e5m2", "f8e8m0")
"""Types whose subnormals, signs of zeros or NaNs change in the plug-in's conversion to f32."""
EMPTY = ("Reverse-1", "ReverseSequence-1")
"""Ops whose kernels are known to support tensors without elements."""
WIDE = ("i64", "u64", "u32")


def decline_unsupported(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> None:
    """Decline inputs for which the plug-in would not compute what the definition of op specifies.

    Raises:  Declined
    """
    fault = fault_of(op.id, inputs, attributes)
    if fault:
        raise Declined(fault)
    for index, array in enumerate(inputs):
        if array is not None:
            kind = element_type_of(array)
            _check_type(kind)
            if not array.size and op.id not in EMPTY:
                raise Declined(
                    "on tensors without elements, some of OpenVINO's kernels crash or read outside of the"
                    " tensor"
                )
            _check_input(op, index, kind, array)
    destination = attributes.get("destination_type")
    if isinstance(destination, ElementType):
        _check_type(destination)
        if destination.name in CONVERTED:
            raise Declined(f"{destination} is computed as {CONVERTED[destination.name][0]}")


def _check_type(kind: ElementType) -> None:
    """Decline types that no op supports."""
    if kind is STRING:
        raise Declined("a tensor of strings makes OpenVINO abort")
    if kind.bits < 8:
        raise Declined("types of less than a byte are moved wrongly", f"got {kind}")


def _check_input(op: Op, index: int, kind: ElementType, array: Array) -> None:
    ports = op.definition.inputs
    if (
        op.definition.category not in MOVING
        and kind.floating
        and op.definition.type != "IsNaN"
        and np.isnan(array).any()
    ):
        raise Declined("NaN is not propagated")
    if not _shares_output_type(op, ports[min(index, len(ports) - 1)]):
        _check_round_trip(array, kind, ("i32",) if kind.name in WIDE else CONVERTED.get(kind.name, ()))
    elif op.definition.category not in MOVING:
        _check_computed(kind)
    elif kind.name == "f16" and np.isnan(array).any():
        raise Declined("f16 is converted to f32, which changes NaNs")
    elif op.definition.type != "ReverseSequence":
        _check_round_trip(array, kind, CONVERTED.get(kind.name, ()))
    elif kind.name in LOSSY:
        raise Declined(f"{kind} is converted to f32, which changes subnormals, zeros or NaNs")
    else:
        _check_round_trip(array, kind, CONVERTED_TO_FLOAT.get(kind.name, ()))


def _check_computed(kind: ElementType) -> None:
    if kind.integral:
        raise Declined("integers are computed as f32, and saturate instead of wrapping around", f"got {kind}")
    if kind.name == "f64" or (kind.bits == 8 and kind.floating):
        raise Declined(f"{kind} is computed as f32")


def _shares_output_type(op: Op, port: PortSpec) -> bool:
    """Whether an input has the type variable of an output, so that its elements may reach the output."""
    return any(port.type == output.type for output in op.definition.outputs)


def _check_round_trip(array: Array, kind: ElementType, via: tuple[str, ...]) -> None:
    """Decline elements that change when converted to the other types, one after the other, and back."""
    if not via:
        return
    converted = array
    with np.errstate(all="ignore"):
        for type_name in via:
            converted = converted.astype(_TYPES[type_name])
        same = (converted < 0) == (array < 0)  # -1 and 2^64-1 have the same bits
        converted = converted.astype(array.dtype)
    same &= converted.view(f"u{array.itemsize}") == array.view(f"u{array.itemsize}")
    if not same.all():
        raise Declined(f"{kind} is converted to {via[-1]}", f"{array[~same][0]} cannot be represented")


_TYPES = {"i32": np.int32, "f32": np.float32}
