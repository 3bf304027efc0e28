"""A node of a graph, and the values that flow between nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol, Self

from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import shortened
from irops.invocation import Invocation
from irops.ir.model import Body, Layer, LayerKind, kind_of
from irops.spec.op import Op
from irops.values.element import BOOLEAN, Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape

# Python's operators as ops: each adds a node to the graph of its operand.


class Operators:
    """The operators of a Value. The other operand is a Value, an array or a number.

    A number takes the element type of the Value. On booleans, & | ^ ~ are logical, on integers bitwise.
    """

    __slots__ = ()

    @abstractmethod
    def _apply(self, type: str, *operands: Any) -> Self:
        """The output of a new node of a type."""

    @abstractmethod
    def _floor_divided(self, dividend: Any, divisor: Any) -> Self:
        """The quotient, rounded down."""

    @abstractmethod
    def _logical(self, name: str) -> str:
        """The op that And, Or, Xor or Not is for this value."""

    def __add__(self, other: Any) -> Self:
        return self._apply("Add", self, other)

    def __radd__(self, other: Any) -> Self:
        return self._apply("Add", other, self)

    def __sub__(self, other: Any) -> Self:
        return self._apply("Subtract", self, other)

    def __rsub__(self, other: Any) -> Self:
        return self._apply("Subtract", other, self)

    def __mul__(self, other: Any) -> Self:
        return self._apply("Multiply", self, other)

    def __rmul__(self, other: Any) -> Self:
        return self._apply("Multiply", other, self)

    def __truediv__(self, other: Any) -> Self:
        return self._apply("Divide", self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._apply("Divide", other, self)

    def __floordiv__(self, other: Any) -> Self:
        return self._floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._floor_divided(other, self)

    def __mod__(self, other: Any) -> Self:
        return self._apply("FloorMod", self, other)

    def __rmod__(self, other: Any) -> Self:
        return self._apply("FloorMod", other, self)

    def __pow__(self, other: Any) -> Self:
        return self._apply("Power", self, other)

    def __rpow__(self, other: Any) -> Self:
        return self._apply("Power", other, self)

    def __matmul__(self, other: Any) -> Self:
        return self._apply("MatMul", self, other)

    def __rmatmul__(self, other: Any) -> Self:
        return self._apply("MatMul", other, self)

    def __neg__(self) -> Self:
        return self._apply("Negative", self)

    def __abs__(self) -> Self:
        return self._apply("Abs", self)

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._apply("Equal", self, other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._apply("NotEqual", self, other)

    def __lt__(self, other: Any) -> Self:
        return self._apply("Less", self, other)

    def __le__(self, other: Any) -> Self:
        return self._apply("LessEqual", self, other)

    def __gt__(self, other: Any) -> Self:
        return self._apply("Greater", self, other)

    def __ge__(self, other: Any) -> Self:
        return self._apply("GreaterEqual", self, other)

    def __and__(self, other: Any) -> Self:
        return self._apply(self._logical("And"), self, other)

    def __rand__(self, other: Any) -> Self:
        return self._apply(self._logical("And"), other, self)

    def __or__(self, other: Any) -> Self:
        return self._apply(self._logical("Or"), self, other)

    def __ror__(self, other: Any) -> Self:
        return self._apply(self._logical("Or"), other, self)

    def __xor__(self, other: Any) -> Self:
        return self._apply(self._logical("Xor"), self, other)

    def __rxor__(self, other: Any) -> Self:
        return self._apply(self._logical("Xor"), other, self)

    def __invert__(self) -> Self:
        return self._apply(self._logical("Not"), self)

    __hash__ = object.__hash__
    __array_ufunc__ = None
    """NumPy leaves operators between an array and a Value to the Value."""


class Owner(Protocol):
    """What a node needs of its graph."""

    def next_key(self) -> int: ...
    def location_of(self, node: Node) -> Location: ...
    def apply(self, type: str, *operands: Any) -> Value: ...


class Value(Operators):
    """One output of a node: a tensor whose element type, shape and, where it is known, value are inferred.

    Python's operators add nodes: + - * / // % ** @ == != < <= > >= & | ^ ~ and unary -. Because == adds an
    Equal node, compare two Values with `is`.
    """

    __slots__ = ("index", "node")

    def __init__(self, node: Node, index: int) -> None:
        self.node, self.index = node, index

    @property
    def fact(self) -> Fact:
        """All that is known of the tensor."""
        return self.node.facts[self.index]

    @property
    def element_type(self) -> ElementType:
        return self.fact.element_type

    @property
    def shape(self) -> Shape:
        """The inferred shape; sizes that are not known are intervals or symbols."""
        return self.fact.shape

    @property
    def value(self) -> Array | None:
        """The elements, if they follow from constants alone; None otherwise."""
        return self.fact.value

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tensor."""
        return self.node.tensor_names[self.index]

    @property
    def users(self) -> tuple[Node, ...]:
        """The nodes that have this value as an input, each once, in the order in which they came to use
        it.
        """
        return tuple(dict.fromkeys(node for node, _ in self.node.consumers[self.index]))

    def __str__(self) -> str:
        return f"{self.element_type}{self.shape.spelled}"

    def __repr__(self) -> str:
        at = f" output {self.index}" if len(self.node.outputs) > 1 else ""
        return f"<Value {shortened(self.node.name)!r}{at}: {shortened(str(self))}>"

    def __bool__(self) -> bool:
        raise TypeError(
            "a Value of a graph is neither true nor false: it is computed when the model runs; "
            "compare Values with `is`, and use Select or If to choose between two"
        )

    def __iter__(self) -> Any:
        raise TypeError("a Value of a graph cannot be iterated over; use Split or Gather")

    def _apply(self, type: str, *operands: Any) -> Self:
        result = self.node.graph.apply(type, *operands)
        assert isinstance(result, Value)
        return result  # type: ignore[return-value]

    def _floor_divided(self, dividend: Any, divisor: Any) -> Self:
        quotient = self._apply("Divide", dividend, divisor)  # of integers, it is rounded down
        return self._apply("Floor", quotient) if quotient.element_type.floating else quotient

    def _logical(self, name: str) -> str:
        return f"Logical{name}" if self.element_type is BOOLEAN else f"Bitwise{name}"


class Node:
    """A layer of a graph under construction. Change it by the methods of its graph.

    name, type, version: of the layer; data: its attributes as texts; facts: of the outputs; tensor_names: the
    names of each output's tensor; consumers: of each output, the nodes that use it and at which input; layer:
    what the model has that the graph was made from, None for a node that was added; failed: inference could
    not compute the outputs; removed: it is no longer in its graph.
    """

    __slots__ = (
        "bodies",
        "consumers",
        "data",
        "facts",
        "failed",
        "first_facts",
        "first_inputs",
        "first_sources",
        "graph",
        "invocation",
        "key",
        "layer",
        "name",
        "output_names",
        "outputs",
        "rank",
        "removed",
        "sources",
        "tensor_names",
        "type",
        "version",
    )

    def __init__(self, graph: Owner, type: str, version: str, name: str, data: Mapping[str, str]) -> None:
        self.graph, self.type, self.version, self.name = graph, type, version, name
        self.data: Mapping[str, str] = data
        self.sources: list[Value | None] = []
        self.facts: list[Fact] = []
        self.outputs: tuple[Value, ...] = ()
        self.tensor_names: list[tuple[str, ...]] = []
        self.consumers: list[dict[tuple[Node, int], None]] = []
        self.invocation: Invocation | None = None
        self.bodies: dict[str, Body] = {}
        self.output_names: tuple[str, ...] | None = None
        self.layer: Layer | None = None
        self.failed = self.removed = False
        self.key = graph.next_key()
        self.rank = 0.0
        # what the model that the graph was made from declares follows from these:
        self.first_facts: list[Fact] = []
        self.first_inputs: list[Fact | None] = []
        self.first_sources: list[Value | None] = []

    @property
    def op(self) -> Op | None:
        """The op with its definition; None where irops does not define it."""
        return None if self.invocation is None else self.invocation.op

    @property
    def kind(self) -> LayerKind:
        """What it is in its graph: a parameter, a result, a constant, a sink or an operation."""
        return kind_of(self.type)

    @property
    def inputs(self) -> tuple[Value | None, ...]:
        """The values that it uses, in the order of its inputs; None for one that is left out."""
        return tuple(self.sources)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The values of its attributes by name, defaults included; texts where the op is not defined."""
        return MappingProxyType(
            dict(self.data) if self.invocation is None else dict(self.invocation.attributes)
        )

    @property
    def users(self) -> tuple[Node, ...]:
        """The nodes that use one of its outputs, each once."""
        return tuple(dict.fromkeys(user for output in self.outputs for user in output.users))

    @property
    def output(self) -> Value:
        """Its only output. Raises: ValueError where it has none, or several"""
        if len(self.outputs) != 1:
            raise ValueError(f"{self} has {len(self.outputs)} outputs, must have 1; use outputs")
        return self.outputs[0]

    @property
    def location(self) -> Location:
        """Where it is in the file that the model was read from."""
        return self.graph.location_of(self)

    @property
    def input_facts(self) -> list[Fact | None]:
        """What is known of its inputs."""
        return [None if source is None else source.fact for source in self.sources]

    def __str__(self) -> str:
        return f'"{self.name}" ({self.type})'

    def __repr__(self) -> str:
        kind = self.type if self.op is None else self.op.id
        facts = ", ".join(str(output) for output in self.outputs)
        return f"<Node {shortened(self.name)!r} {kind}{shortened(f': {facts}') if facts else ''}>"
