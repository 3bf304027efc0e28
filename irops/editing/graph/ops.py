"""graph.ops: the ops of a graph as methods. ops.pyi has their inputs and attributes for editors."""

from collections.abc import Callable
from typing import Any

from irops.editing.graph.base import Base
from irops.editing.graph.node import Value


class Ops:
    """The ops that a graph's opset contains, each in its newest version there, and custom ops.

    ops.X(*inputs, **attributes) adds a node of type X and gives its output, or a tuple of outputs; see
    Graph.add.
    """

    __slots__ = ("_graph",)

    def __init__(self, graph: Base) -> None:
        self._graph = graph

    def __getattr__(self, type: str) -> Callable[..., Value | tuple[Value, ...]]:
        if type.startswith("_"):
            raise AttributeError(type)
        op = self._graph.newest(type)

        def add(*inputs: Any, **keywords: Any) -> Value | tuple[Value, ...]:
            return self._graph.add(op.id, *inputs, **keywords)

        add.__name__, add.__qualname__ = type, f"Ops.{type}"
        add.__doc__ = op.definition.summary
        return add

    def __dir__(self) -> list[str]:
        return sorted({*self._graph.op_types(), *super().__dir__()})

    def __repr__(self) -> str:
        return f"<Ops of {self._graph!r}>"
