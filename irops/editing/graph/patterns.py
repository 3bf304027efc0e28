"""Patterns: small graphs that are looked for in a graph, and what matches them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irops.editing.graph.node import Node, Value
from irops.ir.model import LayerKind

COMMUTATIVE = frozenset(
    (
        "Add",
        "BitwiseAnd",
        "BitwiseOr",
        "BitwiseXor",
        "Equal",
        "LogicalAnd",
        "LogicalOr",
        "LogicalXor",
        "Maximum",
        "Minimum",
        "Multiply",
        "NotEqual",
        "SquaredDifference",
    )
)
"""Ops of two inputs that may be swapped."""


@dataclass(eq=False, frozen=True, slots=True)
class Wanted:
    """The requirements on a value of a graph.

    types: of its node, by id or without a version, empty for any; inputs: of its node, None for any;
    constant: whether it must be a constant, and which; index: of the output; name: under which a match has it
    """

    types: tuple[str, ...] = ()
    inputs: tuple[Wanted, ...] | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    index: int = 0
    constant: bool = False
    value: Any = None
    name: str | None = None

    def named(self, name: str) -> Wanted:
        """The same, under a name."""
        return Wanted(self.types, self.inputs, self.attributes, self.index, self.constant, self.value, name)


class Pattern:
    """A small graph to look for: pattern.any("x") is any value, pattern.constant() any constant,
    pattern.ops.Relu(x) the output of a node; attributes that are not given may have any value.

    Operands that occur twice must be the same value. Inputs of Add and other commutative ops match in either
    order.
    """

    def __init__(self) -> None:
        self.ops = PatternOps()

    @staticmethod
    def any(name: str | None = None) -> Wanted:
        """Any value, which the match has under the name."""
        return Wanted(name=name)

    @staticmethod
    def constant(value: Any = None, name: str | None = None) -> Wanted:
        """A constant: any, or one all of whose elements are equal to the value."""
        return Wanted(constant=True, value=value, name=name)

    @staticmethod
    def node(
        types: str | tuple[str, ...],
        *inputs: Wanted,
        index: int = 0,
        name: str | None = None,
        **attributes: Any,
    ) -> Wanted:
        """An output of a node of one of the types. inputs: those that it begins with, any number of others
        may follow; index: of the output
        """
        given = (types,) if isinstance(types, str) else tuple(types)
        return Wanted(given, tuple(_wanted(value) for value in inputs), attributes, index, name=name)


class PatternOps:
    """Ops as methods: ops.Relu(x, name="r") is an output of a node of type Relu."""

    __slots__ = ()

    def __getattr__(self, type: str) -> Callable[..., Wanted]:
        if type.startswith("_"):
            raise AttributeError(type)

        def node(*inputs: Any, name: str | None = None, index: int = 0, **attributes: Any) -> Wanted:
            return Pattern.node(type, *inputs, index=index, name=name, **attributes)

        return node


def _wanted(operand: Any) -> Wanted:
    return operand if isinstance(operand, Wanted) else Wanted(constant=True, value=operand)


class Match(Mapping[str, Value]):
    """Where a pattern occurs: match["x"] is the value of that name.

    output: the value that the pattern describes; nodes: all that the pattern names, the last first
    """

    def __init__(self, graph: Any, output: Value) -> None:
        self.graph, self.output = graph, output
        self.nodes: list[Node] = []
        self._values: dict[str, Value] = {}
        self._bound: dict[Wanted, Value] = {}

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<Match at {self.output.node!r}: {', '.join(self._values) or 'no names'}>"

    def bind(self, wanted: Wanted, value: Value) -> bool:
        """Whether a value is what is wanted, too; keeps what is found on the way."""
        if wanted in self._bound:
            return self._bound[wanted] is value
        if wanted.name is not None and self._values.get(wanted.name, value) is not value:
            return False
        kept = dict(self._values), dict(self._bound), list(self.nodes)
        if self._fits(wanted, value):
            self._bound[wanted] = value
            if wanted.name is not None:
                self._values[wanted.name] = value
            return True
        self._values, self._bound, self.nodes = kept
        return False

    def _fits(self, wanted: Wanted, value: Value) -> bool:
        node = value.node
        if wanted.constant:
            return node.kind is LayerKind.CONSTANT and _is_equal(value, wanted.value)
        if not wanted.types:
            return True
        ids = (node.type, None if node.op is None else node.op.id)
        if value.index != wanted.index or not any(one in ids for one in wanted.types):
            return False
        if any(node.attributes.get(_spelled(node, key)) != item for key, item in wanted.attributes.items()):
            return False
        self.nodes.append(node)
        return self._inputs_fit(wanted.inputs or (), node)

    def _inputs_fit(self, wanted: tuple[Wanted, ...], node: Node) -> bool:
        orders = [wanted]
        if len(wanted) == 2 and node.type in COMMUTATIVE:
            orders.append((wanted[1], wanted[0]))
        for order in orders:
            kept = dict(self._values), dict(self._bound), list(self.nodes)
            if len(order) <= len(node.sources) and all(
                source is not None and self.bind(one, source) for one, source in zip(order, node.sources)
            ):
                return True
            self._values, self._bound, self.nodes = kept
        return False


def _is_equal(value: Value, wanted: Any) -> bool:
    if wanted is None:
        return True
    known = value.value
    return known is not None and known.size > 0 and bool(np.all(np.asarray(known) == np.asarray(wanted)))


def _spelled(node: Node, parameter: str) -> str:
    if node.op is not None:
        for attribute in node.op.definition.attributes.values():
            if parameter in (attribute.name, attribute.parameter):
                return attribute.name
    return parameter


def match_at(graph: Any, wanted: Wanted, value: Value) -> Match | None:
    """The match of a pattern at a value; None where it does not match."""
    match = Match(graph, value)
    return match if match.bind(wanted, value) else None
