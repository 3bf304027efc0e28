"""Convert ONNX layers to OpenVINO: by their definitions, and by rules where these do not suffice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irops.editing.translation.node import Node
from irops.editing.translation.pairs import counterpart
from irops.editing.translation.refusal import impossible, unknown
from irops.editing.translation.target import Wire
from irops.registry import default_registry
from irops.spec.definition import Definition
from irops.spec.domains import default_of, format_value, parse
from irops.spec.sharing import own_attributes
from irops.values.element import STRING

LAST = int(np.iinfo(np.int64).max)
"""An end behind the last element of any axis."""


def to_openvino(node: Node) -> Wire:
    """Convert a layer; return the wire that replaces its only output.

    Raises:  RefusedError
    """
    rule = RULES.get(node.op.definition.type)
    if rule is not None:
        return rule(node)
    if node.op.definition.same_as is None:
        raise impossible(f"irops has no rule that translates {node.op.id} to OpenVINO")
    return _in_openvino(node, {})


def _in_openvino(
    node: Node, extra_attributes: dict[str, str], default_inputs: dict[str, Wire] | None = None
) -> Wire:
    """Convert a layer to the OpenVINO op whose functions its definition shares.

    extra_attributes: attributes of that op that do not follow from the definition; default_inputs: values of
    inputs that are omitted in ONNX and required in OpenVINO
    """
    definition = node.op.definition
    assert definition.same_as is not None
    base = default_registry().op(definition.same_as).definition
    wires: list[Wire | None] = []
    for index, port in enumerate(base.inputs):
        name, attribute = counterpart(definition, base, index, port)
        if attribute is not None and (node.attributes[attribute] is not None or not port.optional):
            value = node.attributes[attribute]
            wires.append(node.constant(port.name, np.array(() if value is None else value, np.int64)))
        elif port.variadic and name is not None:
            wires.extend(node.variadic_wires(name))
        else:
            wires.append(
                (node.wire(name) if name is not None else None) or (default_inputs or {}).get(port.name)
            )
    return node.add(base.id, *wires, **attributes_in_openvino(node, base), **extra_attributes)


def attributes_in_openvino(node: Node, base: Definition) -> dict[str, str]:
    """All attributes with explicit values, because the defaults of the dialects differ."""
    attribute_map, fixed = own_attributes(node.op.definition), dict(node.op.definition.given)
    data: dict[str, str] = {}
    for name, attribute in base.attributes.items():
        if name in attribute_map:
            data[name] = format_value(node.attributes[attribute_map[name].name])
        elif name in fixed and ("." not in name or _parsed(base, name, fixed[name]) != default_of(attribute)):
            data[name] = fixed[name]
    return data


def _parsed(base: Definition, name: str, text: str) -> Any:
    return parse(base.attributes[name], text)


def _same(node: Node) -> Wire:
    """An Identity needs no layer."""
    return node.required("input")


def _cast(node: Node) -> Wire:
    kind, source = node.attributes["to"], node.fact("input").element_type
    if STRING in (kind, source):
        raise impossible("OpenVINO's Convert does not support strings")
    if kind.name == "f8e8m0":
        raise impossible("ONNX's Cast and OpenVINO's Convert round to f8e8m0 differently")
    if kind.name == "f4e2m1" and not source.integral:
        raise impossible("ONNX's Cast converts NaN to -0 in f4e2m1, but OpenVINO's Convert to 6")
    if kind.floating and kind.bits == 8 and node.attributes.get("saturate", True):
        raise impossible(
            f"saturate is set, but OpenVINO's Convert turns numbers too large for {kind} into infinity or NaN"
        )
    return node.add("Convert-1", node.required("input"), destination_type=kind.name)


def _shape(node: Node) -> Wire:
    start, end = node.attributes.get("start", 0), node.attributes.get("end")
    if start == 0 and end is None:
        return node.add("ShapeOf-3", node.required("data"), output_type="i64")
    whole = node.add("ShapeOf-3", node.required("data"), part="whole", output_type="i64")
    bounds = {"start": [start], "stop": [LAST if end is None else end], "step": [1], "axes": [0]}
    return node.add("Slice-8", whole, *(node.constant(name, numbers) for name, numbers in bounds.items()))


def _reshape(node: Node) -> Wire:
    return _in_openvino(node, {"special_zero": format_value(not node.attributes.get("allowzero", False))})


def _slice(node: Node) -> Wire:
    """Add steps, which OpenVINO's op requires."""
    if "starts" in node.attributes:
        count: int | None = len(node.attributes["starts"])
    else:
        size = node.fact("starts").shape[0]
        count = int(size) if size.known else None
    if "steps" in {port.name for port in node.op.definition.inputs} and node.wire("steps") is not None:
        return _in_openvino(node, {})
    if count is None:
        raise unknown("steps are omitted, but the number of steps that OpenVINO's Slice needs is unknown")
    kind = np.int64 if "starts" in node.attributes else node.fact("starts").element_type.dtype
    return _in_openvino(node, {}, {"step": node.constant("step", np.ones(count, kind))})


def _unsqueeze(node: Node) -> Wire:
    """Without axes, which OpenVINO's op refuses, no layer is needed."""
    none = node.attributes["axes"] == () if "axes" in node.attributes else node.fact("axes").shape.size == 0
    return node.required("data") if none else _in_openvino(node, {})


RULES: dict[str, Callable[[Node], Wire]] = {
    "Identity": _same,
    "Cast": _cast,
    "Shape": _shape,
    "Reshape": _reshape,
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
}
"""By type of the ONNX op."""
