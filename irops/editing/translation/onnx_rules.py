"""Layers of OpenVINO in ONNX, where the definitions alone do not say how: each rule gives the wire that
stands for the layer's output.
"""

from __future__ import annotations

from collections.abc import Callable

from irops.editing.translation.node import Node
from irops.editing.translation.pairs import ALIKE, onnx_definition, onnx_types
from irops.editing.translation.refusal import impossible, unknown
from irops.editing.translation.reversing import reverse_in_onnx, reverse_sequence_in_onnx
from irops.editing.translation.target import Wire
from irops.editing.translation.to_onnx import fitting, in_onnx, transposed
from irops.ops.movement.gather import normal_batch
from irops.spec.domains import format_value
from irops.values.element import as_i64


def said_in_onnx(node: Node) -> Wire:
    """The counterpart of a layer's only output.

    Raises:  RefusedError
    """
    rule = RULES.get(node.op.id)
    if rule is not None:
        return rule(node)
    found = onnx_types().get(ALIKE.get(node.op.id, node.op.id))
    if found is None:
        raise impossible(f"irops knows no op of ONNX that is {node.op.id}")
    return in_onnx(node, found)


def _convert(node: Node) -> Wire:
    kind = node.attributes["destination_type"]
    definition = onnx_definition("Cast", node.target.opset)
    if kind.name == "f8e8m0":
        raise impossible("ONNX's Cast rounds to f8e8m0 otherwise than Convert does")
    if kind.name == "f4e2m1" and node.fact("data").element_type.floating:
        raise impossible("ONNX's Cast makes -0 of NaN in f4e2m1, and Convert 6")
    plain = (
        {"saturate": "0"} if kind.bits == 8 and kind.floating and "saturate" in definition.attributes else {}
    )
    return node.add("Cast", node.given("data"), to=kind.name, **plain)


def _shape_of(node: Node) -> Wire:
    if "output_type" not in node.attributes or node.attributes["output_type"].name == "i64":
        return node.add("Shape", node.given("data"))
    return node.add(
        "Cast", node.add("Shape", node.given("data"), part="i64"), to=node.attributes["output_type"].name
    )


def _mat_mul(node: Node) -> Wire:
    return node.add("MatMul", *[_side(node, name) for name in ("a", "b")])


def _side(node: Node, name: str) -> Wire:
    """A factor; its last two axes swapped where that is asked for."""
    flag = f"transpose_{name}"
    if not node.attributes[flag]:
        return node.given(name)
    rank = node.rank(name, f"{flag} is true: ONNX's MatMul has a Transpose before it, which names all axes")
    if rank < 2:
        return node.given(name)
    return transposed(node, node.given(name), [*range(rank - 2), rank - 1, rank - 2], part=name)


def _reshape(node: Node) -> Wire:
    pattern = node.fact("shape").value
    literal = not node.attributes["special_zero"] and (pattern is None or 0 in pattern)
    definition = onnx_definition("Reshape", node.target.opset)
    if literal and "allowzero" not in definition.attributes:
        raise impossible(
            f"special_zero is false, and {definition.id} takes every 0 in shape for a size of data"
        )
    shape = fitting(node, "shape", definition.inputs[1])
    return node.add("Reshape", node.given("data"), shape, **({"allowzero": "1"} if literal else {}))


def _gather(node: Node) -> Wire:
    batch, rank = node.attributes.get("batch_dims", 0), node.fact("indices").shape.rank
    if batch < 0 and rank is None:
        raise unknown("batch_dims is negative, and the rank of indices, on which it counts, is not known")
    if batch and normal_batch(batch, rank or batch) != 0:
        raise impossible(f"batch_dims is {format_value(batch)}, and ONNX's Gather has none")
    node.attributes = {**node.attributes, "batch_dims": 0}
    _hold_to_data(node)
    return in_onnx(node, "Gather")


def _hold_to_data(node: Node) -> None:
    """Refuse constant indices that find nothing, for which OpenVINO gives zeros; of others only a run
    tells.
    """
    axis, indices, sizes = node.fact("axis").value, node.fact("indices").value, node.fact("data").shape.dims
    if axis is None or indices is None or sizes is None or not indices.size:
        return
    size, found = sizes[int(axis.ravel()[0])], as_i64(indices)
    if found.max() >= size.high or found.min() < -size.high:
        raise impossible(
            f"indices hold {found.max() if found.max() >= size.high else found.min()} for an axis of {size},"
            " which gives zeros, and ONNX's Gather does not"
        )


def _slice(node: Node) -> Wire:
    """Along no axis it is the tensor itself; not every runtime takes lists of nothing."""
    none = node.fact("start").shape.size == 0
    return node.add("Identity", node.given("data")) if none else in_onnx(node, "Slice")


def _squeeze(node: Node) -> Wire:
    """An empty list of axes is left out: what it means in ONNX, runtimes do not agree on."""
    if (
        node.wire("axes") is not None
        and node.fact("axes").shape.size == 0
        and not node.attributes.get("allow_axis_skip", False)
    ):
        return node.add("Squeeze", node.given("data"))
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
"""By the ids of OpenVINO's ops."""
