"""The element types and constants of ONNX: from a TensorProto to bytes as irops stores them, and back."""

import os
import re
from bisect import bisect_right
from dataclasses import dataclass
from math import prod
from pathlib import PurePosixPath
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irops.files.limits import Limits
from irops.files.storage import OpenFiles, Weights
from irops.files.urls import Place
from irops.ir.model import Layer, Model
from irops.ir.opening import weights_at
from irops.ir.weights import checked_region, constant
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of
from irops.values.packing import pack, packed_size

_FIRST = "f32 u8 i8 u16 i16 i32 i64 string boolean f16 f64 u32 u64 complex64 complex128 bf16"
_LATER = "f8e4m3 f8e4m3fnuz f8e5m2 f8e5m2fnuz u4 i4 f4e2m1 f8e8m0 u2 i2"
NAMES = dict(enumerate((*_FIRST.split(), *_LATER.split()), 1))  # 0 is UNDEFINED
"""27 and 28, floats of six bits, have no counterpart in irops."""
NUMBERS = {name: number for number, name in NAMES.items()}


def element_of(number: int) -> ElementType | None:
    """The element type of a number; None if irops does not support it."""
    return element_type(NAMES[number], foreign=True) if number in NAMES else None


def number_of(element: ElementType) -> int | None:
    """The number of an element type; None if ONNX has no such type."""
    return NUMBERS.get(element.name)


class StoredBytes(NamedTuple):
    """Bytes in a file, which are read when they are needed."""

    weights: Weights
    offset: int
    size: int


Piece: TypeAlias = memoryview | StoredBytes


def size_of(piece: Piece) -> int:
    """The number of bytes of a piece."""
    return piece.size if isinstance(piece, StoredBytes) else len(piece)


def content_of(piece: Piece) -> memoryview:
    """The bytes of a piece. Raises: WeightsChanged if a file is not what it was"""
    return piece.weights.view(piece.offset, piece.size) if isinstance(piece, StoredBytes) else piece


class Gathered(Weights):
    """Pieces of memory and of files, one behind the other as if they were one file. name: of the
    model, for messages.
    """

    __slots__ = ("_name", "_pieces", "_starts")

    def __init__(self, name: str) -> None:
        super().__init__(None)
        self._name = name
        self._starts: list[int] = []
        self._pieces: list[Piece] = []

    @property
    def name(self) -> str:
        return self._name

    def add(self, piece: Piece) -> int:
        """Put a piece behind the others; where it begins."""
        start, size = self._size, size_of(piece)
        if size:
            self._starts.append(start)
            self._pieces.append(piece)
            self._size += size
        return start

    def view(self, offset: int, size: int) -> memoryview:
        """Some of the bytes of one piece, uncopied; ValueError where they are not all there."""
        if size == 0:
            return memoryview(b"")
        piece, begin = self._piece(offset, size)
        if isinstance(piece, StoredBytes):
            return piece.weights.view(piece.offset + begin, size)
        return piece[begin : begin + size]

    def read(self, offset: int, size: int, files: OpenFiles | None = None) -> memoryview:
        """As view; bytes of a file are read, and not mapped."""
        if size == 0:
            return memoryview(b"")
        piece, begin = self._piece(offset, size)
        if isinstance(piece, StoredBytes):
            return piece.weights.read(piece.offset + begin, size, files)
        return piece[begin : begin + size]

    def _piece(self, offset: int, size: int) -> tuple[Piece, int]:
        """The piece that has some of the bytes, and where in it they begin."""
        place = bisect_right(self._starts, offset) - 1
        if place >= 0 and size > 0:
            begin = offset - self._starts[place]
            if begin + size <= size_of(self._pieces[place]):
                return self._pieces[place], begin
        raise ValueError(f"bytes {offset} to {offset + size} of {self._size} are out of range")


_DRIVE = re.compile(r"[A-Za-z]:")


class OutsideError(ValueError):
    """A path in a model is outside of the model's folder; the message says how."""


class ExternalFiles:
    """The files of one model. model: None for one that came from no file."""

    def __init__(self, model: Place | None, limits: Limits) -> None:
        self._model, self._limits = model, limits
        self._files: dict[Place, Weights] = {}

    def bytes_of(self, location: str, offset: int, size: int) -> StoredBytes:
        """Some bytes of a file, which are read when they are needed.

        Raises:  OutsideError; ValueError where the bytes are not there
        """
        path = self._path(location)
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = weights_at(path, self._limits)
        if file.fault is not None:
            raise ValueError(f"{location} {file.fault}")
        if offset + size > file.size:
            message = f"{location} has {file.size} bytes, but bytes {offset} to {offset + size} are needed"
            raise ValueError(message)
        return StoredBytes(file, offset, size)

    def _path(self, location: str) -> Place:
        if self._model is None:
            raise OutsideError("the model was not read from a file, so it has no folder")
        if not location or "\0" in location:
            raise OutsideError("it has no file name")
        if location.startswith(("/", "\\")) or _DRIVE.match(location):
            raise OutsideError("the path is absolute")
        if ".." in PurePosixPath(location.replace("\\", "/")).parts:
            raise OutsideError("the path contains ..")
        place = self._model.beside(location)
        if self._model.is_remote:
            if any(character in location for character in "?#%:"):
                raise OutsideError("the path has characters that mean something in a URL")
            return place
        folder, path = map(os.path.realpath, (os.path.dirname(self._model.path), place.path))
        if os.path.commonpath((folder, path)) != folder:
            raise OutsideError("a link leads out of it")
        return Place(path)


EXTERNAL = 1
"""TensorProto.DataLocation"""


class TensorFault(ValueError):
    """A fault of a tensor. rule: the name of the diagnostic rule."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class TensorConstant:
    """A tensor that is part of a model. data: its elements, packed as irops stores them."""

    element: ElementType
    shape: tuple[int, ...]
    data: Piece

    @staticmethod
    def of(array: Array) -> "TensorConstant":
        element = element_type_of(array)
        return TensorConstant(element, array.shape, memoryview(pack(array, element)))


def constant_of(tensor: Any, files: ExternalFiles) -> TensorConstant:
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
        return TensorConstant(element, shape, data)
    wanted = packed_size(element, prod(shape))
    if size_of(data) != wanted:
        spelled = ",".join(map(str, shape))
        raise TensorFault(
            "malformed-tensor", f"has {size_of(data)} bytes, but {element}[{spelled}] requires {wanted}"
        )
    return TensorConstant(element, shape, data)


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


def _external(tensor: Any, element: ElementType, shape: tuple[int, ...], files: ExternalFiles) -> StoredBytes:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if element is STRING:
        raise TensorFault("malformed-tensor", "contains strings, which cannot be external data")
    needed = packed_size(element, prod(shape))
    offset = _integer(entries.get("offset", "0"), "offset")
    length = _integer(entries.get("length", str(needed)), "length")
    try:
        return files.bytes_of(location, offset, length)
    except OutsideError as error:
        found = f"is stored in {location!r}, which must be in the model's folder: {error}"
        raise TensorFault("external-data-outside", found) from None
    except ValueError as error:
        raise TensorFault("missing-external-data", f"has external data: {error}") from None


def _integer(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):  # int() refuses thousands of digits
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
            found = f"contains the number {lowest if lowest < 0 else top}"
            raise TensorFault("malformed-tensor", f"{found}, which does not fit into {bits} bits")
    return numbers.astype(f"<u{bits // 8}").tobytes()


def tensor_of(model: Model, layer: Layer, name: str) -> Any:
    """The TensorProto of a constant.

    Raises:  DiagnosticError where its bytes are not all there
    """
    from onnx import TensorProto

    region = checked_region(model, layer)
    number = number_of(region.element)
    assert number is not None, "a type that ONNX has not is in no model of ONNX"
    proto = TensorProto(data_type=number, dims=region.shape, name=name)
    if region.element is STRING:
        proto.string_data.extend(str(text).encode() for text in constant(model, layer).ravel())
    elif region.elements:
        assert model.weights is not None
        proto.raw_data = bytes(model.weights.view(region.offset, region.size))
    else:
        proto.raw_data = b""
    return proto
