"""Features of a model that not every release of OpenVINO reads, and the oldest release that reads all."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from irops.analysis.inferred import Inferred, declared_outputs, declared_type
from irops.analysis.invocation import input_spec
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import declared_fact
from irops.analysis.structure import GraphNode, LayerNode
from irops.dialects.openvino import DIALECT as OPENVINO
from irops.graph.topology import feeding_layers
from irops.ir.model import Layer, LayerKind
from irops.ops.matrix.mat_mul import ELLIPSIS, Labels, equation_of
from irops.spec.op import Op
from irops.spec.releases import UNRELEASED, Releases, releases
from irops.values.dim import Dim
from irops.values.element import DYNAMIC, STRING
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import Violation


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a layer uses, and the oldest release that reads it.

    rule: the name of the rule that a target without it violates; what: how messages call it, without its
    layer; at: the byte offset of the element; layer: None where the whole file needs it.
    """

    rule: str
    what: str
    since: str
    graph: GraphNode
    layer: Layer | None = None
    at: int = 0
    attribute: str | None = None


MIN_BYTES = 512
"""Releases before 2024.5 do not recognize shorter files."""


def needs(analysis: ModelAnalysis) -> Iterator[Need]:
    """The features that keep the oldest known release from reading a model; none for other formats."""
    if analysis.dialect is not OPENVINO:
        return
    table = releases()
    for need in _all_needs(analysis, table):
        if need.since != table.oldest:
            yield need


def oldest_release(analysis: ModelAnalysis) -> tuple[str, tuple[Need, ...]]:
    """The oldest release that reads a model, as far as is known, and what needs that release."""
    of_model, table = list(needs(analysis)), releases()
    oldest = table.newest_of(need.since for need in of_model)
    return oldest, tuple(need for need in of_model if need.since == oldest)


def _all_needs(analysis: ModelAnalysis, table: Releases) -> Iterator[Need]:
    source = analysis.model.source
    if source is not None and len(source.data) < MIN_BYTES:
        what = f"the file has {len(source.data)} bytes"
        since = table.of_feature("below-512-bytes")
        yield Need("format-newer-than-target", what, since, analysis.root)
    for graph, inferred in _graphs(analysis):
        living = created_layers(graph)
        for node in graph.layers.values():
            yield from port_needs(graph, node.layer, table)
            if node.layer.id in living:
                yield from LayerNeeds(graph, node, _inputs(graph, node.layer, inferred), table)


def _graphs(analysis: ModelAnalysis) -> Iterator[tuple[GraphNode, Inferred | None]]:
    """All graphs, with what is inferred for each; None for a body that is not inferred."""
    ahead: list[tuple[GraphNode, Inferred | None]] = [(analysis.root, analysis.infer())]
    while ahead:
        graph, inferred = ahead.pop()
        yield graph, inferred
        for node in graph.layers.values() if graph.bodies else ():
            facts = None if inferred is None else inferred.layers.get(node.layer.id)
            for name, body in node.bodies.items():
                ahead.append((body.graph, None if facts is None else facts.bodies.get(name)))


def _inputs(graph: GraphNode, layer: Layer, inferred: Inferred | None) -> list[Fact | None]:
    """The Facts of the inputs of a layer, inferred or else declared by the ports that they come from."""
    facts = None if inferred is None else inferred.layers.get(layer.id)
    inputs = []
    for index, source in enumerate(graph.wiring.inputs[layer.id]):
        fact = facts.inputs[index] if facts is not None and index < len(facts.inputs) else None
        if source is not None and (fact is None or fact.element_type is DYNAMIC):
            fact = declared_outputs(source[0], ())[source[1]]
        inputs.append(fact)
    return inputs


def created_layers(graph: GraphNode) -> set[int]:
    """The layers that OpenVINO creates: Parameters, and what Results and Assigns depend on."""
    kinds = (LayerKind.RESULT, LayerKind.SINK, LayerKind.PARAMETER)
    roots = graph.current(graph.groups.where(lambda layer: layer.intended_kind in kinds))
    return feeding_layers(graph.wiring, roots)


# What a layer uses that not every release of OpenVINO reads.

NO_LIMIT = "clip"
"""An attribute of recurrent ops that sets no limit where it is 0, as where it is inf."""


def port_needs(graph: GraphNode, layer: Layer, table: Releases) -> Iterator[Need]:
    """Precisions of outputs, which OpenVINO parses in every layer."""
    rule = "type-newer-than-target"
    for kind in dict.fromkeys(map(declared_type, layer.outputs)):
        if kind is not DYNAMIC:  # which every release reads
            yield Need(rule, f"has an output of {kind}", table.of_type(kind.name), graph, layer, layer.at)


@dataclass(frozen=True, slots=True)
class LayerNeeds:
    """The needs of a layer that OpenVINO creates. inputs: what is known of them; None for an absent one"""

    graph: GraphNode
    node: LayerNode
    inputs: list[Fact | None]
    table: Releases

    def __iter__(self) -> Iterator[Need]:
        layer, op = self.node.layer, self.node.op
        since, missing = self.table.of_op(layer.type, layer.version), self.node.missing
        if since is None and (missing is None or missing.rule == "undefined-op"):
            library = "" if op is None else op.definition.library
            what = f"is {layer.type} of {layer.version}, an op that only {library or 'an extension'} adds"
            yield self._need("extension-library", what, UNRELEASED, layer.at, "version")
        elif since is not None:
            what = f"is {layer.type} of {layer.version}"
            yield self._need("op-newer-than-target", what, since, layer.at, "version")
        if op is not None:
            yield from self._of_attributes(op)
            yield from self._of_inputs(op)
            for feature, what in later_uses(op.id, Operands(self.inputs, layer.data)):
                since = self.table.of_feature(feature)
                yield self._need("use-newer-than-target", what, since, layer.at)
        yield from self._of_format()

    def _need(self, rule: str, what: str, since: str, at: int, attribute: str | None = None) -> Need:
        return Need(rule, what, since, self.graph, self.node.layer, at, attribute)

    def _of_attributes(self, op: Op) -> Iterator[Need]:
        layer = self.node.layer
        for name, attribute in op.definition.attributes.items():
            text = layer.data.get(name)
            since = None if text is None else self.table.of_value(op.id, name, text)
            if text is not None and attribute.type == "element_type":
                since = since or self.table.of_type(text.lower(), constant=layer.is_constant)
                what = f'has {name}="{text.lower()}"'
                yield self._need("type-newer-than-target", what, since, layer.data_at, name)
                if layer.is_constant:
                    since = self.table.of_order(text.lower())
                    what = f"has elements of {text.lower()} with the first of two in the lower half of a byte"
                    yield self._need("format-newer-than-target", what, since, layer.data_at, name)
            elif text is not None and attribute.type in ("float", "floats") and name != NO_LIMIT:
                since = self.table.newest_of(map(self.table.of_number, text.split(",")))
                what = f'({op.id}) has {name}="{text}" (older releases take inf and nan for 0)'
                yield self._need("value-newer-than-target", what, since, layer.data_at, name)
            elif since is not None:
                what = f'({op.id}) has {name}="{text}"'
                yield self._need("value-newer-than-target", what, since, layer.data_at, name)

    def _of_inputs(self, op: Op) -> Iterator[Need]:
        if op.id not in self.table.limited:
            return
        for index, fact in enumerate(self.inputs):
            if fact is None or (index >= len(op.definition.inputs) and not op.is_variadic):
                continue
            port, name = input_spec(op, index), fact.element_type.name
            since = self.table.of_input(op.id, (port.type, port.name), name)
            what = f"({op.id}) has {name} for its input {port.name}"
            yield self._need("input-type-newer-than-target", what, since, self.node.layer.at)

    def _of_format(self) -> Iterator[Need]:
        layer, op = self.node.layer, self.node.op
        if self.graph.outer is None and self._is_empty():
            since = self.table.of_feature("zero-dimension")
            what = "is an input or a result of the model with a dimension of 0"
            yield self._need("format-newer-than-target", what, since, layer.at)
        if op is not None and op.id == "ReadValue-6" and not self.inputs:
            since = self.table.of_feature("variable-without-initial-value")
            yield self._need("format-newer-than-target", "has no initial value", since, layer.at)

    def _is_empty(self) -> bool:
        """Whether an input or a result of a model has no elements, whatever its other sizes are.

        Where the file declares a dimension as unknown, OpenVINO has not inferred that it is 0.
        """
        layer = self.node.layer
        if layer.kind is LayerKind.PARAMETER:
            return any(size.high == 0 for size in declared_fact(layer).shape.dims or ())
        source = next(iter(self.graph.wiring.inputs[layer.id]), None)
        if layer.kind is not LayerKind.RESULT or source is None or self.inputs[0] is None:
            return False
        declared = source[0].outputs[source[1]].dims
        return any(
            size.high == 0 and (axis >= len(declared) or declared[axis] >= 0)
            for axis, size in enumerate(self.inputs[0].shape.dims or ())
        )


# Uses of ops that releases refuse although they have the op: its validation was relaxed later.


@dataclass(frozen=True, slots=True)
class Operands:
    """The features of a layer. inputs: their Facts; data: its attributes"""

    inputs: Sequence[Fact | None]
    data: Mapping[str, str]

    def has(self, index: int) -> bool:
        """Whether an input is connected."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def input(self, index: int) -> Fact:
        """The Fact of an input; an unknown one where it is not connected."""
        fact = self.inputs[index] if index < len(self.inputs) else None
        return fact or Fact()

    @property
    def subscripts(self) -> Iterator[tuple[Shape, Labels]]:
        """The shape of each input of an Einsum with its labels."""
        try:
            labels = equation_of(self.data.get("equation", "")).inputs
        except Violation:  # which inference reports
            return
        for index, of_input in enumerate(labels):
            yield self.input(index).shape, of_input


Test: TypeAlias = Callable[[Operands], str | None]
"""Gives what a layer has, as messages call it, or None where it is not such a use."""


def later_uses(op: str, layer: Operands) -> Iterator[tuple[str, str]]:
    """The features that a layer of an op needs, and how messages call them."""
    for feature, (ops, describe) in _USES.items():
        what = describe(layer) if op in ops else None
        if what is not None:
            yield feature, what


def _scalar_in_equation(layer: Operands) -> str | None:
    subscripts = layer.data.get("equation", "").partition("->")[0].split(",")
    return "has a scalar as its last input" if not subscripts[-1].strip() else None


def _ellipsis_of_unknown_rank(layer: Operands) -> str | None:
    for shape, labels in layer.subscripts:
        if shape.dims is None and ELLIPSIS in labels:
            return "has an ellipsis for an input of unknown rank"
    return None


def _label_of_sizes_1_and_n(layer: Operands) -> str | None:
    sizes: dict[str, list[Dim]] = {}
    for shape, labels in layer.subscripts:
        dims = shape.dims or ()
        before = labels.index(ELLIPSIS) if ELLIPSIS in labels else len(labels)
        after = len(labels) - before - 1
        labelled = [*zip(labels[:before], dims)]
        labelled += zip(labels[before + 1 :], dims[len(dims) - after :] if after > 0 else ())
        for label, size in labelled:
            if not all(size.can_be(other) for other in sizes.setdefault(label, [])):
                return f"has the label {label} for axes of different sizes"
            sizes[label].append(size)
    return None


def _boxes_of_unknown_length(layer: Operands) -> str | None:
    dims = layer.input(0).shape.dims
    unknown = dims is not None and len(dims) == 3 and not dims[2].known
    return "has boxes whose last dimension is not known to be 4" if unknown else None


def _unknown_number_of_pads(layer: Operands) -> str | None:
    begin, end = layer.input(1).shape, layer.input(2).shape
    if layer.input(0).shape.dims is None or begin.dims is None or (begin.static and end.static):
        return None
    return "has an unknown number of pads for data of known rank"


def _strings_without_pad_value(layer: Operands) -> str | None:
    if layer.input(0).element_type is not STRING or layer.has(3):
        return None
    return "pads strings without a pad_value"


def _size_of_output_roi(layer: Operands) -> str | None:
    names = layer.data.keys()
    if "output_roi" not in names or "output_size" in names or {"pooled_h", "pooled_w"} <= names:
        return None
    return "has output_roi in place of pooled_h and pooled_w"


def _squeezed_axis_of_other_size(layer: Operands) -> str | None:
    dims, axes = layer.input(0).shape.dims, layer.input(1).dims if layer.has(1) else None
    if dims is None or axes is None:
        return None
    for axis in (int(axis) for axis in axes if axis.known):
        if -len(dims) <= axis < len(dims) and not dims[axis].can_be(1):
            return f"squeezes axis {axis} of size {dims[axis]}"
    return None


_USES: Mapping[str, tuple[tuple[str, ...], Test]] = {
    "einsum-scalar-input": (("Einsum-7",), _scalar_in_equation),
    "einsum-ellipsis-of-unknown-rank": (("Einsum-7",), _ellipsis_of_unknown_rank),
    "einsum-label-of-sizes-1-and-n": (("Einsum-7",), _label_of_sizes_1_and_n),
    "boxes-of-unknown-length": (("MulticlassNms-8", "MulticlassNms-9"), _boxes_of_unknown_length),
    "unknown-number-of-pads": (("Pad-1", "Pad-12"), _unknown_number_of_pads),
    "strings-without-pad-value": (("Pad-1", "Pad-12"), _strings_without_pad_value),
    "size-of-output-roi": (("ROIPooling-2",), _size_of_output_roi),
    "squeezed-axis-of-other-size": (("Squeeze-1",), _squeezed_axis_of_other_size),
}
"""By the name of a feature in schemas/releases.xml, the ops that may use it, and the test for such a use."""
