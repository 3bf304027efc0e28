"""Graphs whose patterns can be rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from irops.editing.graph.changing import Changing
from irops.editing.graph.faults import refuse
from irops.editing.graph.node import Node, Value
from irops.editing.graph.pattern import Match, Pattern, Wanted, match_at
from irops.ir.model import LayerKind


class Rewriting(Changing):
    """A graph in which patterns are found and replaced."""

    pattern = Pattern
    """Makes a pattern: p = graph.pattern(); p.ops.Relu(p.ops.Relu(p.any("x")))"""

    def matches(self, pattern: Wanted) -> Iterator[Match]:
        """The places where a pattern occurs, in topological order; they may overlap."""
        for node in self.topological():
            for output in node.outputs:
                match = match_at(self, pattern, output)
                if match is not None and match.nodes:
                    yield match

    def rewrite(self, pattern: Wanted, replacement: Callable[[Match], Value | None]) -> int:
        """Replace each occurrence of a pattern by what a function makes of it; the number of replacements.

        replacement: gets the Match, adds nodes, and gives the Value that takes the place of match.output; or
        None, to leave it as it is. Of overlapping occurrences the first counts. Nodes of an occurrence that
        others use stay; the rest are removed.
        Raises:  DiagnosticError where the new value has another element type or shape; nothing is changed
        """
        nodes = self.topological()
        left = set(nodes)  # nodes that no replacement made or concerns
        count = 0
        with self.change():
            for start in nodes:
                for output in start.outputs if start in left else ():
                    match = match_at(self, pattern, output)
                    if match is None or not match.nodes or not left.issuperset(match.nodes):
                        continue
                    value = replacement(match)
                    if value is not None and value is not output:
                        self._put(match, value)
                        left.difference_update(match.nodes)
                        count += 1
        return count

    def _put(self, match: Match, value: Value) -> None:
        old = match.output
        fact, new = old.fact, value.fact
        if new.element_type is not fact.element_type or new.shape != fact.shape:
            message = (
                f"the replacement of {old.node} is {value}, must be {old}: a rewrite keeps type and shape"
            )
            raise refuse("changed-by-rewrite", message, old.node.name)
        self.take_over(old, value)
        for node in match.nodes:
            self.drop_unused(node)

    def drop_unused(self, node: Node) -> None:
        """Remove a node whose outputs nobody uses, and constants that nothing but it used."""
        if node.removed or node.users or node.kind in (LayerKind.RESULT, LayerKind.SINK):
            return
        constants = [s.node for s in node.sources if s is not None and s.node.kind is LayerKind.CONSTANT]
        self.delete(node)
        for constant in dict.fromkeys(constants):
            self.drop_unused(constant)
