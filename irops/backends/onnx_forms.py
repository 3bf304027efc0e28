"""Layers as ONNX nodes, for the ops that have an ONNX form of the same meaning."""

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
    given: dict[str, Array]


Builder = Callable[..., Form]
LEAST = np.iinfo(np.int64).min


def reverse(data: Array, axes: Array, *, mode: str) -> Form:
    """Reverse-1 as a Slice that goes backwards from the last element of each axis."""
    named = np.flatnonzero(axes) if mode == "mask" else np.unique(as_i64(axes) % max(data.ndim, 1))
    if not named.size:
        return Form((Node("Identity", ("data",)),), {"data": data})
    whole = {
        "starts": np.full(named.shape, -1),
        "ends": np.full(named.shape, LEAST),
        "axes": named,
        "steps": np.full(named.shape, -1),
    }
    return Form(
        (Node("Slice", ("data", *whole)),),
        {"data": data, **{name: array.astype(np.int64) for name, array in whole.items()}},
    )


def reverse_sequence(data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int) -> Form:
    """ReverseSequence-1 as ONNX has it: its two axes must be the first two, so others are brought there and
    back.
    """
    lengths = np.minimum(
        as_i64(seq_lengths), data.shape[seq_axis]
    )  # a length of 1 where there is no step is refused otherwise
    given = {"data": data, "lengths": lengths}
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
            given,
        )
    order = [batch_axis, seq_axis, *(axis for axis in range(data.ndim) if axis not in (batch_axis, seq_axis))]
    return Form(
        (
            Node("Transpose", ("data",), "rows", {"perm": order}),
            Node("ReverseSequence", ("rows", "lengths"), "turned", {"batch_axis": 0, "time_axis": 1}),
            Node("Transpose", ("turned",), "y", {"perm": np.argsort(order).tolist()}),
        ),
        given,
    )


def _transpose(arg: Array, input_order: Array) -> Form:
    order = [int(axis) for axis in input_order] or list(range(arg.ndim))[::-1]
    if not order:
        return Form((Node("Identity", ("arg",)),), {"arg": arg})
    return Form((Node("Transpose", ("arg",), "y", {"perm": order}),), {"arg": arg})


def _concat(*inputs: Array, axis: int) -> Form:
    given = {f"part{k}": array for k, array in enumerate(inputs)}
    return Form((Node("Concat", tuple(given), "y", {"axis": axis}),), given)


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
    ) -> Form:  # what rounds integers, and pdpd's axis
        _floating(a)
        if auto_broadcast == "pdpd":
            raise Declined("ONNX broadcasts as numpy does, not as pdpd")
        return Form((Node(type, ("a", "b")),), {"a": a, "b": b})

    return build


def _floating(array: Array) -> None:
    kind = element_type_of(array)
    if not kind.floating:
        raise Declined(
            "ONNX does not say what becomes of integers that overflow or are to be rounded", f"got {kind}"
        )


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
"""By the id of the op; a builder takes what the op's kernel takes."""
