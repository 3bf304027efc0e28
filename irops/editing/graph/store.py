"""The nodes of a graph and their connections, changed in steps that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from irops.diagnostics.suggestions import did_you_mean
from irops.editing.graph.faults import refuse
from irops.editing.graph.node import Node, Value


class NodeStore:
    """Nodes in the order in which their layers are written.

    All changes of nodes go through the methods here, so that a change that fails is undone as a whole. A node
    has a greater rank than each node that it uses.
    """

    def __init__(self) -> None:
        self.order: list[Node] = []
        self._by_name: dict[str, list[Node]] = {}
        self._undo: list[Callable[[], Any]] | None = None

    @contextmanager
    def change(self) -> Iterator[None]:
        """Undo all steps of the block if it raises; blocks may be nested."""
        steps = [] if self._undo is None else self._undo
        is_outermost, start = self._undo is None, len(steps)
        self._undo = steps
        try:
            yield
        except BaseException:
            while len(steps) > start:
                self._undo = None  # what restores is not to be undone
                steps.pop()()
            raise
        finally:
            self._undo = None if is_outermost else steps

    def _note(self, step: Callable[[], Any]) -> None:
        if self._undo is not None:
            self._undo.append(step)

    # nodes

    def find_by_name(self, name: str) -> Node:
        """The node of a name, the first of equal names; KeyError, with a suggestion, if there is none."""
        found = self._by_name.get(name)
        if not found:
            raise KeyError(f"there is no node {name!r}{did_you_mean(name, self.names())}")
        return min(found, key=self.order.index) if len(found) > 1 else found[0]

    def names(self) -> Iterator[str]:
        return (name for name, nodes in self._by_name.items() if nodes)

    def has_name(self, name: str) -> bool:
        return bool(self._by_name.get(name))

    def place(self, node: Node) -> int:
        """The position of a node in the order."""
        return self.order.index(node)

    def insert(self, node: Node, place: int | None = None) -> None:
        """Add a node, at the end by default."""
        if place is None:
            self.order.append(node)
            self._note(self.order.pop)
        else:
            self.order.insert(place, node)
            self._note(lambda: self.order.remove(node))
        self._add_name(node)
        self._note(lambda: self._drop_name(node))

    def move(self, node: Node, place: int) -> None:
        """Give a node another position in the order."""
        before = self.place(node)
        self.order.insert(place, self.order.pop(before))
        self._note(lambda: self.order.insert(before, self.order.pop(self.order.index(node))))

    def delete(self, node: Node) -> None:
        """Take a node out; nothing may use its outputs any more."""
        for index in range(len(node.sources)):
            self.connect(node, index, None)
        place = self.place(node)
        del self.order[place]
        self._drop_name(node)
        node.removed = True

        def restore() -> None:
            node.removed = False
            self.order.insert(place, node)
            self._add_name(node)

        self._note(restore)

    def rename(self, node: Node, name: str) -> None:
        before = node.name
        self._drop_name(node)
        node.name = name
        self._add_name(node)

        def restore() -> None:
            self._drop_name(node)
            node.name = before
            self._add_name(node)

        self._note(restore)

    def set(self, node: Node, field: str, value: Any) -> None:
        """Give a field of a node another value."""
        before = getattr(node, field)
        setattr(node, field, value)
        self._note(lambda: setattr(node, field, before))

    def _add_name(self, node: Node) -> None:
        self._by_name.setdefault(node.name, []).append(node)

    def _drop_name(self, node: Node) -> None:
        self._by_name[node.name].remove(node)

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

    # connections

    def connect(self, node: Node, index: int, value: Value | None) -> None:
        """Let an input of a node use a value, or none; an index behind the last input adds one.

        Raises:  DiagnosticError where the value follows from the node
        """
        sources = node.sources
        added = index == len(sources)
        before = None if added else sources[index]
        if added:
            sources.append(value)
        else:
            sources[index] = value
        _leave(before, node, index)
        _enter(value, node, index)

        def restore() -> None:
            _leave(value, node, index)
            _enter(before, node, index)
            if added:
                sources.pop()
            else:
                sources[index] = before

        self._note(restore)
        if value is not None and value.node.rank >= node.rank:
            self._put_in_order(value.node, node)

    def _put_in_order(self, source: Node, user: Node) -> None:
        """Change ranks, of few nodes, so that a node has a greater one than each that it uses."""
        low = max((s.node.rank for s in source.sources if s is not None), default=user.rank - 2)
        high = min(node.rank for consumers in source.consumers for node, _ in consumers)
        middle = (low + high) / 2
        if low < middle < high and user.consumers and any(user.consumers):
            self.set(source, "rank", middle)
            return
        ahead = [user]
        while ahead:
            node = ahead.pop()
            if node is source:
                message = f"{user} would use an output of {source}, which follows from it: a cycle"
                raise refuse("cycle", message, user.name)
            lowest = 1 + max(s.node.rank for s in node.sources if s is not None)
            if node.rank < lowest:
                self.set(node, "rank", lowest)
                ahead += [
                    other for consumers in node.consumers for other, _ in consumers if other.rank <= lowest
                ]

    def redirect(self, old: Value, new: Value, *, but: Node | None = None) -> list[Node]:
        """Let all users of a value use another; the nodes that changed. but: a node that keeps the old one"""
        users = [(node, index) for node, index in old.node.consumers[old.index] if node is not but]
        for node, index in users:
            self.connect(node, index, new)
        return list(dict.fromkeys(node for node, _ in users))


def _enter(value: Value | None, node: Node, index: int) -> None:
    if value is not None:
        value.node.consumers[value.index][(node, index)] = None


def _leave(value: Value | None, node: Node, index: int) -> None:
    if value is not None:
        del value.node.consumers[value.index][(node, index)]
