"""Models of one op that leave one attribute out, made from the examples of its definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from irops.backends.one_op import one_op_model
from irops.conformance.example import inputs_of
from irops.registry import default_registry
from irops.spec.cases import examples
from irops.spec.definition import Case
from irops.spec.op import Op
from irops.values.element import Array, zeros

LARGE = 1 << 16
"""Largest number of elements for which a tensor without a value is allocated."""


@dataclass(frozen=True, slots=True)
class Without:
    """A model whose layers of one op lack one attribute (none if attribute is ''), as text and weights."""

    op: Op
    attribute: str
    example: int
    text: str
    weights: bytes


def models() -> Iterator[Without]:
    """For each example of each op of OpenVINO: the model as it is, and without each attribute of the op."""
    registry = default_registry()
    for op in map(registry.op, registry.ids()):
        if op.definition.dialect == "openvino" and op.definition.attributes:
            for k, case in enumerate(examples(op.definition)):
                yield from _of_case(op, k, case)


def _of_case(op: Op, k: int, case: Case) -> Iterator[Without]:
    for attribute in ("", *op.definition.attributes):
        if case.net is not None:
            yield Without(op, attribute, k, _net_without(op, case.net, attribute), bytes(1 << 10))
            continue
        tensors = inputs_of(op, case)
        if any(t is None or not t.shape.static or t.shape.size.high > LARGE for t in tensors):
            return
        texts = {name: text for name, text in case.attributes.items() if name != attribute}
        arrays = [_value(t) for t in tensors if t is not None]
        outputs = len([t for t in case.tensors if t.output]) or len(op.definition.outputs)
        fixed = {i: a for i, a in enumerate(arrays) if a.dtype.kind in "iub" and a.size <= 64}
        yield Without(op, attribute, k, *one_op_model(op, arrays, texts, outputs, fixed))


def _value(tensor: object) -> Array:
    return zeros(tensor.shape.to_tuple(), tensor.element_type) if tensor.value is None else tensor.value


def _net_without(op: Op, net: bytes, attribute: str) -> str:
    tree = etree.fromstring(net)
    for layer in tree.iter("layer"):
        data = layer.find("data")
        named = layer.get("type") == op.definition.type and data is not None
        if named and attribute and attribute in data.attrib:
            del data.attrib[attribute]
    return etree.tostring(tree).decode()
