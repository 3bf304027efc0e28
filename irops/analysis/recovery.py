"""What follows of a layer's outputs although the layer is at fault, so that checking goes on behind it.

The layer is inferred again with less: without what the fault is about. What is inferred from less is true
whatever the faulty part should have been.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from irops.invocation import Invocation, OpFault
from irops.invocation.invocation import input_spec
from irops.spec.definition import Attribute
from irops.spec.op import Op
from irops.values.element import DYNAMIC
from irops.values.fact import Fact
from irops.values.violation import LimitExceeded, collect_warnings

Inputs: TypeAlias = Sequence[Fact | None]
MAX_INPUTS = 8
"""Of layers with more inputs, only the values are left out, not each input in turn."""
TYPE_RULES = frozenset(("unsupported-element-type", "mismatched-element-types"))
RULES = frozenset(("violated-constraint", "unsupported-rank", "axis-out-of-range", *TYPE_RULES))


def recovered_outputs(
    invocation: Invocation, inputs: Inputs, extras: Mapping[str, Any], fault: OpFault
) -> list[Fact] | None:
    """The outputs of a layer whose inference fails; None if nothing follows or the op has bodies."""
    op = invocation.op
    if fault.rule not in RULES or op.definition.bodies:
        return None
    if fault.rule in TYPE_RULES:
        inputs = _without_types(op, inputs, fault)
    if fault.rule == "axis-out-of-range":
        return _union(_inferred(choice, inputs, extras) for choice in _with_other_axes(invocation, inputs))
    return next(filter(None, (_inferred(invocation, less, extras) for less in _less(inputs))), None)


def outputs_without(invocation: Invocation, inputs: Inputs, extras: Mapping[str, Any]) -> list[Fact] | None:
    """The outputs of a layer whose attributes are malformed or missing; None if they depend on these."""
    op = invocation.op
    faulty = {fault.attribute for fault in invocation.faults} & set(op.definition.attributes)
    unusable = [
        attribute
        for name, attribute in op.definition.attributes.items()
        if name in faulty and invocation.attributes.get(name) is None
    ]
    if op.definition.bodies or len(unusable) > 1:
        return None
    if not unusable:  # what is missing has a default in OpenVINO's reader
        return _inferred(invocation, inputs, extras)
    return _union(_inferred(choice, inputs, extras) for choice in _with_any_value(invocation, unusable[0]))


def _inferred(invocation: Invocation, inputs: Inputs, extras: Mapping[str, Any]) -> list[Fact] | None:
    try:
        with collect_warnings():
            return list(invocation.infer(inputs, extras))
    except (OpFault, LimitExceeded):
        return None


def _union(choices: Iterable[list[Fact] | None]) -> list[Fact] | None:
    """What holds for every choice that can be inferred."""
    possible = [choice for choice in choices if choice is not None]
    if not possible or any(len(choice) != len(possible[0]) for choice in possible):
        return None
    return [reduce(_either, facts) for facts in zip(*possible)]


def _either(a: Fact, b: Fact) -> Fact:
    kind = a.element_type if a.element_type is b.element_type else DYNAMIC
    return Fact(kind, a.shape.union(b.shape))


def _less(inputs: Inputs) -> Iterator[Inputs]:
    """The inputs without values; then also without the shape of one of them, but not of the first; then
    without any shapes.
    """
    plain = [None if fact is None else fact.with_value(None) for fact in inputs]
    yield plain
    if len(plain) <= MAX_INPUTS:
        for index in range(len(plain) - 1, 0, -1):
            fact = plain[index]
            if fact is not None:
                yield [*plain[:index], Fact(fact.element_type), *plain[index + 1 :]]
    yield [None if fact is None else Fact(fact.element_type) for fact in plain]


def _without_types(op: Op, inputs: Inputs, fault: OpFault) -> Inputs:
    """The inputs without the types that the op does not accept, or without all types if they do not match."""
    mismatch = fault.rule == "mismatched-element-types"
    return [
        Fact(DYNAMIC, fact.shape)
        if fact is not None and (mismatch or fact.element_type.name not in input_spec(op, index).allowed)
        else fact
        for index, fact in enumerate(inputs)
    ]


def _with_other_axes(invocation: Invocation, inputs: Inputs) -> Iterator[Invocation]:
    """The invocation with every valid value of an axis that is out of range."""
    ranks = [fact.shape.rank for fact in inputs if fact is not None and fact.shape.rank]
    for attribute in invocation.op.axes:
        value = invocation.attributes.get(attribute.name)
        if isinstance(value, int):
            for axis in range(max(ranks, default=0)):
                yield invocation.with_values({**invocation.attributes, attribute.name: axis})


def _with_any_value(invocation: Invocation, attribute: Attribute) -> Iterator[Invocation]:
    """The invocation with every value of an attribute, or unchanged if inference does not read it."""
    name = attribute.name
    if attribute.type == "enum":
        for value in attribute.values:
            yield invocation.with_values({**invocation.attributes, name: value})
    elif attribute.type == "bool":
        for flag in (False, True):
            yield invocation.with_values({**invocation.attributes, name: flag})
    elif not _is_read(invocation.op, attribute):
        yield invocation


def _is_read(op: Op, attribute: Attribute) -> bool:
    """Whether inference depends on an attribute."""
    ports = op.definition.outputs
    if any(port.type == f"@{attribute.name}" for port in ports):
        return True
    if op.functions.shape is None:
        return any(attribute.name in (port.shape or ()) for port in ports)
    names = op.functions.keyword_params["shape"]
    return names is None or attribute.parameter in names
