"""Reverse and ReverseSequence in ONNX, which has no Reverse, and knows the first two axes alone."""

from __future__ import annotations

import numpy as np

from irops.editing.translation.node import Node
from irops.editing.translation.pairs import onnx_definition
from irops.editing.translation.refusal import unknown
from irops.editing.translation.target import Wire
from irops.editing.translation.to_onnx import fitting, inverse, transposed

FIRST = int(np.iinfo(np.int64).min)
"""An end that lies before the first element of any axis."""


def reverse_in_onnx(node: Node) -> Wire:
    """A Slice that goes backward from the last element; of no axis, the tensor itself."""
    axes = _axes(node)
    if not axes:
        return node.add("Identity", node.given("data"))
    onnx_definition("Slice", node.target.opset)
    count = len(axes)
    lists = {"starts": [-1] * count, "ends": [FIRST] * count, "axes": axes, "steps": [-1] * count}
    return node.add(
        "Slice", node.given("data"), *(node.constant(name, numbers) for name, numbers in lists.items())
    )


def _axes(node: Node) -> list[int]:
    """The axes to reverse, each once, in order."""
    numbers = node.numbers("axes", "ONNX has no op that reverses axes which only a run tells")
    if node.attributes["mode"] == "mask":
        return [axis for axis, flag in enumerate(numbers) if flag]
    rank = node.fact("data").shape.rank
    if rank is not None:
        return sorted({axis % rank for axis in numbers})
    if min(numbers, default=0) < 0:
        raise unknown(f"axes {numbers} count from the end, and the rank of data is not known")
    return sorted(set(numbers))


def reverse_sequence_in_onnx(node: Node) -> Wire:
    """ONNX's op, axes written out, lengths as i64; between two Transposes where its axes are not the first
    two.
    """
    batch, time = (_axis(node, name) for name in ("batch_axis", "seq_axis"))
    definition = onnx_definition("ReverseSequence", node.target.opset)
    lengths = fitting(node, "seq_lengths", definition.inputs[1])
    if {batch, time} == {0, 1}:
        return node.add(
            "ReverseSequence", node.given("data"), lengths, batch_axis=str(batch), time_axis=str(time)
        )
    rank = node.rank(
        "data", f"axes {batch} and {time} are brought to the front by a Transpose, which names all axes"
    )
    order = [batch, time, *(axis for axis in range(rank) if axis not in (batch, time))]
    rows = transposed(node, node.given("data"), order, part="rows")
    turned = node.add("ReverseSequence", rows, lengths, part="reversed", batch_axis="0", time_axis="1")
    return transposed(node, turned, inverse(order))


def _axis(node: Node, name: str) -> int:
    axis: int = node.attributes[name]
    if axis < 0:
        raise unknown(f"{name} is {axis}, which counts from the end, and the rank of data is not known")
    return axis
