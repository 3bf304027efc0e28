"""Read ONNX models: a GraphProto becomes a graph of layers, Parameter, Const and Result among them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from irops.diagnostics.diagnostic import Diagnostic, ReadError, Severity
from irops.diagnostics.printable import shortened
from irops.dialects.onnx import tensors
from irops.dialects.onnx.opsets import ONNX, OWN_DOMAINS, onnx_library, onnx_opsets
from irops.environment import no_collection
from irops.files.limits import Limits
from irops.files.storage import count_read
from irops.files.urls import Place, StrPath
from irops.graph.topology import Wiring
from irops.ir.locate import SourceText
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Model, Port, UniqueNames
from irops.ir.opening import opened_model
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
        number = str(attribute.i)
        return tensors.NAMES.get(attribute.i, number) if (op, attribute.name) in ELEMENT_TYPES else number
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
    own = ([a.g] if a.HasField("g") else [] for a in node.attribute)
    return [graph for first, a in zip(own, node.attribute) for graph in (*first, *a.graphs)]


def require_few(nodes: int, faults: Faults) -> None:
    """Refuse a model with more nodes than the limit, those of sub-graphs included. Raises: ReadError"""
    if nodes > faults.limits.layers:
        raise faults.refuse("too-many-layers", f"the model has {nodes:,} nodes", -1)


class GraphBuilder:
    """Builds the graph of one model. versions: what a layer's version says, by the domain of its op."""

    def __init__(
        self,
        versions: dict[str, str],
        files: tensors.ExternalFiles,
        weights: tensors.Gathered,
        faults: Faults,
    ) -> None:
        self.versions, self.files, self.weights, self.faults = versions, files, weights, faults
        self.graph = LayerGraph()
        self.nodes = 0
        self.names = SizeNames()
        self.known: dict[str, Declared] = {}
        self.sources: dict[
            str, tuple[int, int]
        ] = {}  # of each tensor, the layer and the label of the port that gives it
        self.layer_names = UniqueNames()
        self._early: list[tuple[Layer, str, Layer]] = []  # layers, and inputs of theirs from later layers
        self._named: dict[str, Layer] = {}  # the layers of nodes, by the names of the nodes

    def build(self, proto: Any) -> LayerGraph:
        self.nodes = len(proto.node)
        for info in (*proto.input, *proto.output, *proto.value_info):
            self.known.setdefault(info.name, declared(info, self.names))
        self.layer_names.update(info.name for info in proto.output)  # kept free for Results, the last layers
        constants = {tensor.name for tensor in proto.initializer} | {
            sparse.values.name for sparse in proto.sparse_initializer
        }
        for info in proto.input:
            if info.name not in constants:
                self._parameter(info.name)
        for tensor in proto.initializer:
            self._initializer(tensor.name, tensor, tensors.constant_of)
        for sparse in proto.sparse_initializer:
            self._initializer(sparse.values.name, sparse, sparse_constant)
        # all layers before the edges: nodes may be out of order, which is then reported
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
            message = f"the domain {own or 'ai.onnx'!r} is not imported; opset_import must name its opset"
            self.faults.add("unimported-domain", message, -1)
        return self.versions[own]

    def _parameter(self, name: str) -> None:
        known = self.known[name]
        kind = "dynamic" if known.element is None else known.element.name
        data = {"shape": known.shape, "element_type": kind}
        layer = self._layer(self.layer_names.unique(name), "Parameter", data=data)
        self._refused(known, f"input {name!r}")
        self._gives(layer, name)

    def _refused(self, known: "Declared", what: str) -> None:
        if known.fault is not None:
            self.faults.add("unsupported-onnx-type", f"{what} {known.fault}", -1)

    def _initializer(self, name: str, proto: Any, read: Any) -> None:
        layer = self._layer(self.layer_names.unique(name), "Const")
        self._hold(layer, f"initializer {name!r}", lambda: read(proto, self.files))
        self._gives(layer, name)

    def _hold(self, layer: Layer, what: str, read: Any) -> None:
        """Put a constant's bytes with the others, and say in its layer where."""
        try:
            constant: tensors.TensorConstant = read()
        except tensors.TensorFault as fault:
            self.faults.add(fault.rule, f"{what} {fault}", -1)
            layer.data = {}
            return
        offset, size = self.weights.add(constant.data), tensors.size_of(constant.data)
        layer.data = Region(constant.element, constant.shape, offset, size).data

    def _node(self, node: Any) -> Iterator[tuple[Layer, list[str]]]:
        """The layer of a node, and the tensors that it takes: its own inputs, then the others that its
        sub-graphs take.
        """
        graphs = graphs_of(node)
        if graphs:
            self.nodes += sum(1 for graph in graphs for _ in _all_nodes(graph.node))
            require_few(self.nodes, self.faults)
        outer = [name for graph in graphs for name in _captured(graph)]
        layer = self._layer(self._name_of(node), node.op_type, data=texts_of(node))
        layer.version = self._version(node.domain)  # a domain that is not imported is reported at this layer
        constant = node.op_type == "Constant" and node.domain in OWN_DOMAINS
        layer.own_kind = LayerKind.CONSTANT if constant else LayerKind.OPERATION
        if not constant:  # runtimes turn Constants into initializers first
            other = self._named.setdefault(node.name, layer)
            if node.name and other is not layer:
                message = f"{layer} comes from a node of the name {node.name!r}, as does {other}"
                self.faults.add("invalid-onnx-part", f"{message}; names must be unique", -1)
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
        properties = getattr(node, "metadata_props", ())
        layer.extra = {entry.key: entry.value for entry in properties}
        yield layer, inputs

    def _name_of(self, node: Any) -> str:
        """A node's name; that of its first tensor, where it has none or another layer's."""
        if node.name and node.name not in self.layer_names:
            return self.layer_names.unique(node.name)
        return self.layer_names.unique(next(filter(None, (*node.output, node.op_type)), ""))

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
            message = f"{layer} gives {name!r}, which is declared with the size {known.negative}"
            self.faults.add("negative-onnx-size", f"{message}; it counts as unknown", -1)
        if name in self.sources:
            other = self.graph.layers[self.sources[name][0]]
            message = f"{layer} produces the tensor {name!r}, which {other} produces already"
            self.faults.add("duplicate-tensor", f"{message}; names must be unique", -1)
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
                message = f"{layer} has the input {name!r}, which {source} produces after it"
                wanted = "nodes must come after those whose outputs they take"
                self.faults.add("invalid-onnx-part", f"{message}; {wanted}", -1)

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


def node_constant(node: Any, files: tensors.ExternalFiles) -> tensors.TensorConstant:
    """The value of a node Constant.

    Raises:  TensorFault
    """
    named = [attribute for attribute in node.attribute if attribute.name in VALUES]
    if len(named) != 1:
        given = ", ".join(attribute.name for attribute in named) or "no value at all"
        raise tensors.TensorFault(
            "constant-without-value", f"has {given}, must have exactly one of {', '.join(VALUES)}"
        )
    attribute = named[0]
    if attribute.name == "value":
        return tensors.constant_of(attribute.t, files)
    if attribute.name == "sparse_value":
        return sparse_constant(attribute.sparse_tensor, files)
    return tensors.TensorConstant.of(_PLAIN[attribute.name](attribute))


def _texts(values: list[bytes]) -> Array:
    array = np.empty(len(values), object)
    try:
        array[:] = [value.decode() for value in values]
    except UnicodeDecodeError:
        raise tensors.TensorFault("malformed-tensor", "holds a string that is not UTF-8") from None
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


def sparse_constant(sparse: Any, files: tensors.ExternalFiles) -> tensors.TensorConstant:
    """A SparseTensorProto, dense.

    Raises:  TensorFault
    """
    values, places = (tensors.constant_of(tensor, files) for tensor in (sparse.values, sparse.indices))
    shape = tuple(sparse.dims)
    if any(size < 0 for size in shape):
        raise tensors.TensorFault("malformed-tensor", f"has the dims {list(shape)}, must be 0 or more")
    if prod(shape) * max(values.element.dtype.itemsize, 1) > DENSE_BYTES:
        raise tensors.TensorFault(
            "unsupported-onnx-type", f"is sparse, and has too many elements when made dense: {prod(shape)}"
        )
    if places.element.name != "i64" or len(values.shape) != 1:
        found = f"is sparse, with indices of {places.element} for values of rank {len(values.shape)}"
        raise tensors.TensorFault("malformed-tensor", f"{found}; must be of i64 for values of rank 1")
    dense = zeros(shape, values.element)
    flat = _flat(
        unpack(tensors.content_of(places.data), places.element, places.shape), values.shape[0], shape
    )
    dense.reshape(-1)[flat] = unpack(tensors.content_of(values.data), values.element, values.shape)
    return tensors.TensorConstant.of(tagged(dense, values.element))


def _flat(places: Array, count: int, shape: tuple[int, ...]) -> Array:
    """Where each value goes, counted in the dense tensor: indices are such places already, or rows of one
    index per axis.
    """
    if places.shape == (count, len(shape)):
        if ((places < 0) | (places >= np.array(shape, np.int64))).any():
            raise tensors.TensorFault(
                "malformed-tensor", f"is sparse, with indices outside of its dims {list(shape)}"
            )
        return np.ravel_multi_index(tuple(places.T), shape) if shape else np.zeros(count, np.int64)
    if places.shape == (count,) and ((places >= 0) & (places < prod(shape))).all():
        return places
    found = f"is sparse, with {count} values and indices of shape {list(places.shape)}"
    raise tensors.TensorFault("malformed-tensor", f"{found} for dims {list(shape)}")


# What a model declares of tensors: element types, and shapes whose sizes may have names.

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
        name = kind.removesuffix("_type").replace("_", " ")
        return Declared(None, "...", (), f"is of the kind {name}, must be a tensor")
    tensor = info.type.tensor_type
    element = tensors.element_of(tensor.elem_type) if tensor.elem_type else None
    is_unknown = element is None and tensor.elem_type
    fault = f"has the data type {tensor.elem_type}, which irops does not support" if is_unknown else None
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


MOST_BYTES = (1 << 31) - 1
"""Limits on a protocol buffer."""


def load(
    path: StrPath, limits: Limits | None = None, data: bytes | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that a file holds, as far as it can be read, and all that is wrong with its structure.

    data: what is read in place of the file's content
    Raises:  ReadError where there is no model at all
    """
    place = Place.of(path)
    faults = Faults(SourceText(str(place), b"", as_stored=False), limits)
    data = _bytes_of(place, faults) if data is None else data
    return _load(_parsed(onnx_library(str(place)), data, faults), place, faults)


def loads(data: bytes, limits: Limits | None = None) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that bytes in memory hold; see load."""
    faults = Faults(SourceText(None, b"", as_stored=False), limits)
    onnx = onnx_library(None)
    return _load(_parsed(onnx, data, faults), None, faults)


def of_proto(proto: Any) -> Model:
    """The model that a ModelProto is.

    Raises:  ReadError, with all that was found, where something of it cannot be read
    """
    model, found = _load(proto, None, Faults(SourceText(None, b"", as_stored=False)))
    if any(d.severity == "error" for d in found):
        raise ReadError(sorted(found, key=lambda d: d.severity))
    return model


def _bytes_of(path: Place, faults: Faults) -> bytes:
    with opened_model(path, faults, ".onnx") as (file, size):
        data = b"" if size > MOST_BYTES else file.read(MOST_BYTES + 1)
    count_read(len(data))
    if max(size, len(data)) > MOST_BYTES:
        found = f"the file has {max(size, len(data)):,} bytes or more"
        message = f"{found}; protocol buffers are limited to 2 GiB"
        raise faults.stop("malformed-onnx", message, -1)
    if not data:
        raise faults.stop("empty-file", f"{path} is empty; it must be an ONNX model", -1)
    return data


def _parsed(onnx: Any, data: bytes, faults: Faults) -> Any:
    """The ModelProto that bytes are."""
    from google.protobuf.message import DecodeError

    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    xml = "the file looks like XML; an IR file must have the extension .xml"
    notes = (xml,) if start.startswith(b"<") else ()
    if len(data) > MOST_BYTES:
        message = f"the file has {len(data):,} bytes or more; protocol buffers are limited to 2 GiB"
        raise faults.stop("malformed-onnx", message, -1)
    try:
        proto = onnx.ModelProto.FromString(data)
    except DecodeError:
        raise faults.stop(
            "malformed-onnx", "the file is not a valid ModelProto, or is truncated", -1, notes=notes
        ) from None
    if not proto.HasField("graph"):
        what = "the model has no graph: the file is truncated, or has another format"
        raise faults.stop("malformed-onnx", what, -1, notes=notes)
    return proto


def _load(proto: Any, path: Place | None, faults: Faults) -> tuple[Model, tuple[Diagnostic, ...]]:
    if proto.functions:
        require_texts(proto, faults)
        proto = inlined(proto, faults)
    require_few(len(proto.graph.node), faults)  # at once; those of sub-graphs when their nodes are read
    imports = {
        "" if entry.domain in OWN_DOMAINS else entry.domain: entry.version for entry in proto.opset_import
    }
    weights = tensors.Gathered(path.name if path else "the model")
    files = tensors.ExternalFiles(path, faults.limits)
    try:
        with no_collection():
            graph = GraphBuilder(_versions(imports, faults), files, weights, faults).build(proto.graph)
            name, extra = proto.graph.name, {entry.key: entry.value for entry in proto.metadata_props}
            has_only_texts = are_texts(graph, (name, *imports, *extra, *extra.values()))
    except RecursionError:
        raise faults.stop("malformed-onnx", "sub-graphs are nested too deeply", -1) from None
    except (TypeError, AttributeError, UnicodeDecodeError, ReadError):
        require_texts(proto, faults)  # the usual cause: bytes where a text should be
        raise
    if not has_only_texts or faults.findings:
        require_texts(proto, faults)
    faults.layer = None
    model = Model(
        name,
        graph=graph,
        extra=extra,
        weights=weights,
        source=faults.source,
        dialect=ONNX,
        opsets={domain or ONNX: version for domain, version in imports.items()},
    )
    return model, faults.in_order()


def _versions(imports: dict[str, int], faults: Faults) -> dict[str, str]:
    """The opsets that layers state, by domain."""
    last = onnx_opsets().last
    if imports.get("", 0) > last:
        faults.add(
            "newer-opset", f"the model imports opset {imports['']}; the newest that is known is {last}", -1
        )
    known = {domain: version if domain else min(version, last) for domain, version in imports.items()}
    return {domain: f"{domain or ONNX}:{version}" for domain, version in known.items()}


# The functions that a model defines itself: their calls are replaced by their nodes, within limits.

MAX_CALLS = 100
"""How many functions may call each other in a chain; the inliner of onnx has the same limit."""

Key = tuple[str, str, str]
"""The domain, the name and the overload of a function."""
OTHER: Key = ("", "", "")
"""Stands for ops that are not functions of the model."""


@dataclass(frozen=True, slots=True)
class _Expansion:
    """The size of one call of a function: a number of nodes and of bytes, and the longest chain of calls."""

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
        reduced = type(proto)()
        reduced.CopyFrom(proto)
        del reduced.functions[:]
        reduced.functions.extend([functions[key] for key in expansions])
        proto = reduced
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
    # 0.30103 is log10(2); int() and str() refuse thousands of digits
    return f"{count:,}" if count < 10**15 else f"10^{int(count.bit_length() * 0.30103)} or more"


# Requires that the texts of a model are UTF-8: protobuf reads others as bytes, or fails when they are used.

_STRING, _MESSAGE = 9, 11
"""FieldDescriptor.TYPE_STRING and TYPE_MESSAGE"""


def are_texts(graph: LayerGraph, others: Iterable[object]) -> bool:
    """Whether all names in layers that were built of a model, and others, are texts."""
    return all(isinstance(text, str) for text in others) and all(
        isinstance(layer.name, str)
        and isinstance(layer.type, str)
        and all(isinstance(name, str) for name in layer.data)
        and all(isinstance(text, str) for item in layer.extra.items() for text in item)
        and all(isinstance(name, str) for port in layer.outputs for name in port.names)
        for layer in graph.layers
    )


def require_texts(proto: Any, faults: Faults) -> None:
    """Raises: ReadError if a name or another text of the model is not UTF-8. It has no other findings, which
    may quote such names.
    """
    faults = Faults(faults.source, faults.limits)
    ahead = [proto]
    fields: dict[str, tuple[list[tuple[str, bool]], list[tuple[str, bool]]]] = {}
    while ahead:
        message = ahead.pop()
        descriptor = message.DESCRIPTOR
        found = fields.get(descriptor.full_name)
        if found is None:
            found = fields[descriptor.full_name] = (
                [(field.name, _many(field)) for field in descriptor.fields if field.type == _STRING],
                [(field.name, _many(field)) for field in descriptor.fields if field.type == _MESSAGE],
            )
        texts, inner = found
        for name, many in texts:
            _require_text(message, name, many, faults)
        for name, many in inner:
            if many:
                ahead.extend(getattr(message, name))
            elif message.HasField(name):
                ahead.append(getattr(message, name))


def _require_text(message: Any, name: str, many: bool, faults: Faults) -> None:
    try:
        value = getattr(message, name)
        texts: Iterable[object] = value if many else (value,)
        wrong = next((text for text in texts if not isinstance(text, str)), None)
    except UnicodeDecodeError as error:
        wrong = error.object
    if isinstance(wrong, bytes):
        kind = message.DESCRIPTOR.name.removesuffix("Proto")
        shown = shortened(wrong[:200].decode("utf-8", "backslashreplace"))
        raise faults.stop("malformed-onnx", f"{name} {shown!r} of a {kind} is not UTF-8")


def _many(field: Any) -> bool:
    repeated = getattr(field, "is_repeated", None)  # label is deprecated in newer versions of protobuf
    return bool(field.label == field.LABEL_REPEATED if repeated is None else repeated)
