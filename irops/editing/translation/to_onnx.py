"""Convert OpenVINO layers to ONNX by the definition of the ONNX op that shares their functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irops.dialects.onnx.opsets import onnx_opsets
from irops.editing.translation.node import Node
from irops.editing.translation.pairs import counterpart, onnx_definition
from irops.editing.translation.refusal import impossible
from irops.editing.translation.target import Wire
from irops.spec.definition import Definition, PortSpec
from irops.spec.domains import default_of, format_value, parse
from irops.spec.sharing import own_attributes
from irops.values.element import as_i64

COUNTS = frozenset(("i32", "i64"))
"""The types of indices, axes and sizes in ONNX."""
WIDER = {"bf16": "f32", "f8e4m3": "f32", "f8e5m2": "f32", "i4": "i8", "u4": "u8"}
"""Types that many ops of ONNX do not accept, and types that have all their numbers."""


def in_onnx(node: Node, type: str) -> Wire:
    """Convert a layer to an ONNX op: the definition maps inputs and attributes to inputs and attributes.

    Raises:  RefusedError
    """
    definition, base = onnx_definition(type, node.target.opset), node.op.definition
    data, wires_by_name = attributes_in_onnx(node, definition), dict[str, Sequence[Wire | None]]()
    force_i64 = _has_mixed_types(node, definition)
    for index, port in enumerate(base.inputs):
        name, attribute = counterpart(definition, base, index, port)
        if node.wire(port.name) is None:
            continue
        if attribute is not None:
            numbers = node.numbers(port.name, f"it is the attribute {attribute} of ONNX's {definition.type}")
            if numbers:
                data[attribute] = format_value(tuple(numbers))
        elif name is not None:
            port_ = next(p for p in definition.inputs if p.name == name)
            wires_by_name[name] = (
                node.variadic_wires(port.name)
                if port.variadic
                else [converted_input(node, port.name, port_, force_i64)]
            )
        else:
            raise impossible(f"{definition.id} has no input {port.name}")
    wires = [wire for port in definition.inputs for wire in wires_by_name.get(port.name, [None])]
    return node.add(type, *wires, **data)


def attributes_in_onnx(node: Node, definition: Definition) -> dict[str, str]:
    """The attributes that both ops have, with explicit values.

    Raises:  RefusedError if an attribute that the ONNX op lacks has another value than that op implies
    """
    base = node.op.definition
    attribute_map = own_attributes(definition)
    fixed = {
        name: parse(base.attributes[name], text) for name, text in definition.given if name in base.attributes
    }
    data = {}
    for name, attribute in base.attributes.items():
        value = node.attributes[name]
        if name in attribute_map:
            data[attribute_map[name].name] = format_value(value)
        elif name.startswith("auto_broadcast"):
            if value == "pdpd":
                raise impossible("auto_broadcast is pdpd, but ONNX broadcasts like numpy")
        elif value != fixed.get(name, default_of(attribute)):
            implied = format_value(fixed.get(name, default_of(attribute)))
            raise impossible(
                f"{name} is {format_value(value)}, but {definition.id} has no such attribute and implies"
                f" {implied}"
            )
    return data


def _has_mixed_types(node: Node, definition: Definition) -> bool:
    """Whether inputs that must have one integer type in ONNX have several."""
    of_one_type = [p for p in definition.inputs if p.type in definition.types and p.allowed <= COUNTS]
    base_names = {p.stands_for or p.name for p in of_one_type}
    return (
        len(
            {
                node.fact(p.name).element_type
                for p in node.op.definition.inputs
                if p.name in base_names and node.wire(p.name) is not None
            }
        )
        > 1
    )


def converted_input(node: Node, name: str, port_: PortSpec, force_i64: bool = False) -> Wire:
    """An input, converted to i64 if ONNX does not accept its integer type (or if force_i64 is set), and to a
    vector if ONNX requires one.

    Raises:  RefusedError
    """
    wire, fact = node.required(name), node.fact(name)
    if not port_.allowed <= COUNTS:
        return wire
    as_list = port_.high_rank == 1 and fact.shape.rank == 0
    convert = fact.element_type.name not in port_.allowed or (force_i64 and fact.element_type.name != "i64")
    if not convert and not as_list:
        return wire
    if fact.value is not None:
        numbers = as_i64(fact.value)
        return node.constant(name, numbers.reshape(-1) if as_list else numbers)
    if convert:
        if fact.element_type.name == "u64" and port_.name != "sequence_lens":
            raise impossible(
                f"{name} is u64 and not constant, but ONNX requires i64, which cannot represent all values"
            )
        wire = node.add("Cast", wire, part=name, to="i64")
    return (
        node.add("Reshape", wire, node.constant(f"{name}/shape", [-1]), part=f"{name}/list")
        if as_list
        else wire
    )


def in_wider_type(node: Node, port: PortSpec, add: Callable[[Wire, str], Wire]) -> Wire:
    """Layers that move the elements of data; between two Casts, which are exact, if ONNX's op does not accept
    their type and has a wider one.

    port: the input for data; add: adds the layers for a wire, the last one with a suffix of its name
    """
    kind = node.fact("data").element_type.name
    if kind in port.allowed or kind not in WIDER:
        return add(node.required("data"), "")
    _require_cast(kind, node.target.opset)
    wide = cast(node, node.required("data"), WIDER[kind], part="wide")
    return cast(node, add(wide, "moved"), kind)


def _require_cast(kind: str, opset: int) -> None:
    """Raises: RefusedError if the opset has no Cast of this type"""

    def accepts(number: int) -> bool:
        return kind in onnx_definition("Cast", number).inputs[0].allowed

    if not accepts(opset):
        later = next(number for number in range(opset, onnx_opsets().last + 1) if accepts(number))
        raise impossible(f"its data is {kind}, which ONNX has only from opset {later} on, not in {opset}")


def cast(node: Node, wire: Wire, kind: str, part: str = "") -> Wire:
    """A Cast that gives infinity or NaN for numbers that are too large, as Convert does."""
    definition = onnx_definition("Cast", node.target.opset)
    has_saturate = kind.startswith("f8") and "saturate" in definition.attributes
    return node.add("Cast", wire, part=part, to=kind, **({"saturate": "0"} if has_saturate else {}))


def transposed(node: Node, wire: Wire, order: Sequence[int], part: str = "") -> Wire:
    """A tensor with its axes in another order."""
    return node.add("Transpose", wire, part=part, perm=", ".join(map(str, order)))


def inverse(order: Sequence[int]) -> list[int]:
    """The inverse permutation."""
    return [int(axis) for axis in np.argsort(order)]
