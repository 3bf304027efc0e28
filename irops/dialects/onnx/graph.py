"""From a GraphProto to a graph of layers: nodes, and Parameter, Const and Result for what has no node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from irops.diagnostics.diagnostic import Severity
from irops.dialects.onnx.opsets import ONNX, OWN_DOMAINS
from irops.dialects.onnx.tensors import (
    NAMES,
    ExternalFiles,
    Gathered,
    TensorConstant,
    TensorFault,
    constant_of,
    content_of,
    element_of,
    size_of,
)
from irops.graph.topology import Wiring
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Port, UniqueNames
from irops.ir.parse import Faults
from irops.ir.weights import Region
from irops.values.element import Array, ElementType, tagged, zeros
from irops.values.packing import unpack

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


class GraphBuilder:
    """Builds the graph of one model. versions: what a layer's version says, by the domain of its op."""

    def __init__(
        self, versions: dict[str, str], files: ExternalFiles, weights: Gathered, faults: Faults
    ) -> None:
        self.versions, self.files, self.weights, self.faults = versions, files, weights, faults
        self.graph = LayerGraph()
        self.names = SizeNames()
        self.known: dict[str, Declared] = {}
        self.sources: dict[
            str, tuple[int, int]
        ] = {}  # of each tensor, the layer and the label of the port that gives it
        self.layer_names = UniqueNames()
        self._early: list[tuple[Layer, str, Layer]] = []  # layers, and inputs of theirs from later layers
        self._named: dict[str, Layer] = {}  # the layers of nodes, by the names of the nodes

    def build(self, proto: Any) -> LayerGraph:
        for info in (*proto.input, *proto.output, *proto.value_info):
            self.known.setdefault(info.name, declared(info, self.names))
        self.layer_names.update(info.name for info in proto.output)
        constants = {tensor.name for tensor in proto.initializer} | {
            sparse.values.name for sparse in proto.sparse_initializer
        }
        for info in proto.input:
            if info.name not in constants:
                self._parameter(info.name)
        for tensor in proto.initializer:
            self._initializer(tensor.name, tensor, constant_of)
        for sparse in proto.sparse_initializer:
            self._initializer(sparse.values.name, sparse, sparse_constant)
        fed = [(layer, names) for node in proto.node for layer, names in self._node(node)]
        for layer, names in fed:
            self._feed(layer, names)
        for info in proto.output:
            self._result(info.name)
        if self._early:
            self._report_unsorted()
        return self.graph

    def _layer(
        self, name: str, type: str, version: str | None = None, data: dict[str, str] | None = None
    ) -> Layer:
        """Another layer; without a version, one for what ONNX has no node for."""
        layer = Layer(
            len(self.graph.layers), name, type, version or self.versions.get("", f"{ONNX}:1"), data or {}
        )
        self.graph.layers.append(layer)
        self.faults.layer = layer
        return layer

    def _version(self, domain: str) -> str:
        """The opset that a layer's version states; a domain that is not imported is
        reported once.
        """
        own = "" if domain in OWN_DOMAINS else domain
        if not isinstance(own, str):
            raise TypeError("the domain of a node is not a text")
        if own not in self.versions:
            self.versions[own] = f"{own or ONNX}:1"
            self.faults.add(
                "unimported-domain",
                f"the domain {own or 'ai.onnx'!r} is not imported; opset_import must name its opset",
                -1,
            )
        return self.versions[own]

    def _parameter(self, name: str) -> None:
        known = self.known[name]
        layer = self._layer(
            self.layer_names.unique(name),
            "Parameter",
            data={
                "shape": known.shape,
                "element_type": known.element.name if known.element is not None else "dynamic",
            },
        )
        self._refused(known, f"input {name!r}")
        self._gives(layer, name)

    def _refused(self, known: Declared, what: str) -> None:
        if known.fault is not None:
            self.faults.add("unsupported-onnx-type", f"{what} {known.fault}", -1)

    def _initializer(self, name: str, proto: Any, read: Any) -> None:
        layer = self._layer(self.layer_names.unique(name), "Const")
        self._hold(layer, f"initializer {name!r}", lambda: read(proto, self.files))
        self._gives(layer, name)

    def _hold(self, layer: Layer, what: str, read: Any) -> None:
        """Put a constant's bytes with the others, and say in its layer where."""
        try:
            constant: TensorConstant = read()
        except TensorFault as fault:
            self.faults.add(fault.rule, f"{what} {fault}", -1)
            layer.data = {}
            return
        offset, size = self.weights.add(constant.data), size_of(constant.data)
        layer.data = Region(constant.element, constant.shape, offset, size).data

    def _node(self, node: Any) -> Iterator[tuple[Layer, list[str]]]:
        """The layer of a node, and the tensors that it takes, those that only its sub-graphs take behind the
        others.
        """
        outer = [name for graph in graphs_of(node) for name in _captured(graph)]
        layer = self._layer(self._name_of(node), node.op_type, data=texts_of(node))
        layer.version = self._version(node.domain)  # a domain that is not imported is reported at this layer
        constant = node.op_type == "Constant" and node.domain in OWN_DOMAINS
        layer.own_kind = LayerKind.CONSTANT if constant else LayerKind.OPERATION
        if not constant:  # runtimes turn Constants into initializers first
            self._require_own_name(layer, node.name)
        if constant:
            self._require_known_attributes(layer)
            self._hold(layer, str(layer), lambda: node_constant(node, self.files))
        inputs = [*node.input]
        while inputs and not inputs[-1]:
            inputs.pop()
        own = set(inputs)
        inputs.extend(name for name in dict.fromkeys(outer) if name not in own)
        layer.inputs = [Port(place, absent=not name) for place, name in enumerate(inputs)]
        for name in node.output:
            self._gives(layer, name)
        layer.extra = (
            {entry.key: entry.value for entry in node.metadata_props}
            if hasattr(node, "metadata_props")
            else {}
        )
        yield layer, inputs

    def _name_of(self, node: Any) -> str:
        """A node's name; that of its first tensor, where it has none or another layer's."""
        if node.name and node.name not in self.layer_names:
            return self.layer_names.unique(node.name)
        return self.layer_names.unique(next(filter(None, (*node.output, node.op_type)), ""))

    def _require_own_name(self, layer: Layer, name: str) -> None:
        other = self._named.setdefault(name, layer)
        if name and other is not layer:
            self.faults.add(
                "invalid-onnx-part",
                f"{layer} comes from a node of the name {name!r}, as does {other}; names must be unique",
                -1,
            )

    def _require_known_attributes(self, constant: Layer) -> None:
        """Those of other nodes are checked with the definitions of their ops."""
        for name in constant.data:
            if name not in VALUES and not name.startswith("__"):
                message = f"Constant has no attribute {name!r}"
                self.faults.add("unknown-attribute", message, -1, level=Severity.ERROR)

    def _gives(self, layer: Layer, name: str) -> None:
        """Another output of a layer, and the tensor that it is."""
        label = len(layer.inputs) + len(layer.outputs)
        known = self.known.get(name)
        precision = known.element.precision if known is not None and known.element is not None else None
        layer.outputs.append(
            Port(label, precision, known.dims if known is not None else (), (name,) if name else ())
        )
        if known is not None and known.negative is not None:
            self.faults.add(
                "negative-onnx-size",
                f"{layer} gives {name!r}, which is declared with the size {known.negative}; it counts as "
                "unknown",
                -1,
            )
        if name in self.sources:
            other = self.graph.layers[self.sources[name][0]]
            self.faults.add(
                "duplicate-tensor",
                f"{layer} produces the tensor {name!r}, which {other} produces already; names must be unique",
                -1,
            )
        elif name:
            self.sources[name] = (layer.id, label)

    def _feed(self, layer: Layer, names: list[str]) -> None:
        self.faults.layer = layer
        for place, name in enumerate(names):
            source = self.sources.get(name)
            if name in self.known:
                layer.inputs[place].dims = self.known[name].dims
            if source is not None:
                if source[0] >= layer.id:
                    self._early.append((layer, name, self.graph.layers[source[0]]))
                self.graph.edges.append(Edge(*source, layer.id, layer.inputs[place].id))
            elif name:
                if not isinstance(name, str):
                    raise TypeError("the name of an input is not a text")
                self.faults.add(
                    "undefined-tensor", f"{layer} has the input {name!r}, which no node produces", -1
                )

    def _report_unsorted(self) -> None:
        sortable = {layer.id for layer in Wiring(self.graph).order}  # others lie on cycles, or behind them
        for layer, name, source in self._early:
            if layer.id in sortable:
                self.faults.layer = layer
                self.faults.add(
                    "invalid-onnx-part",
                    f"{layer} has the input {name!r}, which {source} produces after it; "
                    "nodes must come after those whose outputs they take",
                    -1,
                )

    def _result(self, name: str) -> None:
        known = self.known[name]
        self.layer_names.discard(name)
        layer = self._layer(self.layer_names.unique(name), "Result")
        layer.output_names = (name,)
        layer.inputs = [Port(0, known.element.precision if known.element is not None else None, known.dims)]
        self._refused(known, f"output {name!r}")
        self._feed(layer, [name])


def _captured(graph: Any) -> Iterator[str]:
    """The tensors that a sub-graph takes from the graphs around it."""
    own = {info.name for info in graph.input} | {tensor.name for tensor in graph.initializer}
    own |= {name for node in graph.node for name in node.output}
    for node in graph.node:
        for name in (*node.input, *(name for inner in graphs_of(node) for name in _captured(inner))):
            if name and name not in own:
                yield name
    yield from (info.name for info in graph.output if info.name not in own)


# Values of Constant nodes, and sparse tensors, which become dense.

DENSE_BYTES = 1 << 30
"""How large a sparse tensor may become."""


def node_constant(node: Any, files: ExternalFiles) -> TensorConstant:
    """The value of a node Constant.

    Raises:  TensorFault
    """
    named = [attribute for attribute in node.attribute if attribute.name in VALUES]
    if len(named) != 1:
        given = ", ".join(attribute.name for attribute in named) or "no value at all"
        raise TensorFault(
            "constant-without-value",
            f"has {given}, must have exactly one of {', '.join(VALUES)}",
        )
    attribute = named[0]
    if attribute.name == "value":
        return constant_of(attribute.t, files)
    if attribute.name == "sparse_value":
        return sparse_constant(attribute.sparse_tensor, files)
    return TensorConstant.of(_PLAIN[attribute.name](attribute))


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
VALUES = ("value", "sparse_value", *_PLAIN)
"""The attributes of a Constant."""


def sparse_constant(sparse: Any, files: ExternalFiles) -> TensorConstant:
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
    return TensorConstant.of(tagged(dense, values.element))


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


# What a model declares of tensors: element types, and shapes whose sizes may bear names.

MAX_LENGTH = 100
"""Of the name of a size, which every shape with this size repeats."""
_OTHER = re.compile(r"\W", re.ASCII)
UNKNOWN = ("", "?", "*", "unk", "None")
"""Names that exporters give to sizes of which they know nothing, the same to many."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The content of a ValueInfoProto. shape: as a text of irops, ... for any rank; dims: sizes, -1 for one
    that is not known; negative: a size below 0, if it has one.
    """

    element: ElementType | None
    shape: str
    dims: tuple[int, ...]
    fault: str | None = None
    negative: int | None = None


class SizeNames:
    """The names of sizes of one model, as identifiers."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._used_names = UniqueNames(mark="_")

    def spelled(self, name: str) -> str:
        if name in UNKNOWN or name.startswith("unk__"):
            return "?"
        found = self._known.get(name)
        if found is None:
            plain = _OTHER.sub("_", name[:MAX_LENGTH])
            found = plain if plain.isidentifier() else f"_{plain}"
            found = self._known[name] = self._used_names.unique(found)
        return found


def declared(info: Any, names: SizeNames) -> Declared:
    """The declaration of a tensor; fault: why irops has no such tensor."""
    kind = info.type.WhichOneof("value")
    if kind is None:
        return Declared(None, "...", ())
    if kind != "tensor_type":
        return Declared(
            None,
            "...",
            (),
            f"is of the kind {kind.removesuffix('_type').replace('_', ' ')}, must be a tensor",
        )
    tensor = info.type.tensor_type
    element = element_of(tensor.elem_type) if tensor.elem_type else None
    fault = (
        f"has the data type {tensor.elem_type}, which irops does not support"
        if element is None and tensor.elem_type
        else None
    )
    if not tensor.HasField("shape"):
        return Declared(element, "...", (), fault)
    texts = [_size(dim, names) for dim in tensor.shape.dim]
    dims = tuple(int(text) if text.isdigit() else -1 for text in texts)
    negative = next((dim.dim_value for dim in tensor.shape.dim if dim.dim_value < 0), None)
    return Declared(element, ",".join(texts), dims, fault, negative)


def _size(dim: Any, names: SizeNames) -> str:
    which = dim.WhichOneof("value")
    if which == "dim_value":
        return str(dim.dim_value) if dim.dim_value >= 0 else "?"
    return names.spelled(dim.dim_param) if which == "dim_param" else "?"
