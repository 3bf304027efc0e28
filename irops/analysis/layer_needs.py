"""What a layer uses that not every release of OpenVINO reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irops.analysis.later_uses import Operands, later_uses
from irops.analysis.need import Need
from irops.analysis.signature import declared_fact
from irops.analysis.structure import GraphNode, LayerNode
from irops.invocation.inputs import input_spec
from irops.ir.model import Layer, LayerKind, Port
from irops.spec.op import Op
from irops.spec.releases import Releases
from irops.values.element import element_type_of_precision
from irops.values.fact import Fact

NO_LIMIT = "clip"
"""An attribute of recurrent ops that sets no limit where it is 0, as where it is inf."""


def port_needs(graph: GraphNode, layer: Layer, table: Releases) -> Iterator[Need]:
    """Precisions of outputs, which OpenVINO parses in every layer."""
    rule = "type-newer-than-target"
    for name in dict.fromkeys(_element_type(port) for port in layer.outputs):
        if name is not None:
            yield Need(rule, f"has an output of {name}", table.of_type(name), graph, layer, layer.at)


@dataclass(frozen=True, slots=True)
class LayerNeeds:
    """The needs of a layer that OpenVINO creates. inputs: what is known of them; None for an absent one"""

    graph: GraphNode
    node: LayerNode
    inputs: list[Fact | None]
    table: Releases

    def __iter__(self) -> Iterator[Need]:
        layer, op = self.node.layer, self.node.op
        since = self.table.of_op(layer.type, layer.version)
        if since is not None:
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


def _element_type(port: Port) -> str | None:
    """The name of the element type that a port declares; None where there is no such type."""
    try:
        return element_type_of_precision(port.precision or "").name
    except ValueError:
        return None
