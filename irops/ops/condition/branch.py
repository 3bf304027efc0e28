"""If: run one of two bodies, depending on a condition."""

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
    if cond.value is not None:
        selected, other = (then_body, else_body) if cond.value.all() else (else_body, then_body)
        # The inputs need not fit the body that does not run, so it is inferred from what it declares.
        other(other.declared)
        return tuple(outputs_of(selected, selected(arguments_of(selected, (cond, *inputs)))))
    first, second = (
        outputs_of(body, body(arguments_of(body, (cond, *inputs)))) for body in (then_body, else_body)
    )
    require(len(first) == len(second), "C2", len(first), len(second))
    return tuple(union(a, b) for a, b in zip(first, second))


@kernel("If-8")
def if_then_else(
    cond: Array, *inputs: Array, then_body: BodyFunction, else_body: BodyFunction
) -> tuple[Array, ...]:
    require(cond.size == 1, "C1", Shape(cond.shape))
    body = then_body if cond.flat[0] else else_body
    return tuple(outputs_of(body, body(arguments_of(body, (cond, *inputs)))))


def arguments_of(body: BodyFunction, inputs: Sequence[Any]) -> list[Any]:
    """The argument of each Parameter of body: an input of the layer, or else what the Parameter declares."""
    arguments = list(body.declared)
    for entry in body.inputs:
        if entry.port is not None:
            argument, declared = inputs[entry.port], arguments[entry.parameter]
            if isinstance(argument, Fact):
                with violations_at(entry.at):
                    kinds = {argument.element_type, declared.element_type} - {DYNAMIC}
                    warn_unless(len(kinds) < 2, "C4", f"{argument} for {declared}")
            arguments[entry.parameter] = argument
    return arguments


def outputs_of(body: BodyFunction, results: Sequence[Any]) -> list[Any]:
    """The results of body that are outputs of the layer, ordered by output port."""
    by_port = {entry.port: results[entry.result] for entry in body.outputs if entry.port is not None}
    return [by_port[port] for port in sorted(by_port)]


def union(a: Fact, b: Fact) -> Fact:
    """The Fact of an output that is computed by one body or the other."""
    require(DYNAMIC in (a.element_type, b.element_type) or a.element_type is b.element_type, "C3", a, b)
    kind = b.element_type if a.element_type is DYNAMIC else a.element_type
    if {a.shape.rank, b.shape.rank} == {0, 1}:
        return Fact(kind, Shape((ANY,)))  # as in OpenVINO, which treats a scalar as one element
    return Fact(kind, a.shape.union(b.shape))
