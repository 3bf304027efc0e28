"""What a graph under construction consists of: nodes, and the wires between them."""

from __future__ import annotations

from dataclasses import dataclass, field

from irops.diagnostics.printable import plural, shortened
from irops.dialects import Dialect
from irops.editing.building.names import Names
from irops.ir.model import LayerKind
from irops.values.element import Array
from irops.values.fact import Fact

OPSET = 22


class Content:
    """Nodes in the order in which they were added, the values of constants, and the results."""

    def __init__(self, name: str, dialect: Dialect, *, opset: int = OPSET) -> None:
        self.name, self.dialect, self.opset = name, dialect, opset
        self.nodes: list[Node] = []
        self.values: dict[Node, Array] = {}
        self.results: list[tuple[Wire, str | None]] = []
        self.names = Names()
        self.merged_into: Content | None = None

    def __repr__(self) -> str:
        counts = f"{plural(len(self.nodes), 'node')}, {plural(len(self.results), 'result')}"
        return f"<{type(self).__name__} '{shortened(self.name)}': {counts}>"

    @property
    def merged(self) -> Content:
        """The graph that this one has become part of; itself, where it has not."""
        graph: Content = self
        while graph.merged_into is not None:
            graph = graph.merged_into
        return graph

    def version_of(self, type: str) -> str:
        """The version of a layer of a type."""
        return self.dialect.layer_version(type, self.merged.opset)

    def kind_of(self, node: Node) -> LayerKind:
        """What the layer of a node is."""
        return self.dialect.layer_kind(node.type)


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

    def __repr__(self) -> str:
        return f"<Node {self.type} '{shortened(self.name or '')}'>"


@dataclass(frozen=True, slots=True)
class Wire:
    """An output of a node, on its way to others. fact: what is known of the tensor."""

    graph: Content
    node: Node
    index: int = 0

    @property
    def fact(self) -> Fact:
        return self.node.facts[self.index]

    def __str__(self) -> str:
        return f"{self.fact}"

    def __repr__(self) -> str:
        return f"<Wire {self.index} of {self.node!r}: {shortened(str(self.fact))}>"
