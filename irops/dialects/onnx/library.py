"""What reading and writing of ONNX share: the library onnx, its element types, and attributes of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, ReadError
from irops.diagnostics.rules import rule
from irops.files.extras import remedy
from irops.spec.domains import TensorValue, quoted
from irops.values.element import ElementType, element_type


def onnx_library(path: str | None, error: type[DiagnosticError] = ReadError) -> Any:
    """The module onnx.

    Raises:  error (IR901) with the extra of irops that brings it
    """
    try:
        import onnx
    except ImportError:
        message = f"ONNX models require the library onnx, which is not installed; {remedy('onnx')}"
        raise error([Diagnostic(rule("missing-onnx"), message, Location(path))]) from None
    return onnx


# The element types of ONNX, by the numbers of TensorProto.DataType.

NAMES = {
    1: "f32",
    2: "u8",
    3: "i8",
    4: "u16",
    5: "i16",
    6: "i32",
    7: "i64",
    8: "string",
    9: "boolean",
    10: "f16",
    11: "f64",
    12: "u32",
    13: "u64",
    14: "complex64",
    15: "complex128",
    16: "bf16",
    17: "f8e4m3",
    18: "f8e4m3fnuz",
    19: "f8e5m2",
    20: "f8e5m2fnuz",
    21: "u4",
    22: "i4",
    23: "f4e2m1",
    24: "f8e8m0",
    25: "u2",
    26: "i2",
}
"""27 and 28, floats of six bits, have no counterpart in irops."""
NUMBERS = {name: number for number, name in NAMES.items()}


def element_of(number: int) -> ElementType | None:
    """The element type of a number; None if irops does not support it."""
    return element_type(NAMES[number], foreign=True) if number in NAMES else None


def number_of(element: ElementType) -> int | None:
    """The number of an element type; None if ONNX has no such type."""
    return NUMBERS.get(element.name)


# The attributes of nodes, as the texts that irops uses for attributes.

FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS = 1, 2, 3, 4, 5, 6, 7, 8
TYPE_PROTO = 13
"""AttributeProto.AttributeType"""
ELEMENT_TYPES = {
    ("BitCast", "to"),
    ("Cast", "to"),
    ("MelWeightMatrix", "output_datatype"),
    *((f"{kind}Window", "output_datatype") for kind in ("Blackman", "Hamming", "Hann")),
    *((op, "dtype") for op in ("Bernoulli", "EyeLike", "Multinomial", "SequenceEmpty")),
    *((op, "output_dtype") for op in ("DequantizeLinear", "QuantizeLinear")),
    *((f"Random{kind}{like}", "dtype") for kind in ("Normal", "Uniform") for like in ("", "Like")),
}
"""Attributes of ops that irops defines which are numbers of TensorProto.DataType: op and name."""
TYPES = {("Optional", "type")}
"""Attributes of ops that irops defines which are TypeProtos: op and name."""
UNDEFINED = {0: "dynamic"}
"""The number of no type."""


def texts_of(node: Any) -> dict[str, str]:
    """The attributes of a NodeProto as texts; those that are graphs, tensors and the like, which no op here
    has, by their kind alone.
    """
    return {attribute.name: _text(node.op_type, attribute) for attribute in node.attribute}


def _text(op: str, attribute: Any) -> str:
    kind = attribute.type
    if kind == INT:
        return (
            (NAMES | UNDEFINED).get(attribute.i, str(attribute.i))
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
            STRINGS: map(quoted, map(_string, attribute.strings)),
        }
        return ", ".join(items[kind])
    if kind == TENSOR:
        return _tensor(attribute.t) or "<tensor>"
    return {GRAPH: "<graph>"}.get(kind, "<other>")


def _tensor(tensor: Any) -> str | None:
    """The type, the shape and the elements of a tensor in the file, as TensorValue has them, one number
    without its shape: f32 0.5; None for others.
    """
    kind = element_of(tensor.data_type)
    is_plain = kind is not None and (kind.integral or kind.floating or kind.name in ("boolean", "string"))
    if kind is None or not is_plain or tensor.data_location:
        return None
    from onnx import numpy_helper

    try:
        array = numpy_helper.to_array(tensor)
    except (TypeError, ValueError):  # the bytes do not match the type
        return None
    if kind.name == "string":
        texts = tuple(_string(item) if isinstance(item, bytes) else str(item) for item in array.flat)
        return str(TensorValue(kind, array.shape, texts))
    numbers = array.astype(np.float64 if kind.floating else np.int64)
    if array.size == 1:
        return f"{kind} {numbers.reshape(())}"
    return str(TensorValue(kind, array.shape, tuple(numbers.ravel().tolist())))


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
