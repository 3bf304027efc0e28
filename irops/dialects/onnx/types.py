"""The element types of ONNX, by the numbers of TensorProto.DataType."""

from __future__ import annotations

from irops.values.element import ElementType, element_type

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
