"""Write ONNX models."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, Severity
from irops.diagnostics.rules import rule
from irops.dialects.dialect import Interface, KnownOps
from irops.dialects.onnx.opsets import ONNX, imported, onnx_library
from irops.dialects.onnx.read import MOST_BYTES
from irops.dialects.onnx.tensors import number_of, tensor_of
from irops.files.output import PendingFiles, UnwritableModel, local_target
from irops.graph.topology import Wiring
from irops.ir.model import Layer, LayerKind, Model, UniqueNames
from irops.ir.weights import checked_region
from irops.spec.attributes import DomainError, parse
from irops.spec.op import NoOp, Op
from irops.values.dim import Dim
from irops.values.element import DYNAMIC
from irops.values.fact import Fact


def write(model: Model, path: str | os.PathLike[str], *, registry: KnownOps, interface: Interface) -> None:
    """Write a model of ONNX as one file; under another name in the same folder, renamed when it is whole.

    Raises:  DiagnosticError where the library onnx is missing, the model is of another dialect or too large,
        or a constant's bytes
             are not there; OSError
    """
    name = os.fspath(path)
    data = _serialized(proto_of(model, name, registry=registry, interface=interface), name)
    with PendingFiles(local_target(path, of_model=True)) as (file,):
        file.write(data)


def _serialized(proto: Any, path: str) -> bytes:
    from google.protobuf.message import EncodeError

    try:
        data: bytes = proto.SerializeToString(deterministic=True)
    except EncodeError:  # the library does not write more than it reads
        raise _oversized(MOST_BYTES + 1, path) from None
    if len(data) > MOST_BYTES:
        raise _oversized(len(data), path)
    return data


def proto_of(model: Model, path: str | None = None, *, registry: KnownOps, interface: Interface) -> Any:
    """The ModelProto that a model of ONNX is. path: of the file that it is for, if any.

    Raises:  DiagnosticError; UnwritableModel for a text that UTF-8 cannot represent
    """
    onnx = onnx_library(path, DiagnosticError)
    if model.dialect != ONNX:
        message = f"{path or 'a ModelProto'} can hold ONNX ops only; the model is {model.dialect}"
        raise DiagnosticError([Diagnostic(rule("wrong-dialect-for-file"), message, Location(path))])
    needed = sum(checked_region(model, layer).size for layer in model.layers if layer.is_constant)
    if needed > MOST_BYTES:
        raise _oversized(needed, path)
    made, opsets = onnx.helper.make_opsetid, model.opsets.items()
    try:
        graph = _GraphParts(onnx, model, registry, interface).graph()
        imports = [made("" if domain == ONNX else domain, version) for domain, version in opsets]
        proto = onnx.helper.make_model(graph, opset_imports=imports, producer_name="irops")
        onnx.helper.set_model_props(proto, model.extra)
    except UnicodeEncodeError as error:
        raise UnwritableModel(
            f"the text {error.object!r} has a character that UTF-8 does not allow"
        ) from None
    proto.ir_version = onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True)
    return proto


def _oversized(size: int, path: str | None) -> DiagnosticError:
    limit = f"one file of ONNX holds less than {MOST_BYTES + 1:,}"
    message = f"the model takes {size:,} bytes or more, and {limit}"
    return DiagnosticError([Diagnostic(rule("oversized-onnx"), message, Location(path))])


class _GraphParts:
    """The parts of a GraphProto."""

    def __init__(self, onnx: Any, model: Model, registry: KnownOps, interface: Interface) -> None:
        self.helper, self.model, self.registry = onnx.helper, model, registry
        self.facts = interface(model)
        self.wiring = Wiring(model.graph)
        self.names = TensorNames(model.layers, self.wiring)
        self.results = [layer for layer in model.layers if layer.kind is LayerKind.RESULT]

    def graph(self) -> Any:
        layers = self.wiring.order
        own = [(layer, self._inputs(layer), self.names.of(layer)) for layer in layers if has_node(layer)]
        nodes = [node_of(self.helper, self.model, *parts, self.registry) for parts in own]
        make, renamed = self.helper.make_node, self.names.renamed
        nodes += [make("Identity", [inner], [outer], name=f"{outer}/result") for inner, outer in renamed]
        parameters = [layer for layer in layers if layer.kind is LayerKind.PARAMETER]
        return self.helper.make_graph(
            nodes,
            self.model.name or "graph",
            [self._info(self.names.of(layer)[0], self._fact(layer)) for layer in parameters],
            [self._info(self.names.results[layer.id], self._fact(layer)) for layer in self.results],
            [
                tensor_of(self.model, layer, self.names.of(layer)[0])
                for layer in layers
                if layer.is_constant and not has_node(layer)
            ],
        )

    def _inputs(self, layer: Layer) -> Iterator[str]:
        """The names of the tensors that a layer takes; that of one left out is empty."""
        for source in self.wiring.inputs[layer.id]:
            yield "" if source is None else self.names.of(source[0])[source[1]]

    def _fact(self, layer: Layer) -> Fact:
        return self.facts.get(layer.id, Fact())

    def _info(self, name: str, fact: Fact) -> Any:
        number = number_of(fact.element_type) if fact.element_type is not DYNAMIC else None
        sizes = None if fact.shape.dims is None else [_size(dim) for dim in fact.shape.dims]
        return self.helper.make_tensor_value_info(name, number or 0, sizes)


def _size(dim: Dim) -> int | str | None:
    """A size as ONNX declares it: a number, a name, or nothing."""
    if dim.known:
        return int(dim)
    return dim.spelled if dim.spelled.isidentifier() else None


# Nodes of models that are written, and their attributes: from texts to what their definitions say they are.


def node_of(
    helper: Any, model: Model, layer: Layer, inputs: Iterable[str], outputs: list[str], registry: KnownOps
) -> Any:
    """The NodeProto of a layer.

    Raises:  DiagnosticError where what its attributes are is not known
    """
    domain = (imported(layer.version) or (ONNX, 1))[0]
    node = helper.make_node(
        layer.type, list(inputs), outputs, name=layer.name, domain="" if domain == ONNX else domain
    )
    node.attribute.extend(
        helper.make_attribute(name, value) for name, value in _attributes(model, layer, registry)
    )
    for key, value in layer.extra.items():
        entry = node.metadata_props.add()
        entry.key, entry.value = key, value
    return node


def _attributes(model: Model, layer: Layer, registry: KnownOps) -> Iterable[tuple[str, Any]]:
    if layer.is_constant:
        return [("value", tensor_of(model, layer, ""))]
    op = registry.resolve(layer.type, layer.version)
    if isinstance(op, NoOp):
        raise _refusal(op.rule, f"{layer} cannot be written: {op.subject or op.message}", layer, op.notes)
    return [(name, _value(op, layer, name, text)) for name, text in layer.data.items()]


def _value(op: Op, layer: Layer, name: str, text: str) -> Any:
    attribute = op.definition.attributes.get(name)
    if attribute is None:
        raise _refusal("unknown-attribute", f"{op.id} has no attribute {name!r}", layer)
    try:
        value = parse(attribute, text)
    except DomainError as error:
        raise _refusal(error.kind, str(error), layer) from None
    if attribute.type == "element_type":
        return number_of(value)
    if attribute.type == "bool":
        return int(value)
    return list(value) if isinstance(value, tuple) else value


def _refusal(name: str, message: str, layer: Layer, notes: tuple[str, ...] = ()) -> DiagnosticError:
    place = Location(None, None, None, layer.id, layer.name)
    return DiagnosticError([Diagnostic(rule(name), message, place, notes=notes, level=Severity.ERROR)])


# The names of tensors in an ONNX model, which must be unique because they connect the nodes.


def has_node(layer: Layer) -> bool:
    """Whether a layer is a node in ONNX: inputs and results are not, nor are initializers, unlike the nodes
    Constant.
    """
    return layer.type not in ("Parameter", "Const", "Result")


class TensorNames:
    """Names of the outputs of layers. results: of what the graph gives, by layer; renamed: tensors that it
    gives under another name.
    """

    def __init__(self, layers: Sequence[Layer], wiring: Wiring) -> None:
        self.results: dict[int, str] = {}
        self.renamed: list[tuple[str, str]] = []
        self._names: dict[tuple[int, int], str] = {}
        self._used_names = UniqueNames()
        ends = [layer for layer in layers if layer.kind is LayerKind.RESULT]
        sources = {layer.id: wiring.source(layer.id) for layer in ends}
        for layer in layers:
            if layer.kind is LayerKind.PARAMETER:
                self._claim((layer.id, 0), layer)
        for layer in ends:
            self.results[layer.id] = self._used_names.unique(_wanted(layer, sources[layer.id]))
        for layer in ends:
            self._give(layer, sources[layer.id])
        for layer in layers:
            for place in range(len(layer.outputs)):
                self._claim((layer.id, place), layer)
        self.renamed = [
            (self._names[source[0].id, source[1]], self.results[end])
            for end, source in sources.items()
            if source is not None and self._names[source[0].id, source[1]] != self.results[end]
        ]

    def of(self, layer: Layer) -> list[str]:
        """The names of a layer's outputs."""
        return [self._names[layer.id, place] for place in range(len(layer.outputs))]

    def _give(self, result: Layer, source: tuple[Layer, int] | None) -> None:
        """Let the tensor that a Result takes have the result's name, if it has no other and is a node's."""
        if source is None or not has_node(source[0]) or (source[0].id, source[1]) in self._names:
            return
        name, names = self.results[result.id], source[0].outputs[source[1]].names
        if name in names or not names:
            self._names[source[0].id, source[1]] = name

    def _claim(self, key: tuple[int, int], layer: Layer) -> None:
        if key in self._names:
            return
        names = layer.outputs[key[1]].names
        plain = layer.name or f"{layer.type}_{layer.id}"  # an empty name means an input that is left out
        numbered = plain if len(layer.outputs) == 1 else f"{plain}:{key[1]}"
        self._names[key] = self._used_names.unique(
            next((name for name in names if name and name not in self._used_names), numbered)
        )


def _wanted(result: Layer, source: tuple[Layer, int] | None) -> str:
    """The name of a result: its own, else that of its tensor, else that of its layer."""
    names = source[0].outputs[source[1]].names if source is not None else ()
    return next(filter(None, (*(result.output_names or ()), *names, result.name)), f"Result_{result.id}")
