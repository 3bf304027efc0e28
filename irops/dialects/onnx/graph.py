"""From a GraphProto to a graph of layers: nodes, and Parameter, Const and Result for what has no node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from irops.diagnostics.rule import Severity
from irops.dialects.onnx.attributes import graphs_of, texts_of
from irops.dialects.onnx.constants import VALUES, node_constant, sparse_constant
from irops.dialects.onnx.external import ExternalFiles
from irops.dialects.onnx.opsets import ONNX, OWN_DOMAINS
from irops.dialects.onnx.shapes import Declared, SizeNames, declared
from irops.dialects.onnx.tensors import Constant, TensorFault, constant_of
from irops.dialects.onnx.weights import Gathered, size_of
from irops.graph.wiring import Wiring
from irops.ir.faults import Faults
from irops.ir.model import Edge, Graph, Layer, LayerKind, Port
from irops.ir.region import Region
from irops.ir.unique import UniqueNames


class GraphBuilder:
    """Builds the graph of one model. versions: what a layer's version says, by the domain of its op."""

    def __init__(
        self, versions: dict[str, str], files: ExternalFiles, weights: Gathered, faults: Faults
    ) -> None:
        self.versions, self.files, self.weights, self.faults = versions, files, weights, faults
        self.graph = Graph()
        self.names = SizeNames()
        self.known: dict[str, Declared] = {}
        self.sources: dict[
            str, tuple[int, int]
        ] = {}  # of each tensor, the layer and the label of the port that gives it
        self.layer_names = UniqueNames()
        self._early: list[tuple[Layer, str, Layer]] = []  # layers, and inputs of theirs from later layers
        self._named: dict[str, Layer] = {}  # the layers of nodes, by the names of the nodes

    def build(self, proto: Any) -> Graph:
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
        """What a layer's version says of the opset that it is of; a domain that is not imported is
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
            constant: Constant = read()
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
