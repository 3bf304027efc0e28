"""The names in a graph under construction: those that are given, each once, and the default ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from irops.editing.graph.faults import refuse
from irops.editing.graph.node import Node


class Names:
    """Names that were given: of nodes, of their outputs, and of results."""

    def __init__(self) -> None:
        self.nodes: dict[Node, str] = {}
        self.tensors: dict[Node, tuple[str, ...]] = {}
        self.results: set[str] = set()

    def take(self, node: Node, name: str | None, outputs: Sequence[str]) -> None:
        """Reserve the name of a node and those of its outputs.

        Raises:  DiagnosticError where there are more than outputs, an empty one, or one that is used
        """
        label, count = node.name, len(node.facts)
        if len(outputs) > count:
            raise refuse(
                "too-many-output-names",
                f"{label} is given {len(outputs)} output names ({', '.join(outputs)}), "
                f"and has {count} output{'s' * (count != 1)}",
                label,
            )
        wrong = next((text for text in outputs if not isinstance(text, str) or not text), None)
        if wrong is not None:
            raise refuse(
                "invalid-output-name", f"{label} is given the output name {wrong!r}, must be a text", label
            )
        _require_free(self.nodes.values(), [name] if name else [], "node", label)
        _require_free(self._all_tensors(), outputs, "tensor", label)
        if name:
            self.nodes[node] = name
        self.tensors[node] = tuple(outputs)

    def result(self, name: str | None) -> None:
        """Reserve the name of a result."""
        if name is not None:
            _require_free(self.results, [name], "result", name)
            self.results.add(name)

    def take_over(self, other: Names) -> None:
        """Reserve the names of another graph too."""
        _require_free(self.nodes.values(), sorted(other.nodes.values()), "node", None)
        _require_free(self._all_tensors(), sorted(other._all_tensors()), "tensor", None)
        _require_free(self.results, sorted(other.results), "result", None)
        self.nodes |= other.nodes
        self.tensors |= other.tensors
        self.results |= other.results

    def _all_tensors(self) -> set[str]:
        return {name for names in self.tensors.values() for name in names}

    def complete(self, nodes: Sequence[Node], ports: Sequence[Sequence[str]]) -> None:
        """Name every node and output, as given or ReverseSequenceNode_6 and ReverseSequenceNode_6_Y.

        The number counts the nodes that compute. ports: the names of outputs by definition. Inputs and
        constants give their name to their output. Raises: DiagnosticError where two names are equal
        """
        number = 0
        for place, (node, of_node) in enumerate(zip(nodes, ports)):
            stem = f"{node.type}Node_{number}" if node.sources else f"Constant_{place}"
            number += bool(node.sources)
            node.name = self.nodes.get(node, stem)
            given = self.tensors.get(node, ())
            defaults = [f"{stem}_{port}" if node.sources else stem for port in of_node]
            node.tensor_names = [(name,) for name in (*given, *defaults[len(given) :])]
        _require_distinct("node", [node.name for node in nodes])
        _require_distinct("tensor", [name for node in nodes for names in node.tensor_names for name in names])


def _require_free(used: Iterable[str], names: Iterable[str], what: str, node: str | None) -> None:
    seen = set(used)
    for name in names:
        if name in seen:
            raise refuse("duplicate-name", f"the name {name!r} is given to a second {what}", node)
        seen.add(name)


def _require_distinct(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            message = f"the name {name!r}, which a {what} has by itself, is given to another"
            raise refuse("duplicate-name", message)
        seen.add(name)
