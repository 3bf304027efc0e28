"""Rules that convert OpenVINO layers to ONNX where the definitions do not suffice: each one returns the wire
that replaces the layer's output.
"""

from __future__ import annotations

from collections.abc import Callable

from irops.editing.translation.node import Node
from irops.editing.translation.pairs import EQUIVALENT, onnx_definition, onnx_types
from irops.editing.translation.refusal import impossible, unknown
from irops.editing.translation.reversing import reverse_in_onnx, reverse_sequence_in_onnx
from irops.editing.translation.target import Wire
from irops.editing.translation.to_onnx import cast, converted_input, in_onnx, transposed
from irops.ops.movement.gather import normal_batch
from irops.spec.domains import format_value
from irops.values.element import as_i64


def to_onnx(node: Node) -> Wire:
    """Convert a layer; return the wire that replaces its only output.

    Raises:  RefusedError
    """
    rule = RULES.get(node.op.id)
    if rule is not None:
        return rule(node)
    onnx_type = onnx_types().get(EQUIVALENT.get(node.op.id, node.op.id))
    if onnx_type is None:
        raise impossible(f"irops has no rule that translates {node.op.id} to ONNX")
    return in_onnx(node, onnx_type)


def _convert(node: Node) -> Wire:
    kind = node.attributes["destination_type"]
    if kind.name == "f8e8m0":
        raise impossible("ONNX's Cast and Convert round to f8e8m0 differently")
    if kind.name == "f4e2m1" and node.fact("data").element_type.floating:
        raise impossible("ONNX's Cast converts NaN to -0 in f4e2m1, but Convert to 6")
    return cast(node, node.required("data"), kind.name)


def _shape_of(node: Node) -> Wire:
    if "output_type" not in node.attributes or node.attributes["output_type"].name == "i64":
        return node.add("Shape", node.required("data"))
    return node.add(
        "Cast", node.add("Shape", node.required("data"), part="i64"), to=node.attributes["output_type"].name
    )


def _mat_mul(node: Node) -> Wire:
    return node.add("MatMul", *[_side(node, name) for name in ("a", "b")])


def _side(node: Node, name: str) -> Wire:
    """A factor, with its last two axes swapped if the attribute is true."""
    flag = f"transpose_{name}"
    if not node.attributes[flag]:
        return node.required(name)
    rank = node.rank(name, f"{flag} is true, which requires a Transpose that lists all axes")
    if rank < 2:
        return node.required(name)
    return transposed(node, node.required(name), [*range(rank - 2), rank - 1, rank - 2], part=name)


def _reshape(node: Node) -> Wire:
    pattern = node.fact("shape").value
    literal = not node.attributes["special_zero"] and (pattern is None or 0 in pattern)
    definition = onnx_definition("Reshape", node.target.opset)
    if literal and "allowzero" not in definition.attributes:
        raise impossible(
            f"special_zero is false, but {definition.id} replaces every 0 in shape by a size of data"
        )
    shape = converted_input(node, "shape", definition.inputs[1])
    return node.add("Reshape", node.required("data"), shape, **({"allowzero": "1"} if literal else {}))


def _gather(node: Node) -> Wire:
    batch, rank = node.attributes.get("batch_dims", 0), node.fact("indices").shape.rank
    if batch < 0 and rank is None:
        raise unknown("batch_dims is negative, but the rank of indices is unknown")
    if batch and normal_batch(batch, rank or batch) != 0:
        raise impossible(f"batch_dims is {format_value(batch)}, but ONNX's Gather has no such attribute")
    node.attributes = {**node.attributes, "batch_dims": 0}
    _check_indices(node)
    return in_onnx(node, "Gather")


def _check_indices(node: Node) -> None:
    """Refuse constant indices out of range, for which OpenVINO gives zeros. Other indices are not known."""
    axis, indices, sizes = node.fact("axis").value, node.fact("indices").value, node.fact("data").shape.dims
    if axis is None or indices is None or sizes is None or not indices.size:
        return
    size, values = sizes[int(axis.ravel()[0])], as_i64(indices)
    invalid = values[(values >= size.high) | (values < -size.high)]
    if invalid.size:
        raise impossible(
            f"indices contain {invalid[0]} for an axis of size {size};"
            " OpenVINO's Gather gives zeros there, ONNX's does not"
        )


def _slice(node: Node) -> Wire:
    """Without axes, an Identity: not every runtime accepts empty lists."""
    none = node.fact("start").shape.size == 0
    return node.add("Identity", node.required("data")) if none else in_onnx(node, "Slice")


def _squeeze(node: Node) -> Wire:
    """Omit an empty list of axes: runtimes disagree on its meaning in ONNX."""
    if (
        node.wire("axes") is not None
        and node.fact("axes").shape.size == 0
        and not node.attributes.get("allow_axis_skip", False)
    ):
        return node.add("Squeeze", node.required("data"))
    return in_onnx(node, "Squeeze")


RULES: dict[str, Callable[[Node], Wire]] = {
    "Reverse-1": reverse_in_onnx,
    "ReverseSequence-1": reverse_sequence_in_onnx,
    "Convert-1": _convert,
    "ShapeOf-1": _shape_of,
    "ShapeOf-3": _shape_of,
    "MatMul-1": _mat_mul,
    "Reshape-1": _reshape,
    "Gather-1": _gather,
    "Gather-7": _gather,
    "Gather-8": _gather,
    "Slice-8": _slice,
    "Squeeze-1": _squeeze,
    "Squeeze-15": _squeeze,
}
"""By id of the OpenVINO op."""
