"""Reverse and ReverseSequence in ONNX, which has no Reverse, and ReverseSequence for axes 0 and 1 only."""

from __future__ import annotations

import numpy as np

from irops.editing.translation.node import Node
from irops.editing.translation.pairs import onnx_definition
from irops.editing.translation.refusal import unknown
from irops.editing.translation.target import Wire
from irops.editing.translation.to_onnx import converted_input, in_wider_type, inverse, transposed
from irops.spec.definition import Definition
from irops.values.element import as_i64

FIRST = int(np.iinfo(np.int64).min)
"""An end before the first element of any axis."""
LAST = int(np.iinfo(np.int64).max)
"""An end behind the last element of any axis; -LAST is one before the first."""


def reverse_in_onnx(node: Node) -> Wire:
    """A Slice with steps of -1 from the last element; an Identity without axes."""
    fixed = node.fact("axes").value is not None
    if node.fact("data").shape.rank == 0 or (fixed and not _axes(node)):
        return node.add("Identity", node.required("data"))
    definition = onnx_definition("Slice", node.target.opset)
    if fixed:
        lists = _constant_lists(node)
    elif node.attributes["mode"] == "mask":
        lists = _lists_of_mask(node)
    else:
        lists = _lists_of_axes(node, definition)
    return in_wider_type(
        node, definition.inputs[0], lambda data, part: node.add("Slice", data, *lists, part=part)
    )


def _constant_lists(node: Node) -> list[Wire | None]:
    """starts, ends, axes and steps of a Slice."""
    axes = _axes(node)
    count = len(axes)
    lists = {"starts": [-1] * count, "ends": [FIRST] * count, "axes": axes, "steps": [-1] * count}
    return [node.constant(name, numbers) for name, numbers in lists.items()]


def _lists_of_axes(node: Node, definition: Definition) -> list[Wire | None]:
    """The lists for axes that are known only at run time: the same numbers as often as there are axes."""
    axes = converted_input(node, "axes", definition.inputs[3], force_i64=True)
    minus_ones = _scaled(node, "starts", axes, 0, -1)
    return [minus_ones, _scaled(node, "ends", axes, 0, FIRST), axes, minus_ones]


def _lists_of_mask(node: Node) -> list[Wire | None]:
    """The lists, for all axes, of a mask that is known only at run time: forward where it is false."""
    flags = node.add("Cast", node.required("axes"), part="flags", to="i64")
    starts, steps = (
        _scaled(node, name, flags, *pair) for name, pair in (("starts", (-1, 0)), ("steps", (-2, 1)))
    )
    ends = node.add("Mul", steps, node.constant("ends/last", [LAST]), part="ends")
    return [starts, ends, None, steps]


def _scaled(node: Node, name: str, numbers: Wire, factor: int, term: int) -> Wire:
    """numbers * factor + term"""
    scaled = node.add("Mul", numbers, node.constant(f"{name}/factor", [factor]), part=f"{name}/scaled")
    return node.add("Add", scaled, node.constant(f"{name}/term", [term]), part=name)


def _axes(node: Node) -> list[int]:
    """The constant axes to reverse, sorted and without duplicates."""
    value = node.fact("axes").value
    assert value is not None
    numbers = [int(number) for number in as_i64(value).ravel()]
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
        axes = {"batch_axis": str(batch), "time_axis": str(time)}
        return in_wider_type(
            node,
            definition.inputs[0],
            lambda data, part: node.add("ReverseSequence", data, lengths, part=part, **axes),
        )
    rank = node.rank(
        "data", f"moving axes {batch} and {time} to the front requires a Transpose that lists all axes"
    )
    order = [batch, time, *(axis for axis in range(rank) if axis not in (batch, time))]

    def of_rows(data: Wire, part: str) -> Wire:
        rows = transposed(node, data, order, part="rows")
        turned = node.add("ReverseSequence", rows, lengths, part="reversed", batch_axis="0", time_axis="1")
        return transposed(node, turned, inverse(order), part=part)

    return in_wider_type(node, definition.inputs[0], of_rows)


def _axis(node: Node, name: str) -> int:
    axis: int = node.attributes[name]
    if axis < 0:
        raise unknown(f"{name} is {axis}, which counts from the end, but the rank of data is unknown")
    return axis
