"""The attributes of nodes, as the texts that irops uses for attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.dialects.onnx.types import NAMES

FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS = 1, 2, 3, 4, 5, 6, 7, 8
"""AttributeProto.AttributeType"""
ELEMENT_TYPES = {("Cast", "to")}
"""Attributes of ops that irops defines which are numbers of TensorProto.DataType: op and name."""


def texts_of(node: Any) -> dict[str, str]:
    """The attributes of a NodeProto as texts; those that are graphs, tensors and the like, which no op here
    has, by their kind alone.
    """
    return {attribute.name: _text(node.op_type, attribute) for attribute in node.attribute}


def _text(op: str, attribute: Any) -> str:
    kind = attribute.type
    if kind == INT:
        return (
            NAMES.get(attribute.i, str(attribute.i))
            if (op, attribute.name) in ELEMENT_TYPES
            else str(attribute.i)
        )
    if kind == FLOAT:
        return _number(attribute.f)
    if kind == STRING:
        return _string(attribute.s)
    if kind in (INTS, FLOATS, STRINGS):
        items = {
            INTS: map(str, attribute.ints),
            FLOATS: map(_number, attribute.floats),
            STRINGS: map(_string, attribute.strings),
        }
        return ", ".join(items[kind])
    return {TENSOR: "<tensor>", GRAPH: "<graph>"}.get(kind, "<other>")


def _number(value: float) -> str:
    """The shortest text of a number of 32 bits."""
    return str(np.float32(value))


def _string(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")


def graphs_of(node: Any) -> list[Any]:
    """The sub-graphs of a node."""
    return [
        graph
        for attribute in node.attribute
        for graph in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs)
    ]
