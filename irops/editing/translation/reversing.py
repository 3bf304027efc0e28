"""Reverse and ReverseSequence in ONNX, which has no Reverse, and ReverseSequence for axes 0 and 1 only."""

from __future__ import annotations

import numpy as np

from irops.editing.translation.node import Node
from irops.editing.translation.pairs import onnx_definition
from irops.editing.translation.refusal import unknown
from irops.editing.translation.target import Wire
from irops.editing.translation.to_onnx import converted_input, inverse, transposed

FIRST = int(np.iinfo(np.int64).min)
"""An end before the first element of any axis."""


def reverse_in_onnx(node: Node) -> Wire:
    """A Slice with steps of -1 from the last element; an Identity without axes."""
    axes = _axes(node)
    if not axes:
        return node.add("Identity", node.required("data"))
    onnx_definition("Slice", node.target.opset)
    count = len(axes)
    lists = {"starts": [-1] * count, "ends": [FIRST] * count, "axes": axes, "steps": [-1] * count}
    return node.add(
        "Slice", node.required("data"), *(node.constant(name, numbers) for name, numbers in lists.items())
    )


def _axes(node: Node) -> list[int]:
    """The axes to reverse, sorted and without duplicates."""
    numbers = node.numbers("axes", "ONNX has no op that reverses axes computed at run time")
    if node.attributes["mode"] == "mask":
        return [axis for axis, flag in enumerate(numbers) if flag]
    rank = node.fact("data").shape.rank
    if rank is not None:
        return sorted({axis % rank for axis in numbers})
    if min(numbers, default=0) < 0:
        raise unknown(f"axes {numbers} count from the end, but the rank of data is unknown")
    return sorted(set(numbers))


def reverse_sequence_in_onnx(node: Node) -> Wire:
    """The ONNX op with explicit axes and i64 lengths; between two Transposes if the axes are not 0 and 1."""
    batch, time = (_axis(node, name) for name in ("batch_axis", "seq_axis"))
    definition = onnx_definition("ReverseSequence", node.target.opset)
    lengths = converted_input(node, "seq_lengths", definition.inputs[1])
    if {batch, time} == {0, 1}:
        return node.add(
            "ReverseSequence", node.required("data"), lengths, batch_axis=str(batch), time_axis=str(time)
        )
    rank = node.rank(
        "data", f"moving axes {batch} and {time} to the front requires a Transpose that lists all axes"
    )
    order = [batch, time, *(axis for axis in range(rank) if axis not in (batch, time))]
    rows = transposed(node, node.required("data"), order, part="rows")
    reversed_rows = node.add("ReverseSequence", rows, lengths, part="reversed", batch_axis="0", time_axis="1")
    return transposed(node, reversed_rows, inverse(order))


def _axis(node: Node, name: str) -> int:
    axis: int = node.attributes[name]
    if axis < 0:
        raise unknown(f"{name} is {axis}, which counts from the end, but the rank of data is unknown")
    return axis
