"""Read ONNX models."""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irops.diagnostics.diagnostic import Diagnostic, Location, ReadError
from irops.diagnostics.printable import abridged, shortened
from irops.diagnostics.rule import Severity
from irops.dialects.onnx.library import (
    GRAPH,
    TYPE_PROTO,
    element_of,
    graphs_of,
    onnx_library,
    texts_of,
)
from irops.dialects.onnx.opsets import ONNX, OWN_DOMAINS, imported, onnx_opsets
from irops.files.limits import Limits
from irops.files.urls import Address, address, name_of
from irops.ir.collection import no_collection
from irops.ir.faults import Faults
from irops.ir.locate import Source
from irops.ir.model import (
    SHOWN,
    BackEdge,
    Body,
    Edge,
    Graph,
    Layer,
    LayerKind,
    Model,
    Port,
    PortMapping,
    walk,
)
from irops.ir.near_files import near
from irops.ir.open_files import OpenFiles
from irops.ir.opening import opened, weights_at
from irops.ir.region import Region
from irops.ir.regular import NotRegular
from irops.ir.remote.reasons import RemoteError
from irops.ir.storage import Weights, WeightsChanged
from irops.ir.traffic import count_read
from irops.ir.unique import UniqueNames
from irops.spec.body import CURRENT_ITERATION, EXECUTION_CONDITION, OUTER
from irops.values.element import STRING, Array, ElementType, element_type_of, tagged, zeros
from irops.values.fact import DEPTH
from irops.values.packing import pack, packed_size, unpack
from irops.values.shape import is_symbol


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


# External data of a model: files in the model's folder or its subfolders only, links included.

_DRIVE = re.compile(r"[A-Za-z]:")


class OutsideError(ValueError):
    """A path in a model is outside of the model's folder; the message says how."""


class ExternalFiles:
    """The files of one model. model: where it lies; None for a model that came from no file."""

    def __init__(self, model: Address | None, limits: Limits) -> None:
        self._model, self._limits = model, limits
        self._files: dict[Address, Weights] = {}

    def bytes_of(self, location: str, offset: int, size: int) -> StoredBytes:
        """Some bytes of a file, which are read when they are needed.

        Raises:  OutsideError; ValueError where the bytes are not there
        """
        file = self.file(location)
        if file.fault is not None:
            raise ValueError(f"{location} {file.fault}")
        if offset + size > file.size:
            raise ValueError(
                f"{location} has {file.size} bytes, but bytes {offset} to {offset + size} are needed"
            )
        return StoredBytes(file, offset, size)

    def file(self, location: str) -> Weights:
        """The file of a name. Raises: OutsideError"""
        place = self._place(location)
        file = self._files.get(place)
        if file is None:
            file = self._files[place] = weights_at(place, self._limits)
        return file

    def _place(self, location: str) -> Address:
        if self._model is None:
            raise OutsideError("the model was not read from a file, so it has no folder")
        if not location or "\0" in location:
            raise OutsideError("it has no file name")
        if location.startswith(("/", "\\")) or _DRIVE.match(location):
            raise OutsideError("the path is absolute")
        if ".." in PurePosixPath(location.replace("\\", "/")).parts:
            raise OutsideError("the path contains ..")
        if self._model.is_remote:
            if any(character in location for character in "?#%:"):
                raise OutsideError("the path has characters that mean something in a URL")
            return self._model.sibling(location)
        folder = os.path.realpath(os.path.dirname(self._model.text))
        path = os.path.realpath(os.path.join(folder, location))
        if os.path.commonpath((folder, path)) != folder:
            raise OutsideError("a link leads out of it")
        return address(path)


# The constants of a model: from a TensorProto to an element type, a shape, and bytes as irops stores them.

EXTERNAL = 1
"""TensorProto.DataLocation"""


class TensorFault(ValueError):
    """What is wrong with a tensor; rule: the name of the diagnostic rule."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class ConstantTensor:
    """A tensor that is part of a model. data: its elements, packed as irops stores them."""

    element: ElementType
    shape: tuple[int, ...]
    data: Piece

    @staticmethod
    def of(array: Array) -> ConstantTensor:
        element = element_type_of(array)
        return ConstantTensor(element, array.shape, memoryview(pack(array, element)))


def constant_of(tensor: Any, files: ExternalFiles, raw: Piece | None = None) -> ConstantTensor:
    """The constant that a TensorProto holds, or says where to find. raw: its raw data, where it was left out

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
    is_raw = raw is not None and tensor.data_location != EXTERNAL and element is not STRING
    data = raw if raw is not None and is_raw else _data(tensor, element, shape, files)
    if element is STRING:
        return ConstantTensor(element, shape, data)
    wanted = packed_size(element, prod(shape))
    if size_of(data) != wanted:
        spelled = ",".join(map(str, shape))
        raise TensorFault(
            "malformed-tensor", f"has {size_of(data)} bytes, but {element}[{spelled}] requires {wanted}"
        )
    return ConstantTensor(element, shape, data)


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


# What ONNX's specification requires of the parts of a model, beyond what a reader needs of them: kinds and
# names of attributes, names, types of inputs, the order of nodes, versions. A runtime refuses some of it
# (rules that are errors) and does not mind the rest (warnings).

INVALID, NONCONFORMING = "invalid-onnx-part", "nonconforming-onnx-part"
"""The names of the rules: runtimes refuse it; they do not mind it."""
LAST_IR_VERSION = 14
"""The newest version of the format that is known."""
FIRST_WITH_IMPORTS, FIRST_WITH_FREE_INITIALIZERS = 3, 4
"""The first versions of the format whose models import opsets, and whose initializers need not be inputs."""
LAST_OPSET = 1 << 31
"""Versions of opsets lie below."""


class Deviation(NamedTuple):
    """What is wrong with a part of a message. rule: its name; field, place: where the part is in the message,
    "" for the message itself.
    """

    rule: str
    message: str
    field: str = ""
    place: int = 0


# Attributes: each value is in the one field that its kind names, and has the kind that the op requires.

KINDS = (
    *("UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS", "TENSORS"),
    *("GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"),
)
"""The names of AttributeProto.AttributeType, by number."""
_FIELDS = (
    *("f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors", "graphs", "sparse_tensor"),
    *("sparse_tensors", "tp", "type_protos"),
)
_KIND_OF_FIELD = {name: number for number, name in enumerate(_FIELDS, 1)}


@cache
def attribute_kinds(type: str, domain: str, opset: int) -> Mapping[str, int]:
    """The kinds of the attributes of an op that the library onnx knows; none of others."""
    from onnx import defs

    try:
        schema = defs.get_schema(type, opset, "" if domain in OWN_DOMAINS else domain)
    except (defs.SchemaError, TypeError):
        return {}
    kinds: dict[str, Any] = {name: attribute.type for name, attribute in schema.attributes.items()}
    return {name: int(kind.value) for name, kind in kinds.items()}


def attribute_deviations(node: Any, opset: int) -> Iterator[Deviation]:
    """What is wrong with the attributes of a node, whatever their values are."""
    expected = attribute_kinds(node.op_type, node.domain, opset)
    seen: set[str] = set()
    for index, attribute in enumerate(node.attribute):
        name, kind = attribute.name, attribute.type
        shown = shortened(name) if isinstance(name, str) else "of a name that is not UTF-8"
        if name in seen:
            yield Deviation(INVALID, f"the attribute {shown} is given twice", "attribute", index)
        seen.add(name)
        present = [field.name for field, _ in attribute.ListFields() if field.name in _KIND_OF_FIELD]
        others = [name for name in present if _KIND_OF_FIELD[name] != kind]
        if not kind:
            yield Deviation(
                INVALID, f"the attribute {shown} does not say its kind (type)", "attribute", index
            )
        elif others:
            message = f"the attribute {shown} is of the kind {KINDS[kind]}, but holds {' and '.join(present)}"
            yield Deviation(INVALID, f"{message}; must hold {_FIELDS[kind - 1]} alone", "attribute", index)
        elif name in expected and kind != expected[name]:
            message = f"{shown} is of the kind {KINDS[kind]}, must be of the kind {KINDS[expected[name]]}"
            yield Deviation("wrong-attribute-kind", message, "attribute", index)
        if attribute.ref_attr_name:
            message = f"the attribute {shown} refers to one of a function, but its node is in none"
            yield Deviation(NONCONFORMING, message, "attribute", index)


# Graphs: what they declare, and how their nodes and tensors are named and ordered.


def graph_deviations(graph: Any, ir_version: int, around: Container[str] | None) -> Iterator[Deviation]:
    """What is wrong with a graph, without its attributes and constants.

    around: the tensors of graphs around it; None for a graph that is no body
    """
    if not graph.name:
        yield Deviation(NONCONFORMING, "the graph has no name, must have one")
    for field in ("input", "output"):
        for index, info in enumerate(getattr(graph, field)):
            if not info.name and field == "input":
                yield Deviation(NONCONFORMING, f"input {index} has no name, must have one", field, index)
            if around is None:
                yield from _type_deviations(info, field, index)
    if around is None:
        yield from _initializer_deviations(graph, ir_version)
    yield from _name_deviations(graph, around or ())
    yield from _order_deviations(graph)


def _type_deviations(info: Any, field: str, index: int) -> Iterator[Deviation]:
    shown = f"{field} {abridged(str(info.name), SHOWN)!r}"
    kind = info.type.WhichOneof("value")
    if kind is None:
        rule = INVALID if field == "input" else NONCONFORMING
        yield Deviation(rule, f"{shown} has no type, must have one", field, index)
    elif kind in ("tensor_type", "sparse_tensor_type"):
        tensor = getattr(info.type, kind)
        if not tensor.elem_type:
            yield Deviation(INVALID, f"{shown} has no element type, must have one", field, index)
        for size in tensor.shape.dim:
            if size.WhichOneof("value") == "dim_value" and size.dim_value < 0:
                message = f"{shown} has a dim of {size.dim_value}; it counts as unknown"
                yield Deviation(NONCONFORMING, message, field, index)
                break


def _initializer_deviations(graph: Any, ir_version: int) -> Iterator[Deviation]:
    inputs = {info.name for info in graph.input}
    for index, tensor in enumerate(graph.initializer):
        if not tensor.name:
            yield Deviation(NONCONFORMING, f"initializer {index} has no name", "initializer", index)
        elif 0 < ir_version < FIRST_WITH_FREE_INITIALIZERS and tensor.name not in inputs:
            message = (
                f"initializer {abridged(tensor.name, SHOWN)!r} is no input of the graph, must be one in a"
                f" model of ir_version {ir_version}"
            )
            yield Deviation(NONCONFORMING, message, "initializer", index)


def _name_deviations(graph: Any, around: Container[str]) -> Iterator[Deviation]:
    names: dict[str, int] = {}
    for index, node in enumerate(graph.node):
        is_free = node.op_type == "Constant" and node.domain in OWN_DOMAINS  # runtimes see no node in it
        first = index if is_free else names.setdefault(node.name, index)
        if node.name and first != index:
            message = f"node {index} has the name {abridged(node.name, SHOWN)!r} of node {first}"
            yield Deviation(INVALID, f"{message}; names of nodes are unique", "node", index)
        for name in node.output:
            if name and name in around:
                message = (
                    f"node {index} produces the tensor {abridged(name, SHOWN)!r}, as does a graph around this"
                    " one; names are unique"
                )
                yield Deviation(NONCONFORMING, message, "node", index)


def _order_deviations(graph: Any) -> Iterator[Deviation]:
    """Nodes that come before one whose output they take, unless they are part of a cycle."""
    producer: dict[str, int] = {}
    given = {info.name for info in (*graph.input, *graph.initializer)}
    for index, node in enumerate(graph.node):
        for name in node.output:
            if name and name not in given:
                producer.setdefault(name, index)
    early = {
        index: name
        for index, node in enumerate(graph.node)
        for name in node.input
        if name and producer.get(name, -1) >= index
    }
    cyclic = _unsortable(graph, producer) if early else frozenset[int]()
    for index, name in early.items():
        if index not in cyclic:
            message = (
                f"node {index} takes {abridged(name, SHOWN)!r}, which node {producer[name]} produces after"
                " it; nodes must come after those whose outputs they take"
            )
            yield Deviation(NONCONFORMING, message, "node", index)


def _unsortable(graph: Any, producer: Mapping[str, int]) -> frozenset[int]:
    """The nodes that no order has behind all those whose outputs they take."""
    waits = {
        index: {producer[name] for name in node.input if name in producer}
        for index, node in enumerate(graph.node)
    }
    users: dict[int, list[int]] = {}
    for index, sources in waits.items():
        for source in sources:
            users.setdefault(source, []).append(index)
    ready = [index for index, sources in waits.items() if not sources]
    done: set[int] = set()
    while ready:
        index = ready.pop()
        done.add(index)
        for user in users.get(index, ()):
            waits[user].discard(index)
            if not waits[user]:
                ready.append(user)
    return frozenset(waits.keys() - done)


# The model itself.


def model_deviations(model: Any) -> Iterator[Deviation]:
    """What is wrong with versions, imports, metadata and the names of functions."""
    version = model.ir_version
    if not model.HasField("ir_version"):
        message = f"the model has no ir_version, must have one from 1 to {LAST_IR_VERSION}"
        yield Deviation("unsupported-onnx-version", message)
    elif version > LAST_IR_VERSION:
        message = f"ir_version is {version}; the newest that is known is {LAST_IR_VERSION}"
        yield Deviation("unsupported-onnx-version", message, "ir_version")
    elif version < 1:
        yield Deviation(NONCONFORMING, f"ir_version is {version}, must be 1 or more", "ir_version")
    elif version < FIRST_WITH_IMPORTS and model.opset_import:
        message = f"ir_version is {version}, must be {FIRST_WITH_IMPORTS} or more in a model that imports"
        yield Deviation(NONCONFORMING, f"{message} opsets", "ir_version")
    yield from _import_deviations(model)
    keys = Counter(entry.key for entry in model.metadata_props)
    for index, entry in enumerate(model.metadata_props):
        if keys[entry.key] > 1:
            keys[entry.key] = 1
            message = f"metadata_props has the key {abridged(str(entry.key), SHOWN)!r} more than once"
            yield Deviation(NONCONFORMING, message, "metadata_props", index)
    yield from _function_deviations(model)


def _import_deviations(model: Any) -> Iterator[Deviation]:
    versions: dict[str, int] = {}
    for index, entry in enumerate(model.opset_import):
        domain = "" if entry.domain in OWN_DOMAINS else entry.domain
        shown = abridged(str(domain) or "ai.onnx", SHOWN)
        if not domain and not 1 <= entry.version < LAST_OPSET:
            message = f"the model imports opset {entry.version} of {shown}, must be 1 or more, in 32 bits"
            yield Deviation(INVALID, message, "opset_import", index)
        if versions.setdefault(domain, entry.version) != entry.version:
            message = f"the model imports the opsets {versions[domain]} and {entry.version} of {shown}"
            yield Deviation(NONCONFORMING, f"{message}; the last one counts", "opset_import", index)


def _function_deviations(model: Any) -> Iterator[Deviation]:
    seen: set[tuple[str, str, str]] = set()
    for index, function in enumerate(model.functions):
        key = (function.domain, function.name, getattr(function, "overload", ""))
        shown = repr(abridged(":".join(map(str, key[:2])), SHOWN))
        if key in seen:
            yield Deviation(INVALID, f"the model has the function {shown} twice", "functions", index)
        seen.add(key)
        if not function.name:
            yield Deviation(NONCONFORMING, f"function {index} has no name, must have one", "functions", index)
        if len(set(function.input)) < len(function.input):
            message = f"two inputs of the function {shown} have one name"
            yield Deviation(NONCONFORMING, message, "functions", index)


def misread(message: Any) -> str | None:
    """Which field of a message no reader takes, since it has another form, or a value that is none of its
    own.
    """
    from google.protobuf.unknown_fields import UnknownFieldSet

    known = message.DESCRIPTOR.fields_by_number
    numbers = dict.fromkeys(field.field_number for field in UnknownFieldSet(message))
    names = [known[number].name for number in numbers if number in known]
    if not names:
        return None
    return f"{' and '.join(names)} has a form or a value that is not allowed, and is ignored"


def tensor_deviation(tensor: Any, more: int = 0) -> str | None:
    """Why a tensor's data could mean two things. more: fields that were left out when it was read."""
    names = ("float_data", "int32_data", "string_data", "int64_data", "double_data", "uint64_data")
    present = [name for name in names if len(getattr(tensor, name))]
    present += ["raw_data"] if more or tensor.HasField("raw_data") else []
    return f"has data in {' and '.join(present)}, must have one of them" if len(present) > 1 else None


# From a GraphProto to a graph of layers: nodes, and Parameter, Const and Result for what has no node.

# Values of Constant nodes, and sparse tensors, which become dense.

DENSE_BYTES = 1 << 30
"""How large a sparse tensor may become."""


def node_constant(node: Any, files: ExternalFiles) -> ConstantTensor:
    """The value of a node Constant.

    Raises:  TensorFault
    """
    named = [
        attribute for attribute in node.attribute if attribute.name in ("value", "sparse_value", *_PLAIN)
    ]
    if len(named) != 1:
        given = ", ".join(attribute.name for attribute in named) or "no value at all"
        raise TensorFault(
            "constant-without-value",
            f"has {given}, must have exactly one of value, sparse_value, {', '.join(_PLAIN)}",
        )
    attribute = named[0]
    if attribute.name == "value":
        return constant_of(attribute.t, files)
    if attribute.name == "sparse_value":
        return sparse_constant(attribute.sparse_tensor, files)
    return ConstantTensor.of(_PLAIN[attribute.name](attribute))


def _texts(values: list[bytes]) -> Array:
    array = np.empty(len(values), object)
    try:
        array[:] = [value.decode() for value in values]
    except UnicodeDecodeError:
        raise TensorFault("malformed-tensor", "holds a string that is not UTF-8") from None
    return array


_PLAIN: dict[str, Callable[[Any], Array]] = {
    "value_float": lambda a: np.array(a.f, np.float32),
    "value_floats": lambda a: np.array(a.floats, np.float32),
    "value_int": lambda a: np.array(a.i, np.int64),
    "value_ints": lambda a: np.array(a.ints, np.int64),
    "value_string": lambda a: _texts([a.s]).reshape(()),
    "value_strings": lambda a: _texts(list(a.strings)),
}
"""The attributes that are numbers and strings themselves."""


def sparse_constant(sparse: Any, files: ExternalFiles) -> ConstantTensor:
    """A SparseTensorProto, dense.

    Raises:  TensorFault
    """
    values, places = (constant_of(tensor, files) for tensor in (sparse.values, sparse.indices))
    shape = tuple(sparse.dims)
    if any(size < 0 for size in shape):
        raise TensorFault("malformed-tensor", f"has the dims {list(shape)}, must be 0 or more")
    if prod(shape) * max(values.element.dtype.itemsize, 1) > DENSE_BYTES:
        raise TensorFault(
            "unsupported-onnx-type",
            f"is sparse, and has too many elements when made dense: {prod(shape)}",
        )
    if places.element.name != "i64" or len(values.shape) != 1:
        raise TensorFault(
            "malformed-tensor",
            f"is sparse, with indices of {places.element} for values of rank {len(values.shape)}; "
            "must be of i64 for values of rank 1",
        )
    dense = zeros(shape, values.element)
    flat = _flat(unpack(content_of(places.data), places.element, places.shape), values.shape[0], shape)
    dense.reshape(-1)[flat] = unpack(content_of(values.data), values.element, values.shape)
    return ConstantTensor.of(tagged(dense, values.element))


def sparse_deviation(sparse: Any, files: ExternalFiles) -> str | None:
    """What runtimes do not mind of a SparseTensorProto that can be made dense."""
    try:
        values, places = (constant_of(tensor, files) for tensor in (sparse.values, sparse.indices))
        array = unpack(content_of(places.data), places.element, places.shape)
        flat = _flat(array, values.shape[0], tuple(sparse.dims)) if values.shape else array
    except (TensorFault, IndexError, ValueError):
        return None  # what is wrong with it is reported where it is read
    is_sorted = bool((np.diff(flat) > 0).all()) if flat.ndim == 1 else True
    return None if is_sorted else "is sparse, with indices that are not in ascending order"


def _flat(places: Array, count: int, shape: tuple[int, ...]) -> Array:
    """Where each value goes, counted in the dense tensor: indices are such places already, or rows of one
    index per axis.
    """
    if places.shape == (count, len(shape)):
        if ((places < 0) | (places >= np.array(shape, np.int64))).any():
            raise TensorFault(
                "malformed-tensor", f"is sparse, with indices outside of its dims {list(shape)}"
            )
        return np.ravel_multi_index(tuple(places.T), shape) if shape else np.zeros(count, np.int64)
    if places.shape == (count,) and ((places >= 0) & (places < prod(shape))).all():
        return places
    raise TensorFault(
        "malformed-tensor",
        f"is sparse, with {count} values and indices of shape {list(places.shape)} for dims {list(shape)}",
    )


# Values in messages of their own, as data sets of tests have them.

_TENSOR, _SPARSE_TENSOR, _SEQUENCE, _MAP, _OPTIONAL = 1, 2, 3, 4, 5
"""SequenceProto.DataType, and OptionalProto.DataType"""


def value_of(message: Any) -> Any:
    """The value of a TensorProto or a SparseTensorProto as an array, of a SequenceProto as a list, of a
    MapProto as a dict, of an OptionalProto as None or what it holds.

    Raises:  ValueError where it has none
    """
    name = message.DESCRIPTOR.name
    if name in ("TensorProto", "SparseTensorProto"):
        read = constant_of if name == "TensorProto" else sparse_constant
        try:
            constant = read(message, ExternalFiles(None, Limits()))
        except TensorFault as fault:
            raise ValueError(f"it {fault}") from None
        return unpack(content_of(constant.data), constant.element, constant.shape)
    if name == "MapProto":
        keys = [key.decode() for key in message.string_keys] or list(message.keys)
        return dict(zip(keys, value_of(message.values)))
    if name == "SequenceProto":
        kinds = {
            _TENSOR: "tensor",
            _SPARSE_TENSOR: "sparse_tensor",
            _SEQUENCE: "sequence",
            _MAP: "map",
            _OPTIONAL: "optional",
        }
        kind = kinds.get(message.elem_type)
        return [value_of(item) for item in getattr(message, f"{kind}_values")] if kind is not None else []
    if name == "OptionalProto":
        content = next((field for field, _ in message.ListFields() if field.name.endswith("_value")), None)
        return None if content is None else value_of(getattr(message, content.name))
    raise ValueError(f"it is a {name}, which is not a value")


# What a model declares of tensors: element types, and shapes whose sizes may bear names.

MAX_LENGTH = 100
"""Of the name of a size, which every shape with this size repeats."""
_OTHER = re.compile(r"\W", re.ASCII)
UNKNOWN = ("", "?", "*", "unk", "None")
"""Names that exporters give to sizes of which they know nothing, the same to many."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a ValueInfoProto says. shape: as a text of irops, ... for any rank; dims: sizes, -1 for one that
    is not known; type: of a value that is not a tensor, as a text that parse_fact reads; is_valid: whether
    the fault is one of irops, not of the file.
    """

    element: ElementType | None
    shape: str
    dims: tuple[int, ...]
    fault: str | None = None
    type: str | None = None
    is_valid: bool = False

    @property
    def hint(self) -> str:
        """The type and shape in one text."""
        return self.type or f"{'dynamic' if self.element is None else self.element}[{self.shape}]"

    @property
    def data(self) -> dict[str, str]:
        """The attributes of a Parameter that declares the same."""
        element = "dynamic" if self.element is None else self.element.name
        typed = {} if self.type is None else {"type": self.type}
        return {"shape": self.shape, "element_type": element, **typed}


class SizeNames:
    """The names of sizes of one model, as shapes have them; see is_symbol."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._used_names = UniqueNames(mark="_")

    def spelled(self, name: str) -> str:
        if name in UNKNOWN:
            return "?"
        found = self._known.get(name)
        if found is None:
            plain = name if is_symbol(name) else _OTHER.sub("_", name)
            found = plain[:MAX_LENGTH].rstrip(".")
            found = found if is_symbol(found) else f"_{found}"
            found = self._known[name] = self._used_names.unique(found)
        return found


def declared(info: Any, names: SizeNames) -> Declared:
    """What is declared of a tensor; fault: why it is none that irops has."""
    kind = info.type.WhichOneof("value")
    if kind is None:
        return Declared(None, "...", ())
    if kind == "tensor_type":
        return _declared_tensor(info.type.tensor_type, names)
    try:
        return Declared(None, "...", (), type=_type_text(info.type, names))
    except ValueError as error:
        return Declared(None, "...", (), str(error))


def _declared_tensor(tensor: Any, names: SizeNames) -> Declared:
    kind = tensor.elem_type
    element = element_of(kind) if kind else None
    fault = f"has the data type {kind}, which irops does not support" if kind and element is None else None
    texts = [_size(dim, names) for dim in tensor.shape.dim] if tensor.HasField("shape") else ["..."]
    dims = tuple(int(text) if text.isdigit() else -1 for text in texts) if texts != ["..."] else ()
    return Declared(element, ",".join(texts), dims, fault, is_valid=kind in SIX_BITS)


SIX_BITS = (27, 28)
"""The data types of ONNX that irops does not have: floats of six bits."""


def _type_text(type: Any, names: SizeNames, depth: int = 0) -> str:
    """A TypeProto as parse_fact reads it. Raises: ValueError where irops has no such type"""
    kind = type.WhichOneof("value")
    if depth > DEPTH:
        raise ValueError(f"has a type that contains more than {DEPTH} others")
    if kind in (None, "opaque_type"):
        return "dynamic[...]"
    if kind in ("tensor_type", "sparse_tensor_type"):
        found = _declared_tensor(getattr(type, kind), names)
        if found.fault is not None:
            raise ValueError(found.fault)
        text = f"{'dynamic' if found.element is None else found.element}[{found.shape}]"
        return text if kind == "tensor_type" else f"sparse({text})"
    if kind == "map_type":
        key, content = (
            element_of(type.map_type.key_type),
            _type_text(type.map_type.value_type, names, depth + 1),
        )
        if key is None:
            raise ValueError(f"is a map with keys of the data type {type.map_type.key_type}")
        return f"map({key},{content})"
    name = kind.removesuffix("_type")
    return f"{name}({_type_text(getattr(type, kind).elem_type, names, depth + 1)})"


def _size(dim: Any, names: SizeNames) -> str:
    which = dim.WhichOneof("value")
    if which == "dim_value":
        return str(dim.dim_value) if dim.dim_value >= 0 else "?"
    return names.spelled(dim.dim_param) if which == "dim_param" else "?"


# Places: where the parts of a model lie in its file.

NODE, INITIALIZER, INPUT, OUTPUT, SPARSE_INITIALIZER = 1, 5, 11, 12, 15
"""The numbers of fields of GraphProto."""
_GRAPH, _ATTRIBUTE, _G, _GRAPHS = 7, 5, 6, 11
"""The numbers of ModelProto.graph, NodeProto.attribute, AttributeProto.g and AttributeProto.graphs."""
_FUNCTIONS, _RAW_DATA = 25, 9
"""The numbers of ModelProto.functions and TensorProto.raw_data."""
HEAVY = 1 << 16
"""The size from which raw data are left where they are."""
_NAME = 1
"""The number of AttributeProto.name."""
MOST_REREAD = 1 << 20
"""The size of a node up to which its file is read again to find an attribute."""
_FIXED = {1: 8, 5: 4}
"""The sizes of values by wire types."""


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number in as many bytes as it needs, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise IndexError("a number has more than ten bytes")


def records(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The records of a message that the library has read: numbers of fields, where each record begins, and
    where its content begins and ends.
    """
    at = start
    while at < end:
        tag, begin = _number(data, at)
        kind, stop = tag & 7, begin
        if kind == 0:
            _, stop = _number(data, begin)
        elif kind == 2:
            size, begin = _number(data, begin)
            stop = begin + size
        elif kind in _FIXED:
            stop = begin + _FIXED[kind]
        else:
            raise IndexError("a group, which ONNX does not have")
        yield tag >> 3, at, begin, stop
        at = stop


def _quoted(name: str) -> str:
    return json.dumps(abridged(name, SHOWN), ensure_ascii=False)


NO_RAW: Mapping[int, Piece] = MappingProxyType({})


def without_raw(data: bytes, file: Weights) -> tuple[bytes, Mapping[int, Piece]]:
    """The bytes of a model without the raw data of its large initializers, and these by the places of their
    initializers: they are read, or mapped, when they are needed. file: that has the bytes

    A model that is damaged, has functions or has its graph in pieces is left as it is.
    """
    if len(data) < HEAVY:
        return data, NO_RAW
    try:
        found = [(number, *place) for number, *place in records(data, 0, len(data))]
        graphs = [place for place in found if place[0] == _GRAPH]
        if len(graphs) != 1 or any(place[0] == _FUNCTIONS for place in found) or found[-1][3] != len(data):
            return data, NO_RAW
        _, start, begin, end = graphs[0]
        content, raw = _graph_without_raw(data, begin, end, file)
    except IndexError:
        return data, NO_RAW
    if not raw:
        return data, NO_RAW
    return b"".join((data[:start], _record(_GRAPH, content), data[end:])), raw


def _graph_without_raw(
    data: bytes, begin: int, end: int, file: Weights
) -> tuple[list[bytes | memoryview], dict[int, Piece]]:
    """The content of a GraphProto in pieces. Raises: IndexError where it is damaged"""
    view, pieces, raw = memoryview(data), list[bytes | memoryview](), dict[int, Piece]()
    copied, count, last = begin, -1, begin
    for number, start, inner, last in records(data, begin, end):
        count += number == INITIALIZER
        if number != INITIALIZER or last - inner < HEAVY:
            continue
        fields = list(records(data, inner, last))
        heavy = [place for place in fields if place[0] == _RAW_DATA]
        if fields[-1][3] != last or last > end:
            raise IndexError
        if len(heavy) != 1 or data[heavy[0][1]] & 7 != 2 or heavy[0][3] - heavy[0][2] < HEAVY:
            continue
        _, cut, from_, to = heavy[0]
        pieces.append(view[copied:start])
        pieces.append(_record(INITIALIZER, [view[inner:cut], view[to:last]]))
        raw[count] = StoredBytes(file, from_, to - from_)
        copied = last
    if last != end:
        raise IndexError
    return [*pieces, view[copied:end]], raw


def _record(number: int, content: Sequence[bytes | memoryview]) -> bytes:
    """A record with a content in pieces."""
    rest = sum(map(len, content))
    head = bytearray([number << 3 | 2])
    while rest > 127:
        head.append(rest & 127 | 128)
        rest >>= 7
    return b"".join((head, bytes([rest]), *content))


class ElementPlace(NamedTuple):
    """A part of a file: where its record begins, where its content begins and ends, the way to it."""

    at: int
    begin: int
    end: int
    element: str


class ElementSource(Source):
    """A file that is not text: places are those of records. parts: by the offset of the record and of its
    content, which stands for the attributes of a layer.
    """

    def __init__(self, path: str | None) -> None:
        super().__init__(path, b"", as_stored=False)
        self.parts: dict[int, ElementPlace] = {}
        self.size = 0

    def add(self, layer: Layer, part: ElementPlace) -> None:
        layer.at, layer.data_at = part.at, part.begin
        self.parts[part.at] = self.parts[part.begin] = part

    def noted(self, part: ElementPlace | None) -> int:
        """What stands for a part that is no layer, as its offset would for a layer."""
        if part is None:
            return -1
        self.parts[-2 - len(self.parts)] = part
        return -1 - len(self.parts)

    def location(
        self,
        at: int,
        layer: tuple[int | None, str | None] = (None, None),
        path: tuple[str, ...] = (),
        attribute: str | None = None,
    ) -> Location:
        plain = super().location(-1, layer, path)
        part = self.parts.get(at)
        if part is None:
            return plain
        element, span = part.element, (part.at, part.end)
        if attribute is not None and at == part.begin:
            element = f"{element}.attribute[{_quoted(attribute)}]"
            span = self._attribute(part, attribute) or span
        elif attribute == "type":
            element = f"{element}.op_type"
        return replace(plain, element=element, bytes=span)

    def _attribute(self, node: ElementPlace, name: str) -> tuple[int, int] | None:
        """Where an attribute of a node begins and ends; None where the file does not say so any more."""
        size = node.end - node.begin
        content = None if self.path is None or size > MOST_REREAD else Weights.of_file(self.path)
        if content is None or content.size != self.size:
            return None
        with suppress(WeightsChanged, IndexError):
            data = bytes(content.read(node.begin, size))
            for number, at, begin, end in records(data, 0, size):
                if number == _ATTRIBUTE and (_NAME, name.encode()) in (
                    (field, data[start:stop]) for field, _, start, stop in records(data, begin, end)
                ):
                    return node.begin + at, node.begin + end
        return None

    def attribute_offset(self, at: int, name: str) -> None:
        return None

    def child_offset(self, at: int, tag: str, index: int = 0) -> None:
        return None


_SINGLE = ("ir_version", "graph")
"""Fields of a model that are not repeated."""


class GraphPlaces:
    """The parts of a graph, or of a model, in the order of its file. part: the whole of it"""

    def __init__(self, data: bytes, part: ElementPlace) -> None:
        self._data, self._part, self._element = data, part, part.element
        self._fields: dict[int, list[tuple[int, int, int]]] = {}
        for number, *place in records(data, part.begin, part.end):
            self._fields.setdefault(number, []).append((place[0], place[1], place[2]))

    @staticmethod
    def of_model(data: bytes) -> GraphPlaces | None:
        """Those of the graph of a model; None where its file has it in several pieces."""
        graphs = [place for number, *place in records(data, 0, len(data)) if number == _GRAPH]
        return (
            GraphPlaces(data, ElementPlace(graphs[0][0], graphs[0][1], graphs[0][2], "graph"))
            if len(graphs) == 1
            else None
        )

    def part(self, number: int, name: str, index: int) -> ElementPlace | None:
        places = self._fields.get(number, [])
        if index >= len(places):
            return None
        way = f"{self._element}.{name}" if self._element else name
        return ElementPlace(*places[index], way if name in _SINGLE else f"{way}[{index}]")

    def whole(self) -> ElementPlace:
        """The message itself."""
        return self._part

    def body(self, node: ElementPlace, attribute: int, name: str, index: int | None) -> GraphPlaces | None:
        """The parts of a graph that is an attribute of a node."""
        found = [
            place for number, *place in records(self._data, node.begin, node.end) if number == _ATTRIBUTE
        ]
        if attribute >= len(found):
            return None
        wanted = _G if index is None else _GRAPHS
        inner = records(self._data, found[attribute][1], found[attribute][2])
        graphs = [place for number, *place in inner if number == wanted]
        if (index or 0) >= len(graphs):
            return None
        field = "g" if index is None else f"graphs[{index}]"
        element = f"{node.element}.attribute[{_quoted(name)}].{field}"
        at, begin, end = graphs[index or 0]
        return GraphPlaces(self._data, ElementPlace(at, begin, end, element))


class StoredElement(NamedTuple):
    """What a layer was read from, and what it was then, so that a writer can find out what has changed.

    proto: a NodeProto, ValueInfoProto, TensorProto or SparseTensorProto; weights: those of its model; raw:
    the raw data of a tensor that was read without them
    """

    proto: Any
    name: str
    data: tuple[tuple[str, str], ...]
    weights: Weights
    raw: Piece | None = None


class StoredModel(NamedTuple):
    """What a model was read from. files: with external data; opsets: those of the model then; raw: the raw
    data of initializers that were read without them, by their places
    """

    proto: Any
    files: ExternalFiles
    opsets: dict[str, int]
    raw: Mapping[int, Piece]


class GraphBuilder:
    """Builds a graph of one model. versions: what a layer's version says, by the domain of its op.

    outer: builds the graph around, if it is a body; parts: where its parts lie in the file; captured: tensors
    of graphs around, with the Parameters of this one that stand for them.
    """

    def __init__(
        self,
        versions: dict[str, str],
        files: ExternalFiles,
        weights: Gathered,
        faults: Faults,
        outer: GraphBuilder | None = None,
        parts: GraphPlaces | None = None,
        raw: Mapping[int, Piece] = NO_RAW,
    ) -> None:
        self.versions, self.files, self.weights, self.faults = versions, files, weights, faults
        self.graph, self.outer, self.parts, self.raw = Graph(), outer, parts, raw
        self.names: SizeNames = SizeNames() if outer is None else outer.names
        self.ir_version: int = 0 if outer is None else outer.ir_version
        self.as_read: Any = None  # the graph before functions were inlined, where the model has some
        self.known: dict[str, Declared] = {}
        self.sources: dict[
            str, tuple[int, int]
        ] = {}  # of each tensor, the layer and the label of the port that gives it
        self.layer_names = UniqueNames()
        self.inputs: set[str] = set()
        self.captured: dict[str, Layer] = {}

    def build(self, proto: Any) -> Graph:
        self.graph.stored = proto
        as_read = proto if self.as_read is None else self.as_read
        around = None if self.outer is None else self.outer.sources
        for deviation in graph_deviations(as_read, self.ir_version, around):
            self._add_deviation(deviation, as_read)
        self._unread(proto, "", (proto,))
        for field in ("input", "output", "value_info"):
            self._unread(proto, field, getattr(proto, field))
        for info in (*proto.input, *proto.output):
            self.known.setdefault(info.name, declared(info, self.names))
        for place, info in enumerate(proto.value_info):
            known = declared(info, self.names)
            self.known.setdefault(info.name, known)
            if known.fault is not None:
                rule, message = "unsupported-onnx-type", f"value_info {info.name!r} {known.fault}"
                self._add_deviation(Deviation(rule, message, "value_info", place), proto, known.is_valid)
        self.layer_names.update(info.name for info in proto.output)
        constants = {tensor.name for tensor in proto.initializer} | {
            sparse.values.name for sparse in proto.sparse_initializer
        }
        self.inputs = {info.name for info in proto.input}
        given = set() if self.outer is None else self.inputs
        for place, info in enumerate(proto.input):
            if info.name not in constants or info.name in given:
                self._parameter(info.name, info, place)
        for place, tensor in enumerate(proto.initializer):
            if tensor.name not in given:
                self._initializer(tensor.name, tensor, constant_of, place)
        for place, sparse in enumerate(proto.sparse_initializer):
            if sparse.values.name not in given:
                self._initializer(sparse.values.name, sparse, sparse_constant, place)
        for layer, names in [self._node(node, place) for place, node in enumerate(proto.node)]:
            self._feed(layer, names)
        for place, info in enumerate(proto.output):
            self._result(info, place)
        return self.graph

    def _layer(
        self, name: str, type: str, version: str | None = None, data: dict[str, str] | None = None
    ) -> Layer:
        """Another layer; without a version, one for what ONNX has no node for."""
        if not isinstance(name, str):
            raise TypeError("the name of a layer is not a text")
        layer = Layer(
            len(self.graph.layers), name, type, version or self.versions.get("", f"{ONNX}:1"), data or {}
        )
        self.graph.layers.append(layer)
        self.faults.layer = layer
        return layer

    def _version(self, domain: str) -> str:
        """What a layer's version says of the opset that it is of."""
        own = "" if domain in OWN_DOMAINS else domain
        return self.versions.setdefault(own, f"{own or ONNX}:1")

    def _is_unimported(self, domain: str) -> bool:
        """Whether a domain is not imported, and no node before was of it."""
        if not isinstance(domain, str):
            raise TypeError("the domain of a node is not a text")
        return ("" if domain in OWN_DOMAINS else domain) not in self.versions

    def _attributes(self, layer: Layer, node: Any) -> None:
        """Report what is wrong with the attributes of a node, but for their values."""
        wrong = misread(node)
        if wrong is not None:
            self._fault(NONCONFORMING, f"{layer}: {wrong}")
        for attribute in node.attribute:
            wrong = misread(attribute)
            if wrong is not None:
                what = f"of the attribute {attribute.name!r}, {wrong}"
                self.faults.add(NONCONFORMING, what, layer.data_at, attribute=attribute.name)
        _, opset = imported(layer.version) or ("", 0)
        for deviation in attribute_deviations(node, opset):
            name = node.attribute[deviation.place].name
            self.faults.add(deviation.rule, deviation.message, layer.data_at, attribute=name)

    def _place(self, layer: Layer, number: int, name: str, index: int) -> ElementPlace | None:
        """Note where in the file a layer is."""
        part = None if self.parts is None else self.parts.part(number, name, index)
        if part is not None and isinstance(self.faults.source, ElementSource):
            self.faults.source.add(layer, part)
        return part

    def _add_deviation(self, deviation: Deviation, message: Any, is_harmless: bool = False) -> None:
        """Report what is wrong with a part of a message that is no layer. is_harmless: as a warning"""
        source, part = self.faults.source, None
        if self.parts is not None and isinstance(source, ElementSource):
            part = self.parts.whole()
            if deviation.field:
                number = message.DESCRIPTOR.fields_by_name[deviation.field].number
                part = self.parts.part(number, deviation.field, deviation.place)
            at = source.noted(part)
        else:
            at = -1
        layer, self.faults.layer = self.faults.layer, None
        self.faults.add(
            deviation.rule, deviation.message, at, level=Severity.WARNING if is_harmless else None
        )
        self.faults.layer = layer

    def _unread(self, proto: Any, field: str, messages: Sequence[Any]) -> None:
        """Report fields that no reader takes, of a message or of those in one of its fields."""
        for place, message in enumerate(messages):
            wrong = misread(message)
            if wrong is not None:
                self._add_deviation(Deviation(NONCONFORMING, wrong, field, place), proto)

    def _fault(self, rule: str, message: str, level: Severity | None = None) -> None:
        """Report a fault of the current layer."""
        layer = self.faults.layer
        self.faults.add(rule, message, -1 if layer is None else layer.at, level=level)

    def _store(self, layer: Layer, proto: Any, raw: Piece | None = None) -> None:
        layer.stored = StoredElement(proto, layer.name, tuple(layer.data.items()), self.weights, raw)

    def _parameter(self, name: str, info: Any, place: int) -> Layer:
        known = self._known(name)
        layer = self._layer(self.layer_names.unique(name), "Parameter", data=known.data)
        self._place(layer, INPUT, "input", place)
        self._refused(known, f"input {name!r}")
        self._gives(layer, name)
        self._store(layer, info)
        return layer

    def _known(self, name: str) -> Declared:
        """What the graph, or a graph around it, declares of a tensor."""
        builder: GraphBuilder | None = self
        while builder is not None:
            if name in builder.known:
                return builder.known[name]
            builder = builder.outer
        return Declared(None, "...", ())

    def _refused(self, known: Declared, what: str) -> None:
        if known.fault is not None:
            level = Severity.WARNING if known.is_valid else None
            self._fault("unsupported-onnx-type", f"{what} {known.fault}", level)

    def _initializer(self, name: str, proto: Any, read: Any, place: int) -> None:
        layer = self._layer(self.layer_names.unique(name), "Const")
        more: tuple[Piece, ...] = ()
        what = f"initializer {name!r}"
        if read is sparse_constant:
            self._place(layer, SPARSE_INITIALIZER, "sparse_initializer", place)
            wrong = sparse_deviation(proto, self.files)
            if wrong is not None:
                self._fault(NONCONFORMING, f"{what} {wrong}")
        else:
            self._place(layer, INITIALIZER, "initializer", place)
            more = (self.raw[place],) if place in self.raw else ()
            for wrong in filter(None, (misread(proto), tensor_deviation(proto, len(more)))):
                self._fault(NONCONFORMING, f"{what} {wrong}")
        constant = self._hold(layer, what, lambda: read(proto, self.files, *more))
        known = self.known.get(name)
        if constant is not None and known is not None and name in self.inputs:
            self._require_declared(what, constant, known)
        self._gives(layer, name)
        self._store(layer, proto, *more)

    def _require_declared(self, what: str, constant: ConstantTensor, known: Declared) -> None:
        """An initializer that is the default of an input must have its shape."""
        if known.shape == "..." or known.type is not None:
            return
        fits = len(known.dims) == len(constant.shape) and all(
            size in (-1, own) for size, own in zip(known.dims, constant.shape)
        )
        if not fits:
            spelled = ",".join(map(str, constant.shape))
            message = f"{what} has the shape [{spelled}], must have that of its input, [{known.shape}]"
            self._fault("mismatched-initializer", message)

    def _hold(self, layer: Layer, what: str, read: Any) -> ConstantTensor | None:
        """Put a constant's bytes with the others, and say in its layer where; None where it has none."""
        try:
            constant: ConstantTensor = read()
        except TensorFault as fault:
            self._fault(fault.rule, f"{what} {fault}")
            layer.data = {}
            return None
        offset, size = self.weights.add(constant.data), size_of(constant.data)
        layer.data = Region(constant.element, constant.shape, offset, size).data
        return constant

    def _node(self, node: Any, place: int) -> tuple[Layer, list[str]]:
        """The layer of a node, and the tensors that it takes, those that only its bodies take behind the
        others.
        """
        data = texts_of(node)
        graphs = list(body_graphs(node))
        for graph in graphs:
            data.pop(graph.attribute, None)
        for attribute in node.attribute:
            if attribute.type == TYPE_PROTO:
                with suppress(ValueError):  # a type that irops does not have
                    data[attribute.name] = _type_text(attribute.tp, self.names)
        is_new = self._is_unimported(node.domain)
        layer = self._layer(self._name_of(node), node.op_type, self._version(node.domain), data)
        part = self._place(layer, NODE, "node", place)
        if is_new:
            own = "ai.onnx" if node.domain in OWN_DOMAINS else node.domain
            message = f"the domain {own!r} is not imported; opset_import must name its opset"
            self._fault("unimported-domain", message)
        self._attributes(layer, node)
        constant = node.op_type == "Constant" and node.domain in OWN_DOMAINS
        layer.own_kind = LayerKind.CONSTANT if constant else LayerKind.OPERATION
        if constant:
            self._hold(layer, str(layer), lambda: node_constant(node, self.files))
        inputs = [*node.input]
        while inputs and not inputs[-1]:
            inputs.pop()
        if node.op_type == "Loop" and graphs:  # the trip count and the condition have ports of their own
            inputs.extend([""] * (2 - len(inputs)))
        self._bodies(layer, node, inputs, part)
        self.faults.layer = layer
        layer.inputs = [Port(place, absent=not name) for place, name in enumerate(inputs)]
        for name in node.output:
            self._gives(layer, name)
        layer.extra = (
            {entry.key: entry.value for entry in node.metadata_props}
            if hasattr(node, "metadata_props")
            else {}
        )
        self._store(layer, node)
        return layer, inputs

    def _bodies(self, layer: Layer, node: Any, inputs: list[str], part: ElementPlace | None) -> None:
        """The bodies of a layer. inputs: the tensors that it takes, to which those of bodies are added"""
        count = len(inputs)
        for name, attribute, place, index, proto in body_graphs(node):
            parts = None
            if part is not None and self.parts is not None:
                parts = self.parts.body(part, place, attribute, index)
            builder = GraphBuilder(self.versions, self.files, self.weights, self.faults, self, parts)
            builder.as_read = None if self.as_read is None else type(proto)(name=proto.name)
            body = Body(name, builder.build(proto))
            body.at = layer.at
            own = [
                inner
                for inner in body.graph.layers
                if inner.kind is LayerKind.PARAMETER and inner.name not in builder.captured
            ]
            results = [inner for inner in body.graph.layers if inner.kind is LayerKind.RESULT]
            connect(body, node, count, [inner.id for inner in own], [inner.id for inner in results])
            for tensor, parameter in builder.captured.items():
                if tensor not in inputs:
                    inputs.append(tensor)
                entry = PortMapping(inputs.index(tensor), parameter.id, extra={OUTER: tensor})
                body.inputs.append(entry)
            layer.bodies[name] = body

    def _name_of(self, node: Any) -> str:
        """A node's name; that of its first tensor, where it has none or another layer's."""
        if node.name and node.name not in self.layer_names:
            return self.layer_names.unique(node.name)
        return self.layer_names.unique(next(filter(None, (*node.output, node.op_type)), ""))

    def _gives(self, layer: Layer, name: str) -> None:
        """Another output of a layer, and the tensor that it is."""
        label = len(layer.inputs) + len(layer.outputs)
        known = self.known.get(name)
        precision = known.element.precision if known is not None and known.element is not None else None
        layer.outputs.append(
            Port(
                label,
                precision,
                known.dims if known is not None else (),
                (name,) if name else (),
                hint=None if known is None else known.hint,
            )
        )
        if name in self.sources:
            other = self.graph.layers[self.sources[name][0]]
            self._fault(
                "duplicate-tensor",
                f"{layer} produces the tensor {name!r}, which {other} produces already; names must be unique",
            )
        elif name:
            self.sources[name] = (layer.id, label)

    def _feed(self, layer: Layer, names: list[str]) -> None:
        self.faults.layer = layer
        for place, name in enumerate(names):
            if self.outer is not None and name and name not in self.sources:
                self._capture(name)
                self.faults.layer = layer
            source = self.sources.get(name)
            if name in self.known:
                layer.inputs[place].dims = self.known[name].dims
            if source is not None:
                self.graph.edges.append(Edge(*source, layer.id, layer.inputs[place].id))
            elif name:
                if not isinstance(name, str):
                    raise TypeError("the name of an input is not a text")
                self._fault("undefined-tensor", f"{layer} has the input {name!r}, which no node produces")

    def _capture(self, name: str) -> None:
        """A Parameter for a tensor of a graph around this one."""
        if not isinstance(name, str):
            raise TypeError("the name of an input is not a text")
        layer = self._layer(self.layer_names.unique(name), "Parameter", data=self._known(name).data)
        self._gives(layer, name)
        self.captured[name] = layer

    def _result(self, info: Any, place: int) -> None:
        name = info.name
        known = self.known[name]
        self.layer_names.discard(name)
        layer = self._layer(self.layer_names.unique(name), "Result")
        self._place(layer, OUTPUT, "output", place)
        layer.output_names = (name,)
        layer.inputs = [Port(0, known.element.precision if known.element is not None else None, known.dims)]
        self._refused(known, f"output {name!r}")
        self._store(layer, info)
        self._feed(layer, [name])


# Bodies: how the graphs that are attributes of a node are connected to its inputs and outputs.


class BodyGraph(NamedTuple):
    """A graph of a node. name: of the body; attribute: that has it; place: of the attribute in the node;
    number: in a list of graphs, None where the attribute is one graph.
    """

    name: str
    attribute: str
    place: int
    number: int | None
    proto: Any


def body_graphs(node: Any) -> Iterator[BodyGraph]:
    """The graphs of a node."""
    for place, attribute in enumerate(node.attribute):
        name = attribute.name
        if attribute.type != GRAPH and not attribute.HasField("g") and not attribute.graphs:
            continue
        if not isinstance(name, str):
            raise TypeError("the name of an attribute is not a text")
        if attribute.type == GRAPH or attribute.HasField("g"):
            yield BodyGraph(name, name, place, None, attribute.g)
        for index, graph in enumerate(attribute.graphs):
            yield BodyGraph(f"{name}[{index}]", name, place, index, graph)


def connect(body: Body, node: Any, count: int, parameters: list[int], results: list[int]) -> None:
    """Connect a body to the ports of its node, as the op defines it; of other ops it is not known.

    count: of the inputs of the node; parameters, results: the ids of layers of the body. Results that are
    stacked have an axis, as have inputs that are sliced.
    """
    kind = node.op_type if node.domain in OWN_DOMAINS else ""
    if kind == "If":
        body.outputs = [PortMapping(port, number) for port, number in enumerate(results)]
    elif kind == "Loop":
        _connect_loop(body, count, parameters, results)
    elif kind == "Scan":
        _connect_scan(body, node, count, parameters, results)
    elif kind == "SequenceMap":
        body.inputs = [PortMapping(port, number) for port, number in enumerate(parameters[:count])]
        body.outputs = [PortMapping(port, number) for port, number in enumerate(results)]
    else:
        body.incomplete = True


def _connect_loop(body: Body, count: int, parameters: list[int], results: list[int]) -> None:
    """The first Parameter is the number of the iteration, the second one the condition, the others are
    states, which the first Results give back; further Results are stacked.
    """
    for index, number in enumerate(parameters[:count]):
        port, purpose = (index, None) if index else (-1, CURRENT_ITERATION)
        body.inputs.append(PortMapping(port, number, purpose=purpose))
    for index, number in enumerate(results):
        purpose = None if index else EXECUTION_CONDITION
        axis = 0 if index >= count - 1 else None
        body.outputs.append(PortMapping(index - 1, number, axis=axis, purpose=purpose))
    body.back_edges = [BackEdge(start, end) for start, end in zip(results, parameters[1:count])]


def _connect_scan(body: Body, node: Any, count: int, parameters: list[int], results: list[int]) -> None:
    """States first, then inputs that are sliced, and Results that are stacked, each along an axis and in a
    direction.
    """
    lists = {attribute.name: list(attribute.ints) for attribute in node.attribute}
    sliced = next((a.i for a in node.attribute if a.name == "num_scan_inputs"), 0)
    first = max(count - len(parameters), 0)  # opset 8 has the lengths of sequences in front
    states = max(len(parameters) - sliced, 0)

    def entry(port: int, number: int, index: int, kind: str) -> PortMapping:
        axes, directions = lists.get(f"scan_{kind}_axes", []), lists.get(f"scan_{kind}_directions", [])
        if kind == "input":
            directions = lists.get("directions", directions)  # of Scan-8
        axis = axes[index] if index < len(axes) else 0
        backwards = index < len(directions) and directions[index] == 1
        start, end, stride = (-1, 0, -1) if backwards else (0, -1, 1)
        return PortMapping(port, number, axis, start, end, stride)

    for index, number in enumerate(parameters[: count - first]):
        port = first + index
        is_state = index < states
        body.inputs.append(
            PortMapping(port, number) if is_state else entry(port, number, index - states, "input")
        )
    for index, number in enumerate(results):
        is_state = index < states
        body.outputs.append(
            PortMapping(index, number) if is_state else entry(index, number, index - states, "output")
        )
    body.back_edges = [BackEdge(start, end) for start, end in zip(results[:states], parameters)]


# Files.

# Requires that the texts of a model are UTF-8: protobuf reads others as bytes, or fails when they are
# used.
#
# To look at every text of a model takes as long as to read it. So the layers are looked at when they are
# built, and the model only to find the text that is wrong.

_STRING, _MESSAGE = 9, 11
"""FieldDescriptor.TYPE_STRING and TYPE_MESSAGE"""


def are_texts(graph: Graph, others: Iterable[object]) -> bool:
    """Whether all names in layers that were built of a model, and others, are texts."""
    return all(isinstance(text, str) for text in others) and all(
        isinstance(layer.name, str)
        and isinstance(layer.type, str)
        and all(isinstance(name, str) for name in layer.data)
        and all(isinstance(text, str) for item in layer.extra.items() for text in item)
        and all(isinstance(name, str) for port in layer.outputs for name in port.names)
        for _, layer in walk(graph)
    )


def require_texts(proto: Any, faults: Faults, data: bytes = b"") -> None:
    """data: the bytes that the model was read from

    Raises:  ReadError if a name or another text of the model is not UTF-8
    """
    faults.layer = None  # its name may be the text
    ahead: list[tuple[Any, Steps]] = [(proto, ())]
    fields: dict[str, tuple[list[tuple[str, bool]], list[tuple[str, bool]]]] = {}
    while ahead:
        message, steps = ahead.pop()
        descriptor = message.DESCRIPTOR
        found = fields.get(descriptor.full_name)
        if found is None:
            found = fields[descriptor.full_name] = _text_fields(descriptor), message_fields(descriptor)
        texts, inner = found
        for name, many in texts:
            wrong = _wrong_text(message, name, many)
            if wrong is not None:
                source = faults.source
                at = source.noted(_located(data, proto, steps)) if isinstance(source, ElementSource) else -1
                raise faults.stop("malformed-onnx", wrong, at)
        for name, many in inner:
            if many:
                ahead.extend((one, (*steps, (name, k))) for k, one in enumerate(getattr(message, name)))
            elif message.HasField(name):
                ahead.append((getattr(message, name), (*steps, (name, 0))))


Steps: TypeAlias = tuple[tuple[str, int], ...]
"""The way from a message to one that is in it: names of fields, and numbers in repeated ones."""


def _located(data: bytes, message: Any, steps: Steps) -> ElementPlace | None:
    """Where a part of a message is; None for the message itself."""
    descriptor, place = message.DESCRIPTOR, ElementPlace(0, 0, len(data), "")
    for name, index in steps if data else ():
        field = descriptor.fields_by_name[name]
        found = [ends for number, *ends in records(data, place.begin, place.end) if number == field.number]
        if index >= len(found):
            return None
        way = f"{place.element}.{name}" if place.element else name
        place = ElementPlace(
            found[index][0], found[index][1], found[index][2], f"{way}[{index}]" if _many(field) else way
        )
        descriptor = field.message_type
    return place if place.element else None


def _wrong_text(message: Any, name: str, many: bool) -> str | None:
    """What is wrong with the texts in a field; None if they are UTF-8."""
    try:
        value = getattr(message, name)
        texts: Iterable[object] = value if many else (value,)
        wrong = next((text for text in texts if not isinstance(text, str)), None)
    except UnicodeDecodeError as error:
        wrong = error.object
    if not isinstance(wrong, bytes):
        return None
    kind = message.DESCRIPTOR.name.removesuffix("Proto")
    shown = shortened(wrong[:200].decode("utf-8", "backslashreplace"))
    return f"{name} {shown!r} of a {kind} is not UTF-8"


def _text_fields(descriptor: Any) -> list[tuple[str, bool]]:
    return [(field.name, _many(field)) for field in descriptor.fields if field.type == _STRING]


def message_fields(descriptor: Any) -> list[tuple[str, bool]]:
    """The fields that are messages: their names, and whether they are repeated."""
    return [(field.name, _many(field)) for field in descriptor.fields if field.type == _MESSAGE]


def _many(field: Any) -> bool:
    repeated = getattr(field, "is_repeated", None)  # label is deprecated in newer versions of protobuf
    return bool(field.label == field.LABEL_REPEATED if repeated is None else repeated)


# The functions that a model defines itself: their calls are replaced by their nodes, within limits.

MAX_CALLS = 100
"""How many functions may call each other in a chain; the inliner of onnx has the same limit."""

Key = tuple[str, str, str]
"""The domain, the name and the overload of a function."""
OTHER: Key = ("", "", "")
"""Stands for ops that are not functions of the model."""


@dataclass(frozen=True, slots=True)
class _Expansion:
    """What one call of a function becomes: a number of nodes and of bytes, and the longest chain of calls."""

    nodes: int
    bytes: int
    calls: int


def inlined(proto: Any, faults: Faults) -> Any:
    """The model with the nodes of its functions in place of the calls.

    Raises:  ReadError if functions call each other in a circle, or exceed a limit
    """
    if not proto.functions:
        return proto
    functions = {_key(function): function for function in proto.functions}
    calls = {key: _calls(function.node, functions) for key, function in functions.items()}
    called = _calls(proto.graph.node, functions)
    expansions = _expansions(functions, calls, called, faults)
    _require_limits(proto, called, expansions, faults)
    if len(expansions) < len(functions):  # those that nothing calls have no effect, and may be faulty
        proto = _with_functions(proto, [functions[key] for key in expansions])
    return _by_onnx(proto, faults) if expansions else proto


def _by_onnx(proto: Any, faults: Faults) -> Any:
    from onnx.checker import ValidationError
    from onnx.inliner import inline_local_functions

    try:
        return inline_local_functions(proto)
    except ValidationError as error:
        reason = shortened(str(error).strip().rstrip("."), 200)
        raise faults.stop(
            "malformed-onnx", f"the functions of the model cannot be inlined: {reason}"
        ) from None
    except (RuntimeError, ValueError, TypeError):
        return proto  # functions that cannot be inlined are reported as undefined ops


def _key(function: Any) -> Key:
    return function.domain, function.name, getattr(function, "overload", "")


def _calls(nodes: Any, functions: dict[Key, Any]) -> Counter[Key]:
    """How often nodes, and those of their sub-graphs, call each function; other ops count as OTHER."""
    calls: Counter[Key] = Counter()
    for node in _all_nodes(nodes):
        key = (node.domain, node.op_type, getattr(node, "overload", ""))
        calls[key if key in functions else OTHER] += 1
    return calls


def _all_nodes(nodes: Any) -> Iterator[Any]:
    ahead = [nodes]
    while ahead:
        for node in ahead.pop():
            yield node
            if node.attribute:
                ahead.extend(graph.node for graph in graphs_of(node))


def _expansions(
    functions: dict[Key, Any], calls: dict[Key, Counter[Key]], called: Counter[Key], faults: Faults
) -> dict[Key, _Expansion]:
    """The expansion of every function that the graph calls, directly or not, callees before their callers.

    Raises:  ReadError if a function calls itself, directly or not
    """
    done: dict[Key, _Expansion] = {}
    open_calls: dict[Key, Iterator[Key]] = {}
    for start in called:
        pending = [start] if start in functions else []
        while pending:
            key = pending[-1]
            callees = open_calls.setdefault(key, iter(calls[key]))
            callee = next((one for one in callees if one in functions and one not in done), None)
            if callee is None:
                if key not in done:
                    done[key] = _expansion(functions[key], calls[key], done)
                pending.pop()
                open_calls.pop(key, None)
            elif callee in open_calls:
                name = shortened(":".join(callee[:2]))
                message = f"the function {name!r} calls itself, directly or through other functions"
                raise faults.stop("malformed-onnx", message)
            else:
                pending.append(callee)
    return done


def _expansion(function: Any, calls: Counter[Key], done: dict[Key, _Expansion]) -> _Expansion:
    inner = [(done[key], count) for key, count in calls.items() if key in done]
    return _Expansion(
        calls[OTHER] + sum(each.nodes * count for each, count in inner),
        function.ByteSize() + sum(each.bytes * count for each, count in inner),
        1 + max((each.calls for each, _ in inner), default=0),
    )


def _require_limits(
    proto: Any, called: Counter[Key], expansions: dict[Key, _Expansion], faults: Faults
) -> None:
    if max((each.calls for each in expansions.values()), default=0) > MAX_CALLS:
        message = f"functions call each other in a chain of more than {MAX_CALLS}"
        raise faults.stop("malformed-onnx", message)
    used = [(expansions[key], count) for key, count in called.items() if key in expansions]
    nodes = called[OTHER] + sum(each.nodes * count for each, count in used)
    if nodes > faults.limits.layers:
        raise faults.refuse("too-many-layers", f"the functions expand to {_approximate(nodes)} nodes")
    size = sum(each.bytes * count for each, count in used)
    if size > max(faults.limits.xml_bytes, proto.ByteSize()):
        raise faults.refuse("oversized-file", f"the functions expand to {_approximate(size)} bytes")


def _approximate(count: int) -> str:
    """A number, short even if it has thousands of digits."""
    return f"{count:,}" if count < 10**15 else f"10^{int(count.bit_length() * 0.30103)} or more"


def _with_functions(proto: Any, functions: list[Any]) -> Any:
    reduced = type(proto)()
    reduced.CopyFrom(proto)
    del reduced.functions[:]
    reduced.functions.extend(functions)
    return reduced


MOST_BYTES = (1 << 31) - 1
"""What a protocol buffer may have."""


def load(
    path: str | os.PathLike[str], limits: Limits | None = None, data: bytes | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that a file holds, as far as it can be read, and all that is wrong with its structure.

    data: what is read in place of the file's content
    Raises:  ReadError where there is no model at all
    """
    place = address(path)
    faults = Faults(ElementSource(place.shown), limits)
    stored = None if place.is_remote or data is not None else weights_at(place, faults.limits)
    data = _bytes_of(place, faults) if data is None else data
    rest, raw = (data, NO_RAW) if stored is None or stored.size != len(data) else without_raw(data, stored)
    return _load(_parsed(onnx_library(place.shown), rest, faults), place, faults, data, raw)


def loads(data: bytes, limits: Limits | None = None) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that bytes in memory hold; see load."""
    faults = Faults(ElementSource(None), limits)
    onnx = onnx_library(None)
    return _load(_parsed(onnx, data, faults), None, faults, data)


def of_proto(proto: Any, folder: str | os.PathLike[str] | None = None) -> Model:
    """The model that a ModelProto is; folder: where files with its constants lie.

    Raises:  ReadError, with all that was found, where something of it cannot be read
    """
    place = None if folder is None else address(os.path.join(folder, "model.onnx"))
    shown = None if place is None else place.shown
    model, found = _load(proto, place, Faults(Source(shown, b"", as_stored=False)))
    if any(d.severity == "error" for d in found):
        raise ReadError(sorted(found, key=lambda d: d.severity))
    return model


def _bytes_of(place: Address, faults: Faults) -> bytes:
    name = place.shown
    try:
        with opened(place, faults.limits) as (file, size):
            data = b"" if size > MOST_BYTES else file.read(MOST_BYTES + 1)
    except NotRegular as error:
        raise faults.stop("not-a-file", f"{name} {error}; it must be an .onnx file", -1) from None
    except FileNotFoundError:
        raise faults.stop(
            "file-not-found", f"{name} does not exist", -1, notes=near(place.text, ".onnx")
        ) from None
    except RemoteError as error:
        raise faults.stop(error.rule, f"{name} {error.sentence}", -1) from None
    except OSError as error:
        raise faults.stop("unreadable-file", f"{name} cannot be read: {error.strerror}", -1) from None
    except ValueError as error:  # a path that no system accepts, with a null character for example
        raise faults.stop("unreadable-file", f"{name} cannot be read: {error}", -1) from None
    count_read(len(data))
    if max(size, len(data)) > MOST_BYTES:
        raise faults.stop(
            "malformed-onnx",
            f"the file has {max(size, len(data)):,} bytes or more; protocol buffers are limited to 2 GiB",
            -1,
        )
    if not data:
        raise faults.stop("empty-file", f"{name} is empty; it must be an ONNX model", -1)
    return data


# Damage: where a message stops being one.

MOST_NESTED = 100
"""How many messages a message may be in."""
_SCALAR_SIZES = {1: 8, 2: 4, 6: 8, 7: 4, 15: 4, 16: 8}
"""The sizes of values of fixed size, by types of fields."""
_TEXTS = (9, 12)
"""The types of fields that are strings and bytes."""


def _damage(data: bytes, descriptor: Any) -> tuple[str, ElementPlace] | None:
    """What is wrong with the innermost part of a message that is damaged, and where that is."""
    cut: tuple[str, ElementPlace] | None = None
    ahead = [(descriptor, ElementPlace(0, 0, len(data), ""), 0)]
    while ahead:
        descriptor, place, depth = ahead.pop()
        if depth > MOST_NESTED:
            return f"is nested in more than {MOST_NESTED} others", place
        counts: Counter[int] = Counter()
        try:
            for number, at, begin, end in records(data, place.begin, place.end):
                field = descriptor.fields_by_number.get(number)
                wrong = _wrong_record(data, (at, begin, end), place, number, field)
                index = f"[{counts[number]}]" if field is not None and _many(field) else ""
                name = "" if field is None else f"{field.name}{index}"
                counts[number] += 1
                way = f"{place.element}.{name}" if place.element else name
                if wrong is not None and (field is None or end <= place.end or field.type != _MESSAGE):
                    return f"{wrong} in {name or f'field {number}'}", place
                if field is None or field.type != _MESSAGE or data[at] & 7 != 2:
                    continue
                part = ElementPlace(at, begin, min(end, place.end), way)
                if end > place.end:
                    cut = f"says that it ends at byte {end}, and is cut off at byte {place.end}", part
                    ahead.clear()
                ahead.append((field.message_type, part, depth + 1))
        except IndexError:
            return "has a number that does not end", place
    return cut


def _wrong_record(
    data: bytes, ends: tuple[int, int, int], place: ElementPlace, number: int, field: Any
) -> str | None:
    """What is wrong with a record of a message."""
    at, begin, end = ends
    if number == 0:
        return "has a record without a number"
    if end > place.end:
        return f"has {end - begin} bytes at byte {begin}, but ends at byte {place.end},"
    is_packed = field is not None and data[at] & 7 == 2 and field.type not in (_MESSAGE, *_TEXTS)
    size = _SCALAR_SIZES.get(field.type) if is_packed else None
    if size is not None and (end - begin) % size:
        return f"has {end - begin} bytes of numbers of {size} bytes each"
    if is_packed and size is None and end > begin and data[end - 1] > 127:
        return "has a number that does not end"
    return None


def _parsed(onnx: Any, data: bytes, faults: Faults) -> Any:
    """The ModelProto that bytes are."""
    from google.protobuf.message import DecodeError

    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    notes = (
        ("the file looks like XML; an IR file must have the extension .xml",)
        if start.startswith(b"<")
        else ()
    )
    if len(data) > MOST_BYTES:
        raise faults.stop(
            "malformed-onnx",
            f"the file has {len(data):,} bytes or more; protocol buffers are limited to 2 GiB",
            -1,
        )
    try:
        proto = onnx.ModelProto.FromString(data)
    except DecodeError:
        raise _undecodable(onnx, data, faults, notes) from None
    if not proto.HasField("graph"):
        what = "the model has no graph: the file is truncated, or has another format"
        raise faults.stop("malformed-onnx", what, -1, notes=notes)
    return proto


def _undecodable(onnx: Any, data: bytes, faults: Faults, notes: tuple[str, ...]) -> ReadError:
    what, at = "the file is not a valid ModelProto, or is truncated", -1
    found = _damage(data, onnx.ModelProto.DESCRIPTOR)
    if found is not None and isinstance(faults.source, ElementSource):
        reason, place = found
        if place.element:
            what, at = f"{what}: {place.element} {reason}", faults.source.noted(place)
        else:
            what = f"{what}: it {reason}"
    return faults.stop("malformed-onnx", what, at, notes=notes)


def _load(
    proto: Any,
    place: Address | None,
    faults: Faults,
    data: bytes = b"",
    raw: Mapping[int, Piece] = NO_RAW,
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that a message is. data: the bytes that it was read from; raw: what was left out of it"""
    whole = proto
    # the nodes of functions that are in place of their calls are nowhere in the file
    parts = GraphPlaces.of_model(data) if data and not proto.functions else None
    if isinstance(faults.source, ElementSource):
        faults.source.size = len(data)
    if proto.functions:
        require_texts(proto, faults, data)
        proto = inlined(proto, faults)
    if len(proto.graph.node) > faults.limits.layers:
        raise faults.refuse("too-many-layers", f"the graph has {len(proto.graph.node):,} nodes", -1)
    imports = {
        "" if entry.domain in OWN_DOMAINS else entry.domain: entry.version for entry in proto.opset_import
    }
    weights = Gathered("the model" if place is None else name_of(place.text))
    files = ExternalFiles(place, faults.limits)
    try:
        with no_collection():
            versions = _versions(imports)
            _check_model(whole, data, faults)
            builder = GraphBuilder(versions, files, weights, faults, parts=parts, raw=raw)
            builder.as_read = whole.graph if whole.functions else None
            builder.ir_version = whole.ir_version if whole.HasField("ir_version") else 0
            graph = builder.build(proto.graph)
            name, extra = proto.graph.name, {entry.key: entry.value for entry in proto.metadata_props}
            has_only_texts = are_texts(graph, (name, *imports, *extra, *extra.values()))
    except RecursionError:
        raise faults.stop("malformed-onnx", "sub-graphs are nested too deeply", -1) from None
    except (TypeError, AttributeError, UnicodeDecodeError):
        require_texts(whole, faults, data)  # the usual cause: bytes where a text should be
        raise
    if not has_only_texts:
        require_texts(whole, faults, data)
    faults.layer = None
    imported = {domain or ONNX: version for domain, version in imports.items()}
    model = Model(
        name,
        graph=graph,
        extra=extra,
        weights=weights,
        source=faults.source,
        dialect=ONNX,
        opsets=dict(imported),
        stored=StoredModel(whole, files, imported, raw),
    )
    return model, faults.in_order()


def _check_model(model: Any, data: bytes, faults: Faults) -> None:
    """Report what is wrong with a model beside its graph."""
    places = GraphPlaces(data, ElementPlace(0, 0, len(data), ""))
    numbers = model.DESCRIPTOR.fields_by_name
    wrong, last = misread(model), onnx_opsets().last
    deviations = [] if wrong is None else [Deviation(NONCONFORMING, wrong)]
    for index, entry in enumerate(model.opset_import):
        if entry.domain in OWN_DOMAINS and last < entry.version < LAST_OPSET:
            message = (
                f"the model imports opset {entry.version}; the newest that is known is {last}, and is taken"
            )
            deviations.append(Deviation("newer-opset", message, "opset_import", index))
    for rule, message, field, index in (*deviations, *model_deviations(model)):
        part = places.part(numbers[field].number, field, index) if field and data else None
        at = faults.source.noted(part) if isinstance(faults.source, ElementSource) else -1
        faults.add(rule, message, at)


def _versions(imports: dict[str, int]) -> dict[str, str]:
    """What layers say of the opset that they are of, by domain."""
    last = onnx_opsets().last
    return {
        domain: f"{domain or ONNX}:{min(max(version, 1), last) if not domain else max(version, 0)}"
        for domain, version in imports.items()
    }
