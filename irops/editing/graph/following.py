"""Graphs in which what follows from a change is inferred again."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any

from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.graph.base import Base
from irops.editing.graph.facts import same, unknown
from irops.editing.graph.faults import refuse
from irops.editing.graph.node import Node, Value
from irops.ir.model import LayerKind


class Following(Base):
    """A graph whose nodes are inferred again, as far as a change reaches."""

    def topological(self) -> list[Node]:
        """The nodes, each after those whose outputs it uses; otherwise in their order."""
        done: set[Node] = set()
        found: list[Node] = []
        for start in self.order:
            ahead = [start]
            while ahead:
                node = ahead[-1]
                waiting = [s.node for s in node.sources if s is not None and s.node not in done]
                if node in done or not waiting:
                    ahead.pop()
                    if node not in done:
                        done.add(node)
                        found.append(node)
                else:
                    ahead.extend(reversed(waiting))
        return found

    def follow(self, nodes: Iterable[Node]) -> None:
        """Infer nodes again, and all whose inputs have other facts than before.

        Raises:  DiagnosticError where a requirement is broken that was met before
        """
        ahead: list[tuple[float, int, Node]] = []
        waiting: set[Node] = set()

        def wait(node: Node) -> None:
            if node not in waiting:
                waiting.add(node)
                heappush(ahead, (node.rank, node.key, node))

        for node in nodes:
            wait(node)
        while ahead:
            node = heappop(ahead)[2]
            waiting.discard(node)
            for index in self._infer_again(node):
                for user, _ in node.consumers[index]:
                    wait(user)

    def _infer_again(self, node: Node) -> list[int]:
        """Infer one node; the outputs with other facts than before."""
        if node.invocation is None or node.kind in (LayerKind.PARAMETER, LayerKind.CONSTANT):
            return []
        try:
            facts = self.facts.of(node, node.input_facts, self.origin.weights, node.key)
        except DiagnosticError:
            if not node.failed:
                raise
            facts = unknown(len(node.outputs))
        else:
            self.set(node, "failed", False)
        if node.kind is LayerKind.RESULT:
            return []
        if len(facts) != len(node.outputs):
            self._resize(node, len(facts))
        changed = [
            index
            for index, fact in enumerate(facts)
            if index >= len(node.facts) or not same(node.facts[index], fact)
        ]
        self.set(node, "facts", facts)
        return changed

    def _resize(self, node: Node, count: int) -> None:
        """Give a node another number of outputs. Raises: DiagnosticError where one too many is used"""
        lost = [output for output in node.outputs[count:] if node.consumers[output.index]]
        if lost:
            user = lost[0].users[0]
            message = f"{node} has {count} outputs, but {user} uses its output {lost[0].index}"
            raise refuse("unusable-node", message, node.name)
        outputs = [*node.outputs[:count]]
        outputs += [Value(node, index) for index in range(len(outputs), count)]
        empty: list[Any] = [{} for _ in range(count - len(node.outputs))]
        self.set(node, "consumers", [*node.consumers[:count], *empty])
        names = [*node.tensor_names[:count], *[()] * (count - len(node.outputs))]
        self.set(node, "tensor_names", names)
        self.set(node, "outputs", tuple(outputs))

    def take_over(self, old: Value, new: Value) -> None:
        """Let the users of a value use another, which takes its name where a result is known by it."""
        users = self.redirect(old, new, but=new.node)
        if any(user.kind is LayerKind.RESULT for user in users):
            self.move_names(old, new)
        self.follow(users)

    def move_names(self, old: Value, new: Value) -> None:
        for value, names in ((new, (*new.names, *old.names)), (old, ())):
            changed = [*value.node.tensor_names]
            changed[value.index] = tuple(names)
            self.set(value.node, "tensor_names", changed)
