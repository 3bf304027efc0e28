"""The names in a graph under construction: those that were given, each once, and those that come by
themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from irops.editing.building.refusal import refuse
from irops.values.fact import Fact


class Named(Protocol):
    """A node, as far as its names are concerned: see content.Node."""

    type: str
    name: str | None
    facts: list[Fact]
    outputs: list[str | None]

    @property
    def sources(self) -> Sequence[object]: ...


class Names:
    """Names that were given, of nodes, of tensors and of results."""

    def __init__(self) -> None:
        self.nodes: set[str] = set()
        self.tensors: set[str] = set()
        self.results: set[str] = set()

    def take(self, node: Named, outputs: Sequence[str]) -> None:
        """Give a node the names of its outputs, and let nobody else have them.

        Raises:  DiagnosticError where there are more than outputs, an empty one, or one that is used
        """
        label = node.name or node.type
        if len(outputs) > len(node.facts):
            raise refuse(
                "too-many-output-names",
                f"{label} is given {len(outputs)} output names ({', '.join(outputs)}), "
                f"and has {len(node.facts)} output{'s' * (len(node.facts) != 1)}",
                label,
            )
        wrong = next((name for name in outputs if not isinstance(name, str) or not name), None)
        if wrong is not None:
            raise refuse(
                "invalid-output-name", f"{label} is given the output name {wrong!r}, must be a text", label
            )
        self._free(self.nodes, [node.name] if node.name else [], "node", label)
        self._free(self.tensors, outputs, "tensor", label)
        self.nodes |= {node.name} if node.name else set()
        self.tensors |= set(outputs)
        node.outputs = [*outputs, *[None] * (len(node.facts) - len(outputs))]

    def result(self, name: str | None) -> None:
        """Let nobody else have the name of a result."""
        if name is not None:
            self._free(self.results, [name], "result", name)
            self.results.add(name)

    def take_over(self, other: Names) -> None:
        """Have the names of another graph too."""
        for mine, theirs, what in (
            (self.nodes, other.nodes, "node"),
            (self.tensors, other.tensors, "tensor"),
            (self.results, other.results, "result"),
        ):
            self._free(mine, sorted(theirs), what, None)
        self.nodes |= other.nodes
        self.tensors |= other.tensors
        self.results |= other.results

    @staticmethod
    def _free(used: set[str], names: Iterable[str], what: str, node: str | None) -> None:
        seen: set[str] = set()
        for name in names:
            if name in used or name in seen:
                raise refuse("duplicate-name", f"the name {name!r} is given to a second {what}", node)
            seen.add(name)


def default_names(
    nodes: Sequence[Named], outputs: Sequence[Sequence[str]]
) -> list[tuple[str, tuple[str, ...]]]:
    """The names of every node and of its outputs, as given or ReverseSequenceNode_6 and
    ReverseSequenceNode_6_Y.

    The number counts the nodes that compute; outputs: their names by definition. Inputs and constants are
    called by their own.
    Raises:  DiagnosticError where a name comes out twice
    """
    found: list[tuple[str, tuple[str, ...]]] = []
    number = 0
    for node, ports in zip(nodes, outputs):
        stem = f"{node.type}Node_{number}"
        number += bool(node.sources)
        if not node.sources:
            stem = f"Constant_{len(found)}"
        given = [
            name or (f"{stem}_{port}" if node.sources else stem) for name, port in zip(node.outputs, ports)
        ]
        found.append((node.name or stem, tuple(given)))
    for what, names in (
        ("node", [name for name, _ in found]),
        ("tensor", [name for _, tensors in found for name in tensors]),
    ):
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise refuse(
                "duplicate-name", f"the name {twice!r}, which a {what} has by itself, is given to another"
            )
    return found
