"""Nodes of a graph under construction, and the wires between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.invocation import Invocation, OpFault, fault_of
from irops.registry import default_registry
from irops.spec.dialects import GRAIPHIC
from irops.spec.domains import format_value
from irops.spec.onnx_opsets import ONNX
from irops.spec.op import NoOp, Op
from irops.values.fact import Fact
from irops.values.violation import collect_warnings

if TYPE_CHECKING:
    from irops.dialects.graiphic.graph import Graph


@dataclass(frozen=True, slots=True)
class Switched:
    """A parameter with its switch, as the toolkit's panels show it: where use_it is off, the node's own
    default holds.
    """

    value: int
    use_it: bool = False


@dataclass(eq=False, slots=True)
class Node:
    """A node that has been added. name: as it was given; outputs: the names that were given, None for those
    that were not.
    """

    type: str
    version: str
    data: dict[str, str]
    sources: tuple[Wire, ...]
    facts: list[Fact]
    name: str | None = None
    outputs: list[str | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Wire:
    """An output of a node, on its way to others. fact: what is known of the tensor."""

    graph: Graph
    node: Node
    index: int = 0

    @property
    def fact(self) -> Fact:
        return self.node.facts[self.index]

    def __str__(self) -> str:
        return f"{self.fact}"


def refuse(name: str, message: str, node: str | None = None) -> DiagnosticError:
    """The error that tells what is wrong with a graph that is built."""
    return DiagnosticError([Diagnostic(rule(name), message, Location("<graph>", layer_name=node))])


def version_of(type: str, opset: int) -> tuple[Op, str]:
    """The op of a node's type, and the version that its layer has: Graiphic's own, where irops defines it,
    else that of an opset of ONNX.

    Raises:  DiagnosticError where there is none
    """
    own = f"{GRAIPHIC}:{type}" in default_registry().ids(GRAIPHIC)
    version = GRAIPHIC if own else f"{ONNX}:{opset}"
    found = default_registry().resolve(type, version)
    if isinstance(found, NoOp):
        raise refuse(found.rule, found.message, type)
    return found, version


def added(
    type: str, opset: int, sources: tuple[Wire, ...], parameters: Mapping[str, Any], name: str | None
) -> Node:
    """A node, held to its definition: parameters, inputs, types, ranks and shapes.

    Raises:  DiagnosticError, for the first thing that is wrong
    """
    op, version = version_of(type, opset)
    texts = {
        key: format_value(plain)
        for key, value in parameters.items()
        if (plain := _plain(op, key, value)) is not None
    }
    invocation = Invocation(op, texts)
    if invocation.faults:
        raise DiagnosticError(
            [
                Diagnostic(rule(f.rule), f.message, Location("<graph>", layer_name=name or type))
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
        raise refuse("unsupported-switch", f"{key} of {op.id} is given with a switch, and has none")
    return value.value if value.use_it else None
