"""Layers of OpenVINO in ONNX, by what the definition of ONNX's op says of the op whose functions it
shares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irops.editing.translation.node import Node
from irops.editing.translation.pairs import counterpart, onnx_definition
from irops.editing.translation.refusal import impossible
from irops.editing.translation.target import Wire
from irops.spec.definition import Definition, PortSpec
from irops.spec.domains import default_of, format_value, parse
from irops.spec.sharing import own_attributes
from irops.values.element import as_i64

COUNTS = frozenset(("i32", "i64"))
"""The types that ONNX has indices, axes and sizes in."""


def in_onnx(node: Node, type: str) -> Wire:
    """The layer as an op of ONNX: inputs, and attributes that are inputs of the one or the other, by the
    definition.

    Raises:  RefusedError
    """
    definition, base = onnx_definition(type, node.target.opset), node.op.definition
    data, named = attributes_in_onnx(node, definition), dict[str, Sequence[Wire | None]]()
    wide = _mixed(node, definition)
    for place, port in enumerate(base.inputs):
        name, attribute = counterpart(definition, base, place, port)
        if node.wire(port.name) is None:
            continue
        if attribute is not None:
            numbers = node.numbers(port.name, f"ONNX's {definition.type} has it as an attribute, {attribute}")
            if numbers:
                data[attribute] = format_value(tuple(numbers))
        elif name is not None:
            wanted = next(p for p in definition.inputs if p.name == name)
            named[name] = (
                node.spread(port.name) if port.variadic else [fitting(node, port.name, wanted, wide)]
            )
        else:
            raise impossible(f"{definition.id} has no {port.name}")
    wires = [wire for port in definition.inputs for wire in named.get(port.name, [None])]
    return node.add(type, *wires, **data)


def attributes_in_onnx(node: Node, definition: Definition) -> dict[str, str]:
    """The attributes that both ops have, written out.

    Raises:  RefusedError where one that ONNX's op has not is other than what that op takes for granted
    """
    base = node.op.definition
    own = own_attributes(definition)
    fixed = {
        name: parse(base.attributes[name], text) for name, text in definition.given if name in base.attributes
    }
    data = {}
    for name, attribute in base.attributes.items():
        value = node.attributes[name]
        if name in own:
            data[own[name].name] = format_value(value)
        elif name.startswith("auto_broadcast"):
            if value == "pdpd":
                raise impossible("ONNX broadcasts as numpy does, and auto_broadcast is pdpd")
        elif value != fixed.get(name, default_of(attribute)):
            said = format_value(fixed.get(name, default_of(attribute)))
            raise impossible(
                f"{name} is {format_value(value)}, which {definition.id} does not have; it computes as if"
                f" it were {said}"
            )
    return data


def _mixed(node: Node, definition: Definition) -> bool:
    """Whether inputs for which ONNX asks for one type of integers are given in several."""
    of_one_type = [p for p in definition.inputs if p.type in definition.types and p.allowed <= COUNTS]
    meant = {p.stands_for or p.name for p in of_one_type}
    return (
        len(
            {
                node.fact(p.name).element_type
                for p in node.op.definition.inputs
                if p.name in meant and node.wire(p.name) is not None
            }
        )
        > 1
    )


def fitting(node: Node, name: str, wanted: PortSpec, wide: bool = False) -> Wire:
    """An input; of i64, where ONNX asks for integers and it is of another type (or wide is set), and a list
    where it asks for one.

    Raises:  RefusedError
    """
    wire, fact = node.given(name), node.fact(name)
    if not wanted.allowed <= COUNTS:
        return wire
    as_list = wanted.high_rank == 1 and fact.shape.rank == 0
    convert = fact.element_type.name not in wanted.allowed or (wide and fact.element_type.name != "i64")
    if not convert and not as_list:
        return wire
    if fact.value is not None:
        numbers = as_i64(fact.value)
        return node.constant(name, numbers.reshape(-1) if as_list else numbers)
    if convert:
        if fact.element_type.name == "u64" and wanted.name != "sequence_lens":
            raise impossible(
                f"{name} is of u64 and not constant, and ONNX takes i64, which does not hold all of its"
                " numbers"
            )
        wire = node.add("Cast", wire, part=name, to="i64")
    return (
        node.add("Reshape", wire, node.constant(f"{name}/shape", [-1]), part=f"{name}/list")
        if as_list
        else wire
    )


def transposed(node: Node, wire: Wire, order: Sequence[int], part: str = "") -> Wire:
    """A tensor with its axes in another order."""
    return node.add("Transpose", wire, part=part, perm=", ".join(map(str, order)))


def inverse(order: Sequence[int]) -> list[int]:
    """The order that undoes an order."""
    return [int(axis) for axis in np.argsort(order)]
