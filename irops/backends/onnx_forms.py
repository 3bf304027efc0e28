"""Layers as ONNX nodes, for ops with an equivalent in ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irops.backends.declined import Declined
from irops.values.element import Array, as_i64, element_type_of


@dataclass(frozen=True, slots=True)
class Node:
    """An ONNX node: input and output names, attributes."""

    type: str
    inputs: tuple[str, ...]
    output: str = "y"
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """Nodes that compute y from arrays by name."""

    nodes: tuple[Node, ...]
    arrays: dict[str, Array]


Builder = Callable[..., Form]
MIN_I64 = np.iinfo(np.int64).min


def reverse(data: Array, axes: Array, *, mode: str) -> Form:
    """Reverse-1 as a Slice with steps of -1 from the last element of each axis."""
    reversed_axes = np.flatnonzero(axes) if mode == "mask" else np.unique(as_i64(axes) % max(data.ndim, 1))
    if not reversed_axes.size:
        return Form((Node("Identity", ("data",)),), {"data": data})
    slice_inputs = {
        "starts": np.full(reversed_axes.shape, -1),
        "ends": np.full(reversed_axes.shape, MIN_I64),
        "axes": reversed_axes,
        "steps": np.full(reversed_axes.shape, -1),
    }
    return Form(
        (Node("Slice", ("data", *slice_inputs)),),
        {"data": data, **{name: array.astype(np.int64) for name, array in slice_inputs.items()}},
    )


def reverse_sequence(data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int) -> Form:
    """ReverseSequence-1 as the ONNX op, which requires the first two axes; other axes are transposed."""
    lengths = np.minimum(
        as_i64(seq_lengths), data.shape[seq_axis]
    )  # without steps, ONNX Runtime refuses a length of 1
    arrays = {"data": data, "lengths": lengths}
    if {batch_axis, seq_axis} == {0, 1}:
        return Form(
            (
                Node(
                    "ReverseSequence",
                    ("data", "lengths"),
                    "y",
                    {"batch_axis": batch_axis, "time_axis": seq_axis},
                ),
            ),
            arrays,
        )
    order = [batch_axis, seq_axis, *(axis for axis in range(data.ndim) if axis not in (batch_axis, seq_axis))]
    return Form(
        (
            Node("Transpose", ("data",), "rows", {"perm": order}),
            Node("ReverseSequence", ("rows", "lengths"), "reversed", {"batch_axis": 0, "time_axis": 1}),
            Node("Transpose", ("reversed",), "y", {"perm": np.argsort(order).tolist()}),
        ),
        arrays,
    )


def _transpose(arg: Array, input_order: Array) -> Form:
    order = [int(axis) for axis in input_order] or list(range(arg.ndim))[::-1]
    if not order:
        return Form((Node("Identity", ("arg",)),), {"arg": arg})
    return Form((Node("Transpose", ("arg",), "y", {"perm": order}),), {"arg": arg})


def _concat(*inputs: Array, axis: int) -> Form:
    arrays = {f"part{k}": array for k, array in enumerate(inputs)}
    return Form((Node("Concat", tuple(arrays), "y", {"axis": axis}),), arrays)


def _soft_max(data: Array, *, axis: int) -> Form:
    return Form((Node("Softmax", ("data",), "y", {"axis": axis}),), {"data": data})


def _of_one(type: str) -> Builder:
    def build(data: Array) -> Form:
        _floating(data)
        return Form((Node(type, ("data",)),), {"data": data})

    return build


def _of_two(type: str) -> Builder:
    def build(
        a: Array, b: Array, *, auto_broadcast: str, **_: Any
    ) -> Form:  # m_pythondiv and the axis of pdpd
        _floating(a)
        if auto_broadcast == "pdpd":
            raise Declined("ONNX broadcasts as numpy does, not as pdpd")
        return Form((Node(type, ("a", "b")),), {"a": a, "b": b})

    return build


def _floating(array: Array) -> None:
    kind = element_type_of(array)
    if not kind.floating:
        raise Declined("ONNX does not specify overflow and rounding of integers", f"got {kind}")


ONE = {
    "Abs": "Abs",
    "Cos": "Cos",
    "Exp": "Exp",
    "Floor": "Floor",
    "Log": "Log",
    "ReLU": "Relu",
    "Sigmoid": "Sigmoid",
    "Sin": "Sin",
    "Sqrt": "Sqrt",
    "Tanh": "Tanh",
}
TWO = {"Add": "Add", "Divide": "Div", "Multiply": "Mul", "Subtract": "Sub"}
FORMS: dict[str, Builder] = {
    "Reverse-1": reverse,
    "ReverseSequence-1": reverse_sequence,
    "Transpose-1": _transpose,
    "Concat-1": _concat,
    "SoftMax-8": _soft_max,
    **{f"{name}-1": _of_one(form) for name, form in ONE.items()},
    **{f"{name}-1": _of_two(form) for name, form in TWO.items()},
}
"""Builders by op id; a builder takes the arguments of the op's kernel."""
