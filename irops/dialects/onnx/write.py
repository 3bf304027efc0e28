"""Write ONNX models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.dialects.dialect import Interface, OpLookup
from irops.dialects.onnx.library import FLOATS, INTS, STRINGS, TYPES, number_of, onnx_library
from irops.dialects.onnx.opsets import ONNX, OWN_DOMAINS, imported
from irops.dialects.onnx.read import (
    EXTERNAL,
    MOST_BYTES,
    SizeNames,
    StoredElement,
    StoredModel,
    body_graphs,
    content_of,
    declared,
    message_fields,
)
from irops.ir.model import Body, Graph, Layer, LayerKind, Model, Port
from irops.ir.pending import Pending
from irops.ir.storage import Weights
from irops.ir.targets import MODEL, WEIGHTS, TargetRefused, local_target
from irops.ir.unique import UniqueNames
from irops.ir.weights import checked_region, constant, reading_weights
from irops.ir.wiring import Wiring
from irops.spec.body import OUTER
from irops.spec.domains import DomainError, TensorValue, parse
from irops.spec.op import NoOp, Op
from irops.values.dim import ANY, Dim
from irops.values.element import DYNAMIC, STRING, ElementType, element_type, element_types, foreign_types
from irops.values.fact import Fact, MapFact, NoTensor, OptionalFact, SequenceFact, parse_fact
from irops.values.shape import UNRANKED, Shape, is_symbol

NOTHING: Mapping[int, str] = MappingProxyType({})

# Constants of models that are written: from bytes as irops stores them to a TensorProto.


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
        with reading_weights(model):
            proto.raw_data = bytes(model.weights.view(region.offset, region.size))
    else:
        proto.raw_data = b""
    return proto


LISTS = {"floats": FLOATS, "strings": STRINGS}
"""The kinds of attributes that are lists, by the types of definitions; the other types are of integers."""


def _attributes(helper: Any, model: Model, layer: Layer, registry: OpLookup) -> Iterable[Any]:
    """The attributes of a layer, bodies apart. What did not change since it was read is copied.

    Raises:  DiagnosticError where what an attribute is is not known
    """
    stored = _stored(layer)
    if layer.is_constant:
        is_same = stored is not None and _holds_the_same(model, layer, stored)
        return (
            list(stored.proto.attribute)
            if stored is not None and is_same
            else [helper.make_attribute("value", tensor_of(model, layer, ""))]
        )
    kept = {} if stored is None else {one.name: one for one in stored.proto.attribute}
    texts = {} if stored is None else dict(stored.data)
    protos = []
    for name, text in layer.data.items():
        known = kept.get(name)
        if known is not None and texts.get(name) == text:
            protos.append(known)
            continue
        op = registry.resolve(layer.type, layer.version)
        if isinstance(op, NoOp):
            raise _refusal(op.rule, f"{layer} cannot be written: {op.message}", layer)
        protos.append(_attribute(helper, op, layer, name, text))
    return protos


def _stored(layer: Layer) -> StoredElement | None:
    """The node that a layer was read from, if it is still of the same op."""
    stored = layer.stored
    if not isinstance(stored, StoredElement) or stored.proto.DESCRIPTOR.name != "NodeProto":
        return None
    return stored if stored.proto.op_type == layer.type else None


def _holds_the_same(model: Model, layer: Layer, stored: StoredElement) -> bool:
    """Whether a constant has the type, the shape and the bytes that it was read with."""
    data = dict(stored.data)
    if not data or any(layer.data.get(name) != data[name] for name in ("element_type", "shape", "size")):
        return tuple(layer.data.items()) == stored.data
    if model.weights is None or (model.weights is stored.weights and layer.data == data):
        return model.weights is not None
    region = checked_region(model, layer)
    with reading_weights(model):
        ours = model.weights.view(region.offset, region.size)
        return ours == stored.weights.view(int(data["offset"]), int(data["size"]))


def _attribute(helper: Any, op: Op, layer: Layer, name: str, text: str) -> Any:
    attribute = op.definition.attributes.get(name)
    if attribute is None:
        raise _refusal("unknown-attribute", f"{op.id} has no attribute {name!r}", layer)
    try:
        value = parse(attribute, text)
    except DomainError as error:
        raise _refusal(error.kind, str(error), layer) from None
    return attribute_proto(helper, name, value, attribute.type)


def attribute_proto(helper: Any, name: str, value: Any, type: str = "ints") -> Any:
    """The AttributeProto of a value. type: that of the definition, which an empty list does not show"""
    if isinstance(value, ElementType):
        return helper.make_attribute(name, number_of(value))
    if isinstance(value, bool):
        return helper.make_attribute(name, int(value))
    if isinstance(value, TensorValue):
        from onnx import numpy_helper

        return helper.make_attribute(name, numpy_helper.from_array(value.array, name))
    if not isinstance(value, (tuple, list)):
        return helper.make_attribute(name, value)
    return helper.make_attribute(name, list(value), attr_type=None if value else LISTS.get(type, INTS))


def _refusal(name: str, message: str, layer: Layer) -> DiagnosticError:
    return DiagnosticError(
        [Diagnostic(rule(name), message, Location(None, None, None, layer.id, layer.name))]
    )


# Files.

# The names of tensors in an ONNX model, which must be unique because they connect the nodes.


def has_node(layer: Layer) -> bool:
    """Whether a layer is a node in ONNX: inputs and results are not, nor are initializers, unlike the nodes
    Constant.
    """
    return layer.type not in ("Parameter", "Const", "Result")


class TensorNames:
    """Names of the outputs of layers. results: of what the graph gives, by layer; renamed: tensors that it
    gives under another name.

    given: the names of tensors of graphs around, by the ids of the Parameters that stand for them; used:
    other names in these graphs.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        wiring: Wiring,
        given: Mapping[int, str] = NOTHING,
        used: Iterable[str] = (),
    ) -> None:
        self.results: dict[int, str] = {}
        self.renamed: list[tuple[str, str]] = []
        self._names: dict[tuple[int, int], str] = {(number, 0): name for number, name in given.items()}
        self._used_names = UniqueNames((*given.values(), *used))
        self._consumers = wiring.consumers
        ends = [layer for layer in layers if layer.kind is LayerKind.RESULT]
        sources = {layer.id: wiring.first(layer.id) for layer in ends}
        for layer in layers:
            if layer.kind is LayerKind.PARAMETER:
                self._claim((layer.id, 0), layer)
        for layer in ends:
            self.results[layer.id] = self._result(layer, sources[layer.id])
        for layer in ends:
            self._give(layer, sources[layer.id])
        for layer in layers:
            for place in range(len(layer.outputs)):
                self._claim((layer.id, place), layer)
        self.renamed = [
            (self._names[source[0].id, source[1]], self.results[end])
            for end, source in sources.items()
            if source is not None and self.results[end] not in ("", self._names[source[0].id, source[1]])
        ]

    def of(self, layer: Layer) -> list[str]:
        """The names of a layer's outputs; none of one that was read without a name and is not used."""
        return [
            ""
            if layer.stored is not None and not port.names and (layer.id, place) not in self._consumers
            else self._names[layer.id, place]
            for place, port in enumerate(layer.outputs)
        ]

    def name(self, source: tuple[Layer, int]) -> str:
        """The name of one output."""
        return self._names[source[0].id, source[1]]

    def _result(self, layer: Layer, source: tuple[Layer, int] | None) -> str:
        """The name of a result: where it was read as that of an input or an initializer, this one."""
        if layer.stored is not None and layer.output_names == ("",):
            return ""  # not valid, and as it was read
        wanted = _wanted(layer, source)
        if layer.stored is not None and source is not None and not has_node(source[0]):
            key = (source[0].id, source[1])
            names = source[0].outputs[source[1]].names
            if self._names.get(key) == wanted or (
                key not in self._names and wanted in names and wanted not in self._used_names
            ):
                self._names[key] = wanted
                self._used_names.update((wanted,))
                return wanted
        return self._used_names.unique(wanted)

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
    """What a result is called: what it says itself, else as its tensor, else as its layer."""
    names = source[0].outputs[source[1]].names if source is not None else ()
    return next(filter(None, (*(result.output_names or ()), *names, result.name)), f"Result_{result.id}")


def write(model: Model, path: str | os.PathLike[str], *, registry: OpLookup, interface: Interface) -> None:
    """Write a model of ONNX as one file; under another name in the same folder, renamed when it is whole.

    Files with external data are copied into the folder, unless it has them.
    Raises:  DiagnosticError where the library onnx is missing, the model is of another dialect or too large,
        or a constant's bytes are not there; TargetRefused where a file is in the way of external data;
        OSError
    """
    name = os.fspath(path)
    proto = proto_of(model, name, registry=registry, interface=interface)
    data = _serialized(proto, name)
    target = local_target(path, MODEL)
    copies = dict(_missing_data(model, proto, target))
    if copies:
        with Pending(*copies) as files:
            for (location, source), file in zip(copies.values(), files):
                if source.fault is not None:
                    raise _unwritable("missing-external-data", f"{location} {source.fault}", name)
                source.copy_to(file, 0, source.size)
    with Pending(target) as (file,):
        file.write(data)


def _missing_data(model: Model, proto: Any, target: Path) -> Iterator[tuple[Path, tuple[str, Weights]]]:
    """The files with external data that are to be copied: their paths, what the model calls them, and where
    their bytes are.

    Raises:  TargetRefused where a file with other content has the path
    """
    folder = Path(os.path.realpath(target.parent))
    stored = model.stored
    for location in dict.fromkeys(_locations(proto)):
        path = folder / location
        source = stored.files.file(location)
        if source.path is not None and os.path.realpath(source.path) == os.path.realpath(path):
            continue
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            yield local_target(path, WEIGHTS), (location, source)
        elif not _same_content(Weights.of_file(path), source):
            raise TargetRefused(
                f"{path} has other content than the external data of the model, which has this file name"
            )


_STEP = 1 << 24


def _same_content(one: Weights, other: Weights) -> bool:
    if one.fault is not None or other.fault is not None or one.size != other.size:
        return False
    return all(
        one.read(start, min(_STEP, one.size - start)) == other.read(start, min(_STEP, one.size - start))
        for start in range(0, one.size, _STEP)
    )


def _locations(proto: Any) -> Iterator[str]:
    """The files that tensors in a message, at any depth, have their data in."""
    ahead = [proto]
    while ahead:
        message = ahead.pop()
        if message.DESCRIPTOR.name == "TensorProto":
            if message.data_location == EXTERNAL:
                yield from (entry.value for entry in message.external_data if entry.key == "location")
            continue
        for name, many in message_fields(message.DESCRIPTOR):
            if many:
                ahead.extend(getattr(message, name))
            elif message.HasField(name):
                ahead.append(getattr(message, name))


def _serialized(proto: Any, path: str) -> bytes:
    from google.protobuf.message import EncodeError

    try:
        data: bytes = proto.SerializeToString(deterministic=True)
    except EncodeError:  # the library does not write more than it reads
        raise _oversized(MOST_BYTES + 1, path) from None
    if len(data) > MOST_BYTES:
        raise _oversized(len(data), path)
    return data


def proto_of(model: Model, path: str | None = None, *, registry: OpLookup, interface: Interface) -> Any:
    """The ModelProto that a model of ONNX is. path: of the file that it is for, if any.

    What did not change since the model was read is copied, with all that irops does not interpret.
    Raises:  DiagnosticError
    """
    onnx = onnx_library(path, DiagnosticError)
    if model.dialect != ONNX:
        message = f"{path or 'a ModelProto'} can hold ONNX ops only; the model is {model.dialect}"
        raise _unwritable("wrong-dialect-for-file", message, path)
    needed = sum(
        checked_region(model, layer).size
        for _, layer in model.walk()
        if layer.is_constant and not isinstance(layer.stored, StoredElement)
    )
    if needed > MOST_BYTES:
        raise _oversized(needed, path)
    context = _Context(onnx, model, registry, lambda: interface(model))
    with reading_weights(model):
        graph, is_changed = _GraphParts(context, model.graph).graph()
    imports = [
        onnx.helper.make_opsetid("" if domain == ONNX else domain, version)
        for domain, version in model.opsets.items()
    ]
    if not isinstance(model.stored, StoredModel):
        graph.name = model.name or "graph"
        proto = onnx.helper.make_model(graph, opset_imports=imports, producer_name="irops")
        proto.ir_version = onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True)
        onnx.helper.set_model_props(proto, model.extra)
        return proto
    return _updated(onnx, model, graph if is_changed else None, imports)


def _updated(onnx: Any, model: Model, graph: Any, imports: list[Any]) -> Any:
    """The ModelProto that a model was read from, with what has changed. graph: None where it has not

    Functions are part of the graph when it is read: a changed graph has their nodes in place of the calls.
    """
    stored = model.stored
    proto = onnx.ModelProto()
    proto.CopyFrom(stored.proto)
    if graph is None:
        with reading_weights(model):
            for place, raw in stored.raw.items():
                proto.graph.initializer[place].raw_data = bytes(content_of(raw))
    else:
        proto.graph.CopyFrom(graph)
        del proto.functions[:]
    if proto.graph.name != model.name:
        proto.graph.name = model.name
    if model.opsets != stored.opsets:
        del proto.opset_import[:]
        proto.opset_import.extend(imports)
        oldest = onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True)
        proto.ir_version = max(proto.ir_version, oldest)
    if model.extra != properties(proto):
        onnx.helper.set_model_props(proto, model.extra)
    return proto


def _oversized(size: int, path: str | None) -> DiagnosticError:
    message = (
        f"the model takes {size:,} bytes or more, and one file of ONNX holds less than {MOST_BYTES + 1:,}"
    )
    return _unwritable("oversized-onnx", message, path)


def _unwritable(name: str, message: str, path: str | None) -> DiagnosticError:
    return DiagnosticError([Diagnostic(rule(name), message, Location(path))])


OWN_INPUTS = {"If": 1, "Loop": 2}
"""How many inputs ops with bodies have at least that no Parameter of a body stands for."""


class _Context:
    """What the graphs of one model share."""

    def __init__(
        self, onnx: Any, model: Model, registry: OpLookup, interface: Callable[[], Mapping[int, Fact]]
    ) -> None:
        self.onnx, self.helper, self.model, self.registry = onnx, onnx.helper, model, registry
        self._interface = interface

    @cached_property
    def facts(self) -> Mapping[int, Fact]:
        """What is inferred of the tensors of Parameters and Results of the outermost graph."""
        return self._interface()


class _GraphParts:
    """The parts of a GraphProto. outer: of the graph around a body; given: see TensorNames."""

    def __init__(
        self,
        context: _Context,
        graph: Graph,
        outer: _GraphParts | None = None,
        given: Mapping[int, str] = NOTHING,
    ) -> None:
        self.context, self.helper, self.model = context, context.helper, context.model
        self.outer, self.given, self.source, self.stored = outer, given, graph, graph.stored
        self.wiring = Wiring(graph)
        self.layers = self._ordered()
        self.names = TensorNames(graph.layers, self.wiring, given)
        self.is_changed = self.stored is None

    def _ordered(self) -> list[Layer]:
        """The layers in the order in which they were read if each still follows what it takes."""
        done: set[int] = set()
        for layer in self.source.layers:
            sources = self.wiring.inputs.get(layer.id, ())
            if any(source is not None and source[0].id not in done for source in sources):
                return self.wiring.order
            done.add(layer.id)
        return list(self.wiring.layers.values())

    def graph(self) -> tuple[Any, bool]:
        """The GraphProto, the one that was read if nothing has changed, and whether something has."""
        nodes = [self._node(layer) for layer in self.layers if has_node(layer)]
        nodes.extend(
            self.helper.make_node("Identity", [inner], [outer], name=f"{outer}/result")
            for inner, outer in self.names.renamed
        )
        constants = [
            self._initializer(layer) for layer in self.layers if layer.is_constant and not has_node(layer)
        ]
        inputs, outputs, known = self._inputs(constants), self._outputs(), self._known_values()
        parts = {
            "node": nodes,
            "initializer": [proto for proto in constants if proto.DESCRIPTOR.name == "TensorProto"],
            "sparse_initializer": [proto for proto in constants if proto.DESCRIPTOR.name != "TensorProto"],
            "input": inputs,
            "output": outputs,
            "value_info": known,
        }
        stored = self.stored
        is_whole = stored is not None and all(
            len(getattr(stored, field)) == len(protos) for field, protos in parts.items()
        )
        if is_whole and not self.is_changed:
            return stored, False
        made = self.context.onnx.GraphProto()
        if stored is not None:
            made.CopyFrom(stored)
        heavy = {
            id(layer.stored.proto): layer.stored
            for layer in self.layers
            if isinstance(layer.stored, StoredElement) and layer.stored.raw is not None
        }
        parts["initializer"] = [
            _whole(heavy[id(proto)]) if id(proto) in heavy else proto for proto in parts["initializer"]
        ]
        for field, protos in parts.items():
            del getattr(made, field)[:]
            getattr(made, field).extend(protos)
        return made, True

    def _node(self, layer: Layer) -> Any:
        """The NodeProto of a layer: the one that it was read from, if nothing has changed."""
        stored = _stored(layer)
        domain = (imported(layer.version) or (ONNX, 1))[0]
        inputs, outputs = self._taken(layer), self.names.of(layer)
        attributes = [
            self._with_type(layer, one) if (layer.type, one.name) in TYPES and not one.HasField("tp") else one
            for one in _attributes(self.helper, self.model, layer, self.context.registry)
        ]
        made = self.helper.make_node(
            layer.type, inputs, outputs, name=layer.name, domain="" if domain == ONNX else domain
        )
        bodies = self._bodies(layer)
        if stored is None:
            self.is_changed = True
            made.attribute.extend([*attributes, *bodies.values()])
            set_properties(made, layer.extra)
            return made
        made.CopyFrom(stored.proto)
        if layer.name != stored.name:
            made.name = layer.name
        if ("" if made.domain in OWN_DOMAINS else made.domain) != ("" if domain == ONNX else domain):
            made.domain = "" if domain == ONNX else domain
        if _trimmed(made.input) != _trimmed(inputs):
            made.input[:] = inputs
        if list(made.output) != outputs:
            made.output[:] = outputs
        if layer.extra != properties(made):
            set_properties(made, layer.extra)
        by_name = {one.name: one for one in attributes} | bodies
        old = {one.name: one for one in stored.proto.attribute}
        if by_name != old:
            order = [
                *(name for name in old if name in by_name),
                *(name for name in by_name if name not in old),
            ]
            del made.attribute[:]
            made.attribute.extend(by_name[name] for name in order)
        if made == stored.proto:
            return stored.proto
        self.is_changed = True
        return made

    def _with_type(self, layer: Layer, attribute: Any) -> Any:
        """An attribute that is a TypeProto, of one that has its text."""
        try:
            return self.helper.make_attribute(attribute.name, self._type(parse_fact(attribute.s.decode())))
        except ValueError as error:
            raise _refusal("malformed-attribute", f"{attribute.name}: {error}", layer) from None

    def _bodies(self, layer: Layer) -> dict[str, Any]:
        """The attributes of a layer that are graphs, by name."""
        stored = _stored(layer)
        read = [] if stored is None else [one.attribute for one in body_graphs(stored.proto)]
        old = {} if stored is None else {one.name: one for one in stored.proto.attribute}
        graphs: dict[str, list[tuple[Any, bool]]] = {}
        for name, body in layer.bodies.items():
            graphs.setdefault(name.partition("[")[0] if name not in old else name, []).append(
                self._body(layer, body)
            )
        found: dict[str, Any] = {}
        for name, made in graphs.items():
            known = old.get(name)
            count = read.count(name)
            if known is not None and count == len(made) and not any(changed for _, changed in made):
                found[name] = known
                continue
            many = known is not None and len(known.graphs) > 0
            protos = [proto for proto, _ in made]
            found[name] = self.helper.make_attribute(name, protos if many or len(protos) > 1 else protos[0])
        return found

    def _body(self, layer: Layer, body: Body) -> tuple[Any, bool]:
        sources = self.wiring.inputs[layer.id]
        given = {}
        for entry in body.inputs:
            source = sources[entry.external_port_id] if OUTER in entry.extra else None
            if source is not None:
                given[entry.internal_layer_id] = self.names.name(source)
        made, is_changed = _GraphParts(self.context, body.graph, self, given).graph()
        if is_changed and not made.name:
            made.name = body.name
        return made, is_changed

    def _taken(self, layer: Layer) -> list[str]:
        """The names of the tensors that a layer takes, without those that only its bodies take; that of one
        left out is empty.
        """
        names = ["" if source is None else self.names.name(source) for source in self.wiring.inputs[layer.id]]
        stored = _stored(layer)
        if layer.bodies and stored is not None:
            names = names[: max(len(stored.proto.input), 2 if layer.type == "Loop" else 0)]
        elif layer.bodies:
            entries = [entry for body in layer.bodies.values() for entry in body.inputs]
            own = [entry.external_port_id + 1 for entry in entries if OUTER not in entry.extra]
            outer = [entry.external_port_id for entry in entries if OUTER in entry.extra]
            if own or layer.type in OWN_INPUTS:
                names = names[: max(*own, OWN_INPUTS.get(layer.type, 0), 0)]
            else:
                names = names[: min(outer, default=len(names))]
        return _trimmed(names)

    def _initializer(self, layer: Layer) -> Any:
        name, stored = self.names.of(layer)[0], layer.stored
        if not isinstance(stored, StoredElement) or "Tensor" not in stored.proto.DESCRIPTOR.name:
            self.is_changed = True
            return tensor_of(self.model, layer, name)
        is_sparse = stored.proto.DESCRIPTOR.name != "TensorProto"
        old = stored.proto.values.name if is_sparse else stored.proto.name
        is_same = _holds_the_same(self.model, layer, stored)
        if is_same and name == old:
            return stored.proto
        self.is_changed = True
        if is_same:
            made = _whole(stored)
            (made.values if is_sparse else made).name = name
            return made
        made = tensor_of(self.model, layer, name)
        if not is_sparse:
            made.doc_string = stored.proto.doc_string
            set_properties(made, properties(stored.proto))
        return made

    def _inputs(self, constants: Iterable[Any]) -> list[Any]:
        """The inputs in the order in which they were read; of a file also those that initializers replace."""
        kept = {proto.name for proto in constants if proto.DESCRIPTOR.name == "TensorProto"}
        kept |= {proto.values.name for proto in constants if proto.DESCRIPTOR.name != "TensorProto"}
        infos = [
            (layer.stored, self._input(layer))
            for layer in self.layers
            if layer.kind is LayerKind.PARAMETER and layer.id not in self.given
        ]
        if self.stored is None:
            return [info for _, info in infos]
        read = [info.name for info in self.stored.input]
        places = {name: place for place, name in enumerate(read)}
        ordered = [
            (
                places.get(stored.proto.name, len(read)) if isinstance(stored, StoredElement) else len(read),
                info,
            )
            for stored, info in infos
        ]
        ordered += [(places[info.name], info) for info in self.stored.input if info.name in kept]
        return [info for _, info in sorted(ordered, key=itemgetter(0))]

    def _input(self, layer: Layer) -> Any:
        stored, name = layer.stored, self.names.of(layer)[0]
        if isinstance(stored, StoredElement) and tuple(layer.data.items()) == stored.data:
            return self._renamed(stored.proto, name)
        self.is_changed = True
        fact = _declared_fact(layer) if self.outer is not None else self._fact(layer)
        return self._like(stored.proto if isinstance(stored, StoredElement) else None, self._info(name, fact))

    def _outputs(self) -> list[Any]:
        return [self._output(layer) for layer in self.layers if layer.kind is LayerKind.RESULT]

    def _output(self, layer: Layer) -> Any:
        stored, name = layer.stored, self.names.results[layer.id]
        if isinstance(stored, StoredElement) and _declares(
            self._first_infos.get(stored.proto.name, stored.proto), layer.inputs[0]
        ):
            return self._renamed(stored.proto, name)
        self.is_changed = True
        fact = _fact_of_port(layer.inputs[0]) if self.outer is not None else self._fact(layer)
        return self._like(stored.proto if isinstance(stored, StoredElement) else None, self._info(name, fact))

    def _known_values(self) -> list[Any]:
        """What was read of tensors within the graph: without those that are no more, and as ports declare
        those that have changed.
        """
        if self.stored is None:
            return []
        ports = {
            name: layer.outputs[place]
            for layer in self.layers
            for place, name in enumerate(self.names.of(layer))
            if has_node(layer)
        }
        read = {name for node in self.stored.node for name in node.output}
        found = []
        for info in self.stored.value_info:
            port = ports.get(info.name)
            if port is None and info.name in read:
                self.is_changed = True
                continue
            if port is None or _declares(self._first_infos[info.name], port):
                found.append(info)
            else:
                self.is_changed = True
                found.append(self._like(info, self._info(info.name, _fact_of_port(port))))
        return found

    @cached_property
    def _first_infos(self) -> dict[str, Any]:
        """What ports were read from: of several declarations of a tensor the first, though all are kept."""
        infos = (*self.stored.input, *self.stored.output, *self.stored.value_info)
        return {info.name: info for info in reversed(infos)}

    def _renamed(self, info: Any, name: str) -> Any:
        if info.name == name:
            return info
        self.is_changed = True
        made = type(info)()
        made.CopyFrom(info)
        made.name = name
        return made

    def _like(self, stored: Any, made: Any) -> Any:
        """A ValueInfoProto with what another one, if there is one, says beside the type."""
        if stored is not None:
            made.doc_string = stored.doc_string
            set_properties(made, properties(stored))
        return made

    def _fact(self, layer: Layer) -> Fact:
        return self.context.facts.get(layer.id, Fact())

    def _info(self, name: str, fact: Fact) -> Any:
        return self.helper.make_value_info(name, self._type(fact))

    def _type(self, fact: Fact) -> Any:
        """The TypeProto of a Fact."""
        if isinstance(fact, SequenceFact):
            return self.helper.make_sequence_type_proto(self._type(fact.content))
        if isinstance(fact, OptionalFact):
            return self.helper.make_optional_type_proto(self._type(fact.content))
        if isinstance(fact, MapFact):
            return self.helper.make_map_type_proto(number_of(fact.key) or 0, self._type(fact.content))
        of = fact.content if isinstance(fact, NoTensor) else fact
        number = number_of(of.element_type) if of.element_type is not DYNAMIC else None
        sizes = None if of.shape.dims is None else [_size(dim) for dim in of.shape.dims]
        make = (
            self.helper.make_sparse_tensor_type_proto
            if isinstance(fact, NoTensor)
            else self.helper.make_tensor_type_proto
        )
        return make(number or 0, sizes)


def _whole(stored: StoredElement) -> Any:
    """A copy of the tensor that a constant was read from, with its raw data."""
    made = type(stored.proto)()
    made.CopyFrom(stored.proto)
    if stored.raw is not None:
        made.raw_data = bytes(content_of(stored.raw))
    return made


def _declares(info: Any, port: Port) -> bool:
    """Whether what was read of a tensor is what a port says."""
    found = declared(info, SizeNames())
    precision = None if found.element is None else found.element.precision
    return (precision, found.dims) == (port.precision, port.dims)


def _declared_fact(layer: Layer) -> Fact:
    """What a Parameter of a body declares."""
    if "type" in layer.data:
        return parse_fact(layer.data["type"])
    shape = Shape.parse(layer.data.get("shape", "..."), symbols=True)
    return Fact(element_type(layer.data.get("element_type", "dynamic"), foreign=True), shape)


def _fact_of_port(port: Port) -> Fact:
    """What a port declares; one without sizes may have any."""
    kinds = {kind.precision: kind for kind in (*element_types(), *foreign_types())}
    shape = Shape(ANY if size < 0 else size for size in port.dims) if port.dims else UNRANKED
    return Fact(kinds.get(port.precision or "", DYNAMIC), shape)


def _trimmed(names: Iterable[str]) -> list[str]:
    """Names without the empty ones at the end."""
    found = list(names)
    while found and not found[-1]:
        found.pop()
    return found


def properties(proto: Any) -> dict[str, str]:
    """The metadata of a message; none where the library knows none of such messages."""
    return {entry.key: entry.value for entry in getattr(proto, "metadata_props", ())}


def set_properties(proto: Any, values: Mapping[str, str]) -> None:
    if hasattr(proto, "metadata_props"):
        del proto.metadata_props[:]
        for key, value in values.items():
            proto.metadata_props.add(key=key, value=value)


def _size(dim: Dim) -> int | str | None:
    """A size as ONNX declares it: a number, a name, or nothing."""
    if dim.known:
        return int(dim)
    return dim.spelled if is_symbol(dim.spelled) else None
