"""Nodes of a graph under construction, and the wires between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.editing.building.content import Node, Wire
from irops.editing.building.refusal import refuse
from irops.invocation import Invocation, OpFault, fault_of
from irops.registry import default_registry
from irops.spec.domains import format_value
from irops.spec.op import NoOp, Op
from irops.values.violation import collect_warnings


@dataclass(frozen=True, slots=True)
class Switched:
    """A parameter with its switch, as the toolkit's panels show it: where use_it is off, the node's own
    default holds.
    """

    value: int
    use_it: bool = False


def op_of(type: str, version: str) -> Op:
    """The op of a node. Raises: DiagnosticError where there is none"""
    found = default_registry().resolve(type, version)
    if isinstance(found, NoOp):
        raise refuse(found.rule, found.message, type, found.notes)
    return found


def added(
    type: str, version: str, sources: tuple[Wire, ...], parameters: Mapping[str, Any], name: str | None
) -> Node:
    """A node, validated against its definition: parameters, inputs, types, ranks and shapes.

    Raises:  DiagnosticError, for the first thing that is wrong
    """
    op = op_of(type, version)
    texts = {
        key: format_value(plain)
        for key, value in parameters.items()
        if (plain := _plain(op, key, value)) is not None
    }
    invocation = Invocation(op, texts)
    if invocation.faults:
        raise DiagnosticError(
            [
                Diagnostic(rule(f.rule), f.sentence, Location("<graph>", layer_name=name or type))
                for f in invocation.faults
            ]
        )
    try:
        with collect_warnings() as warnings:
            facts = list(invocation.infer([wire.fact for wire in sources]))
        for warning in warnings:
            if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
                raise fault_of(op, warning)
    except OpFault as fault:
        place = Location("<graph>", layer_name=name or type)
        raise DiagnosticError([fault.diagnostic(op, place)]) from None
    return Node(type, version, texts, sources, facts, name)


def _plain(op: Op, key: str, value: Any) -> Any:
    """A parameter's value, None where its switch is off."""
    if not isinstance(value, Switched):
        return value
    attribute = op.definition.attributes.get(key)
    if attribute is None or attribute.switch is None:
        raise refuse("unsupported-switch", f"{key} of {op.id} has no switch, but is given with one")
    return value.value if value.use_it else None
