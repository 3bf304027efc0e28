"""If: run one of two bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irops.spec.binding import kernel, shape
from irops.spec.body import BodyFunction
from irops.values.dim import ANY
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, violations_at, warn_unless


@shape("If-8")
def if_shape(cond: Fact, *inputs: Fact, then_body: BodyFunction, else_body: BodyFunction) -> tuple[Fact, ...]:
    require(cond.shape.size.can_be(1), "C1", cond)
    then, other = then_body, else_body
    if cond.value is not None:
        then, other = (then_body, else_body) if cond.value.all() else (else_body, then_body)
        other(other.declared)  # inferred as it stands: what it would be given need not fit it
        return tuple(outputs_of(then, then(items_of(then, (cond, *inputs)))))
    first, second = (outputs_of(body, body(items_of(body, (cond, *inputs)))) for body in (then, other))
    require(len(first) == len(second), "C2", len(first), len(second))
    return tuple(either(a, b) for a, b in zip(first, second))


@kernel("If-8")
def if_then_else(
    cond: Array, *inputs: Array, then_body: BodyFunction, else_body: BodyFunction
) -> tuple[Array, ...]:
    require(cond.size == 1, "C1", Shape(cond.shape))
    body = then_body if cond.flat[0] else else_body
    return tuple(outputs_of(body, body(items_of(body, (cond, *inputs)))))


def items_of(body: BodyFunction, inputs: Sequence[Any]) -> list[Any]:
    """What each Parameter takes."""
    items = list(body.declared)
    for entry in body.inputs:
        if entry.port is not None:
            given, declared = inputs[entry.port], items[entry.parameter]
            if isinstance(given, Fact):
                with violations_at(entry.at):
                    kinds = {given.element_type, declared.element_type} - {DYNAMIC}
                    warn_unless(len(kinds) < 2, "C4", f"{given} for {declared}")
            items[entry.parameter] = given
    return items


def outputs_of(body: BodyFunction, results: Sequence[Any]) -> list[Any]:
    """The outputs that a body gives, in order."""
    found = {entry.port: results[entry.result] for entry in body.outputs if entry.port is not None}
    return [found[port] for port in sorted(found)]


def either(a: Fact, b: Fact) -> Fact:
    """What is known of an output that one body or the other gives."""
    require(DYNAMIC in (a.element_type, b.element_type) or a.element_type is b.element_type, "C3", a, b)
    kind = b.element_type if a.element_type is DYNAMIC else a.element_type
    if {a.shape.rank, b.shape.rank} == {0, 1}:
        return Fact(kind, Shape((ANY,)))  # as OpenVINO, which lets a scalar pass for one element
    return Fact(kind, a.shape.union(b.shape))
