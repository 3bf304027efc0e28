"""The constants of a model: from a TensorProto to an element type, a shape, and bytes as irops stores
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from irops.dialects.onnx.external import ExternalFiles, OutsideError
from irops.dialects.onnx.types import element_of
from irops.dialects.onnx.weights import Piece, Stored, size_of
from irops.values.element import STRING, Array, ElementType, element_type_of
from irops.values.packing import pack, packed_size

EXTERNAL = 1
"""TensorProto.DataLocation"""


class TensorFault(ValueError):
    """What is wrong with a tensor; rule: the name of the diagnostic rule."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Constant:
    """A tensor that is part of a model. data: its elements, packed as irops stores them."""

    element: ElementType
    shape: tuple[int, ...]
    data: Piece

    @staticmethod
    def of(array: Array) -> Constant:
        element = element_type_of(array)
        return Constant(element, array.shape, memoryview(pack(array, element)))


def constant_of(tensor: Any, files: ExternalFiles) -> Constant:
    """The constant that a TensorProto holds, or says where to find.

    Raises:  TensorFault
    """
    element = element_of(tensor.data_type)
    if element is None:
        raise TensorFault(
            "unsupported-onnx-type", f"has the data type {tensor.data_type}, which irops does not support"
        )
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape):
        raise TensorFault("malformed-tensor", f"has the dims {list(shape)}, must be 0 or more")
    if tensor.HasField("segment"):
        raise TensorFault("malformed-tensor", "is a segment of a larger tensor, which is not supported")
    data = _data(tensor, element, shape, files)
    if element is STRING:
        return Constant(element, shape, data)
    wanted = packed_size(element, prod(shape))
    if size_of(data) != wanted:
        spelled = ",".join(map(str, shape))
        raise TensorFault(
            "malformed-tensor", f"has {size_of(data)} bytes, but {element}[{spelled}] requires {wanted}"
        )
    return Constant(element, shape, data)


def _data(tensor: Any, element: ElementType, shape: tuple[int, ...], files: ExternalFiles) -> Piece:
    if tensor.data_location == EXTERNAL:
        return _external(tensor, element, shape, files)
    if element is STRING:
        return _strings(tensor, shape)
    if tensor.HasField("raw_data"):
        return memoryview(tensor.raw_data)
    return memoryview(_fields(tensor, element))


def _strings(tensor: Any, shape: tuple[int, ...]) -> memoryview:
    texts = list(tensor.string_data)
    if len(texts) != prod(shape):
        raise TensorFault(
            "malformed-tensor", f"has {len(texts)} strings, but its dims {list(shape)} require {prod(shape)}"
        )
    array = np.empty(len(texts), object)
    for place, text in enumerate(texts):
        try:
            array[place] = text.decode()
        except UnicodeDecodeError:
            raise TensorFault("malformed-tensor", f"contains a string {place} that is not UTF-8") from None
    return memoryview(pack(array, STRING))


def _external(tensor: Any, element: ElementType, shape: tuple[int, ...], files: ExternalFiles) -> Stored:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if element is STRING:
        raise TensorFault("malformed-tensor", "contains strings, which cannot be external data")
    needed = packed_size(element, prod(shape))
    offset, length = (
        _integer(entries.get(name, default), name)
        for name, default in (("offset", "0"), ("length", str(needed)))
    )
    try:
        return files.bytes_of(location, offset, length)
    except OutsideError as error:
        raise TensorFault(
            "external-data-outside",
            f"is stored in {location!r}, which must be in the model's folder: {error}",
        ) from None
    except ValueError as error:
        raise TensorFault("missing-external-data", f"has external data: {error}") from None


def _integer(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise TensorFault(
            "malformed-tensor", f"has external data with the {name} {text!r}, which is not a number of bytes"
        )
    return int(text)


def _fields(tensor: Any, element: ElementType) -> bytes:
    """The elements where each is a number in a field of its own: bit patterns of small types lie in
    int32_data, packed if under 8 bits.
    """
    name = element.name
    if name in ("f32", "complex64"):
        return np.array(tensor.float_data, "<f4").tobytes()
    if name in ("f64", "complex128"):
        return np.array(tensor.double_data, "<f8").tobytes()
    if name == "i64":
        return np.array(tensor.int64_data, "<i8").tobytes()
    if name in ("u32", "u64"):
        return _narrowed(np.array(tensor.uint64_data, np.uint64), element.bits, 0)
    bits = max(element.bits, 8)
    return _narrowed(np.array(tensor.int32_data, np.int64), bits, 1)


def _narrowed(numbers: Array, bits: int, sign: int) -> bytes:
    """Numbers in fewer bits, signed ones or bit patterns."""
    if numbers.size and bits < 64:
        lowest, top = int(numbers.min()), int(numbers.max())
        if lowest < -sign << (bits - 1) or top >= 1 << bits:
            raise TensorFault(
                "malformed-tensor",
                f"contains the number {lowest if lowest < 0 else top}, which does not fit into {bits} bits",
            )
    return numbers.astype(f"<u{bits // 8}").tobytes()
