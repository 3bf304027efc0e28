"""Graphs as Graiphic's LabVIEW deep-learning toolkit builds them, and their conversion to ONNX, whose nodes
have no parameters of a builder, and to OpenVINO. See docs/graiphic.md.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from irops.analysis.writing import write
from irops.diagnostics.printable import plural, shortened
from irops.dialects.graiphic import DIALECT
from irops.dialects.onnx.opsets import ONNX
from irops.dialects.registry import default_registry
from irops.editing.graph.base import Base, Origin
from irops.editing.graph.bodies import layers_of
from irops.editing.graph.node import Node, Value as Wire, refuse
from irops.editing.translation.translate import translate
from irops.files.limits import Limits
from irops.ir.model import Element, Layer, LayerKind, Model
from irops.spec.attributes import format_value
from irops.spec.definition import Definition
from irops.spec.op import NoOp, Op
from irops.values.arrays import as_tensor, fact_of
from irops.values.fact import Fact

__all__ = ["Graph", "Switched", "Wire", "as_onnx", "as_openvino", "export", "of_onnx"]

OPSET = 22
GRAIPHIC = DIALECT.name
KEY = f"irops.{GRAIPHIC}."
"""The prefix of the keys of metadata_props that hold the parameters of a node, whose name follows. Graiphic's
own carrier is not known.
"""


@dataclass(frozen=True, slots=True)
class Switched:
    """A parameter with its switch, as the toolkit's panels show it: where use_it is off, the node's own
    default holds.
    """

    value: int
    use_it: bool = False


def plain(op: Op, name: str, value: Any) -> Any:
    """The value of an attribute, None where its switch is off. Raises: DiagnosticError if it has no switch"""
    if not isinstance(value, Switched):
        return value
    attribute = op.definition.attributes.get(name)
    if attribute is None or attribute.switch is None:
        raise refuse("unsupported-switch", f"{name} of {op.id} has no switch, but is given with one")
    return value.value if value.use_it else None


BATCH_AXIS, TIME_AXIS = Switched(1), Switched(0)
"""The defaults of the panels of ReverseSequence."""


class Graph(Base):
    """A graph under construction: branches are merged, and names come at the end. Nodes that Graiphic does
    not define are those of an opset of ONNX, which its toolkit builds on.

    Each is validated against its definition when it is added: what is wrong is a DiagnosticError at the
    caller's line, and nothing is added.
    """

    def __init__(self, name: str = "graph", *, opset: int = OPSET) -> None:
        model = Model(name, dialect=GRAIPHIC, opsets=DIALECT.imports(opset))
        super().__init__(Origin(model, (), None), default_registry(), Limits(), opset)
        self.name = name
        self.given_names, self.results = GivenNames(), list[tuple[Wire, str | None]]()
        self.merged_into: Graph | None = None

    def __repr__(self) -> str:
        counts = f"{plural(len(self.order), 'node')}, {plural(len(self.results), 'result')}"
        return f"<Graph '{shortened(self.name)}': {counts}>"

    @property
    def merged(self) -> "Graph":
        """The graph that this one has become part of; itself, where it has not."""
        graph = self
        while graph.merged_into is not None:
            graph = graph.merged_into
        return graph

    # building

    def input(self, name: str, element_type: str, shape: str | Sequence[int | str | None]) -> Wire:
        """An input of the graph. shape: "?,3,8", or its sizes; a negative one or None is not known, a word
        names one.
        """
        text = (
            shape if isinstance(shape, str) else ",".join("?" if _open(size) else str(size) for size in shape)
        )
        try:
            fact = Fact(DIALECT.element_type(element_type), DIALECT.parse_shape(text))
        except ValueError as error:
            raise refuse("invalid-input-shape", f"input {name!r}: {error}", name) from None
        return self.merged._source(
            "Parameter", name, [name], fact, {"shape": text, "element_type": element_type}
        )

    def constant(self, value: Any, name: str | None = None, **_: Any) -> Wire:
        """A constant tensor, which only training changes."""
        top = self.merged
        fact = fact_of(as_tensor(value), with_value=True)
        data = top.stored(fact.value, fact.element_type)
        return top._source("Const", name, [] if name is None else [name], fact, data)

    def _source(
        self, type: str, name: str | None, outputs: Sequence[str], fact: Fact, data: Mapping[str, str]
    ) -> Wire:
        """A node without inputs."""
        node = Node(self, type, DIALECT.layer_version(type, self.opset), name or type, data)
        node.facts = [fact]
        with self.changes():
            self.given_names.take(node, name, outputs)
            self.insert(node)
            self._finish(node, 1)
        return node.outputs[0]

    def node(
        self,
        type: str,
        *graphs_in: Wire,
        name: str | None = None,
        specified_outputs_name: Sequence[str] = (),
        **parameters: Any,
    ) -> Wire:
        """Add a node, and give its output.

        parameters: by the names of the definition (lda_coeff of lda coeff), as values or Switched
        Raises:  DiagnosticError
        """
        for wire in graphs_in:
            self._require_own(wire, f"an input of {name or type}")
        top = self.merged
        op = top.op(type)
        with top.changes():
            node = top.added(op, name or type, graphs_in, parameters)
            top.given_names.take(node, name, specified_outputs_name)
        return node.outputs[0]

    def add(
        self, op: str | Definition, /, *inputs: Any, name: str | None = None, **keywords: Any
    ) -> Wire | tuple[Wire, ...]:
        """The same as node."""
        return self.node(str(op), *inputs, name=name, **keywords)

    def apply(self, type: str, *operands: Any) -> Wire:
        """Add a node for an operator of Python."""
        return self.node(type, *operands)

    def predict(self, wire: Wire, name: str | None = None) -> None:
        """Mark a tensor as a result of the graph, with an explicit name or that of the tensor."""
        self._require_own(wire, f"the result {name or ''}".rstrip())
        top = self.merged
        top.given_names.result(name)
        top.results.append((wire, name))

    def merge(self, *others: "Graph") -> "Graph":
        """Take over the nodes, inputs and results of other graphs; their wires lead on in this one.

        Raises:  DiagnosticError where names were given in both, or the graphs are of two opsets
        """
        for other in others:
            mine, theirs = self.merged, other.merged
            if mine is theirs:
                continue
            if mine.opset != theirs.opset:
                message = f"a graph of opset {theirs.opset} cannot be merged into one of opset {mine.opset}"
                raise refuse("incompatible-opsets", message)
            mine.given_names.take_over(theirs.given_names)
            start = mine.origin.weights.append(theirs.origin.weights)
            for node in theirs.order:
                node.graph = mine
                if "offset" in node.data and DIALECT.layer_kind(node.type) is LayerKind.CONSTANT:
                    node.data = {**node.data, "offset": str(int(node.data["offset"]) + start)}
                mine.insert(node)
            mine.results.extend(theirs.results)
            theirs.merged_into = mine
        return self

    # ops

    def op(self, id: str) -> Op:
        """The op of a type in the graph's opset. Raises: DiagnosticError where there is none"""
        op = self.registry.resolve(id, DIALECT.layer_version(id, self.opset))
        if isinstance(op, NoOp):
            raise refuse(op.rule, op.message, id, op.notes)
        return op

    def texts(self, op: Op, attributes: Mapping[str, Any]) -> dict[str, str]:
        """The attributes that are given; the toolkit's file does not write defaults."""
        values = {name: plain(op, name, value) for name, value in attributes.items()}
        return {name: format_value(value) for name, value in values.items() if value is not None}

    def _created(self, op: Op, name: str, data: Mapping[str, str], place: int | None = None) -> Node:
        node = super()._created(op, name, data, place)
        node.version = DIALECT.layer_version(node.type, self.opset)
        return node

    def _require_own(self, wire: Wire, what: str) -> None:
        if not isinstance(wire, Wire):
            raise TypeError(f"{what} is {wire!r}, must be a Wire; tensors enter a graph by constant")
        if wire.node.graph is not self.merged:
            raise refuse("cross-graph-connection", f"{what} comes from another graph; merge the two first")

    def reverse_sequence(
        self,
        input: Wire,
        sequence_lens: Wire,
        *,
        batch_axis: int | Switched = BATCH_AXIS,
        time_axis: int | Switched = TIME_AXIS,
        training: bool = True,
        lda_coeff: float = 1.0,
        name: str | None = None,
        specified_outputs_name: Sequence[str] = (),
    ) -> Wire:
        """The node ReverseSequence; an axis that is a plain number has its use_it on."""
        return self.node(
            "ReverseSequence",
            input,
            sequence_lens,
            name=name,
            specified_outputs_name=specified_outputs_name,
            batch_axis=batch_axis,
            time_axis=time_axis,
            training=training,
            lda_coeff=lda_coeff,
        )

    # the result

    def model(self) -> Model:
        """The graph as a model, to be checked, inferred, run, trained, written.

        Its layers are in the order in which the nodes were added, inputs first.
        Raises:  DiagnosticError where it has no result, or two names are equal
        """
        return self.merged._model()

    def _model(self) -> Model:
        if not self.results:
            message = f"the graph {self.name!r} has no result; end it with predict"
            raise refuse("graph-without-result", message)
        kind_of = DIALECT.layer_kind
        nodes = sorted(self.order, key=lambda node: kind_of(node.type) is not LayerKind.PARAMETER)
        ports = [[port.name for port in self.op(node.type).definition.outputs] for node in nodes]
        self.given_names.complete(nodes, ports)
        ends = [self._end(wire, name or wire.names[0]) for wire, name in self.results]
        layers = layers_of([*nodes, *ends], None)
        layers.layers[:] = [replace(layer, own_kind=kind_of(layer.type)) for layer in layers.layers]
        return self.origin.model_with(layers, self.name)

    def _end(self, wire: Wire, name: str) -> Node:
        """A Result, which only the model has."""
        node = Node(self, "Result", DIALECT.layer_version("Result", self.opset), name, {})
        node.sources, node.output_names = [wire], (name,)
        return node


def _open(size: int | str | None) -> bool:
    return size is None or (isinstance(size, int) and size < 0)


# The names in a graph under construction: those that are given, each once, and the default ones.


class GivenNames:
    """Names that were given: of nodes, of their outputs, and of results."""

    def __init__(self) -> None:
        self.nodes: dict[Node, str] = {}
        self.tensors: dict[Node, tuple[str, ...]] = {}
        self.results: set[str] = set()

    def take(self, node: Node, name: str | None, outputs: Sequence[str]) -> None:
        """Reserve the name of a node and those of its outputs.

        Raises:  DiagnosticError where there are more than outputs, an empty one, or one that is used
        """
        label, count = node.name, len(node.facts)
        if len(outputs) > count:
            given = f"{len(outputs)} output names ({', '.join(outputs)})"
            message = f"{label} is given {given}, and has {plural(count, 'output')}"
            raise refuse("too-many-output-names", message, label)
        wrong = next((text for text in outputs if not isinstance(text, str) or not text), None)
        if wrong is not None:
            raise refuse(
                "invalid-output-name", f"{label} is given the output name {wrong!r}, must be a text", label
            )
        _require_free(self.nodes.values(), [name] if name else [], "node", label)
        _require_free(self._all_tensors(), outputs, "tensor", label)
        if name:
            self.nodes[node] = name
        self.tensors[node] = tuple(outputs)

    def result(self, name: str | None) -> None:
        """Reserve the name of a result."""
        if name is not None:
            _require_free(self.results, [name], "result", name)
            self.results.add(name)

    def take_over(self, other: "GivenNames") -> None:
        """Reserve the names of another graph too."""
        _require_free(self.nodes.values(), sorted(other.nodes.values()), "node", None)
        _require_free(self._all_tensors(), sorted(other._all_tensors()), "tensor", None)
        _require_free(self.results, sorted(other.results), "result", None)
        self.nodes |= other.nodes
        self.tensors |= other.tensors
        self.results |= other.results

    def _all_tensors(self) -> set[str]:
        return {name for names in self.tensors.values() for name in names}

    def complete(self, nodes: Sequence[Node], ports: Sequence[Sequence[str]]) -> None:
        """Name every node and output, as given or ReverseSequenceNode_6 and ReverseSequenceNode_6_Y.

        The number counts the nodes that compute. ports: the names of outputs by definition. Inputs and
        constants give their name to their output. Raises: DiagnosticError where two names are equal
        """
        number = 0
        for place, (node, of_node) in enumerate(zip(nodes, ports)):
            stem = f"{node.type}Node_{number}" if node.sources else f"Constant_{place}"
            number += bool(node.sources)
            node.name = self.nodes.get(node, stem)
            given = self.tensors.get(node, ())
            defaults = [f"{stem}_{port}" if node.sources else stem for port in of_node]
            node.tensor_names = [(name,) for name in (*given, *defaults[len(given) :])]
        _require_distinct("node", [node.name for node in nodes])
        _require_distinct("tensor", [name for node in nodes for names in node.tensor_names for name in names])


def _require_free(used: Iterable[str], names: Iterable[str], what: str, node: str | None) -> None:
    seen = set(used)
    for name in names:
        if name in seen:
            raise refuse("duplicate-name", f"the name {name!r} is given to a second {what}", node)
        seen.add(name)


def _require_distinct(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            message = f"the name {name!r}, which a {what} has by itself, is given to another"
            raise refuse("duplicate-name", message)
        seen.add(name)


# What becomes of a model of Graiphic in ONNX and in OpenVINO.


def as_onnx(model: Model) -> Model:
    """The model with ONNX's nodes in place of Graiphic's.

    Their axes are attributes as before; training? and lda coeff, which ONNX does not know, go into
    metadata_props, a text of JSON under the name of each node.
    """
    layers = [
        _plain(layer, model.opsets[ONNX]) if layer.version == GRAIPHIC else layer for layer in model.layers
    ]
    notes = {
        f"{KEY}{layer.name}": json.dumps(_builder_arguments(layer))
        for layer in model.layers
        if layer.version == GRAIPHIC
    }
    return replace(
        model, graph=replace(model.graph, layers=layers), extra={**model.extra, **notes}, dialect=ONNX
    )


def as_openvino(model: Model) -> Model:
    """The model in ops of OpenVINO; training? and lda coeff go into its rt_info.

    Raises:  DiagnosticError if it is not representable in them
    """
    plain = as_onnx(model)
    translated = translate(replace(plain, extra=model.extra), to="openvino")
    entries = [
        Element("info", {"name": key.removeprefix(KEY), "value": text})
        for key, text in plain.extra.items()
        if key.startswith(KEY)
    ]
    before = translated.rt_info.children if translated.rt_info is not None else []
    return replace(
        translated, rt_info=Element("rt_info", children=[*before, Element(GRAIPHIC, children=entries)])
    )


def of_onnx(model: Model) -> Model:
    """The model with Graiphic's nodes in place of ONNX's, where metadata_props holds their parameters: what
    as_onnx undoes.
    """
    parameters = {key.removeprefix(KEY): text for key, text in model.extra.items() if key.startswith(KEY)}
    layers = [
        _node(layer, json.loads(parameters[layer.name])) if layer.name in parameters else layer
        for layer in model.layers
    ]
    extra = {key: text for key, text in model.extra.items() if not key.startswith(KEY)}
    return replace(model, graph=replace(model.graph, layers=layers), extra=extra, dialect=GRAIPHIC)


def export(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model: as ONNX, where the name ends with .onnx; else as OpenVINO IR, .xml and .bin.

    Raises:  DiagnosticError if it is not representable there
    """
    write(as_onnx(model) if Path(path).suffix.lower() == ".onnx" else as_openvino(model), path)


def _op(type: str) -> Op:
    return default_registry().op(f"{GRAIPHIC}:{type}")


def _plain(layer: Layer, opset: int) -> Layer:
    builders = {
        name for name, attribute in _op(layer.type).definition.attributes.items() if attribute.builder
    }
    data = {name: text for name, text in layer.data.items() if name not in builders}
    return replace(layer, version=f"{ONNX}:{opset}", data=data)


def _builder_arguments(layer: Layer) -> dict[str, str]:
    """The arguments of a node's builder, defaults written out, under the toolkit's own names."""
    attributes = _op(layer.type).definition.attributes.values()
    return {
        a.label or a.name: layer.data.get(a.name, a.default)
        for a in attributes
        if a.builder and a.default is not None
    }


def _node(layer: Layer, parameters: dict[str, Any]) -> Layer:
    names = {a.label or a.name: a.name for a in _op(layer.type).definition.attributes.values()}
    own = {names[label]: text for label, text in parameters.items()}
    return replace(layer, version=GRAIPHIC, data={**layer.data, **own})
