"""Nodes of models that are written, and their attributes: from texts to what their definitions say
they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.dialects.dialect import Ops
from irops.dialects.onnx.opsets import ONNX, imported
from irops.dialects.onnx.types import number_of
from irops.dialects.onnx.values import tensor_of
from irops.ir.model import Layer, Model
from irops.spec.domains import DomainError, parse
from irops.spec.op import NoOp, Op


def node_of(
    helper: Any, model: Model, layer: Layer, inputs: Iterable[str], outputs: list[str], registry: Ops
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


def _attributes(model: Model, layer: Layer, registry: Ops) -> Iterable[tuple[str, Any]]:
    if layer.is_constant:
        return [("value", tensor_of(model, layer, ""))]
    op = registry.resolve(layer.type, layer.version)
    if isinstance(op, NoOp):
        raise _refusal(op.rule, f"{layer} cannot be written: {op.message}", layer)
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


def _refusal(name: str, message: str, layer: Layer) -> DiagnosticError:
    return DiagnosticError(
        [Diagnostic(rule(name), message, Location(None, None, None, layer.id, layer.name))]
    )
