"""A node of a graph, the values that flow between nodes, and what is known of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from irops.analysis.declaring import redeclared
from irops.analysis.fold import ValueBudget, attach_values
from irops.analysis.inference import FreshNames, Inference
from irops.analysis.inferred import LayerFacts
from irops.analysis.invocation import Invocation, OpFault, fault_of
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, Severity
from irops.diagnostics.printable import shortened
from irops.diagnostics.rules import rule
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.files.storage import Weights
from irops.ir.model import Body, Edge, Layer, LayerGraph, LayerKind, Model, Port, kind_of
from irops.spec.op import Op
from irops.values.dim import GENERATED_PREFIX
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, collect_warnings

_OWN_FOLDER = str(Path(__file__).parents[2]) + os.sep


def caller(name: str | None = None) -> Location:
    """The line outside of irops that made the call. name: of the node that is concerned"""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN_FOLDER):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno, layer_name=name)


def refuse(name: str, message: str, node: str | None = None, notes: tuple[str, ...] = ()) -> DiagnosticError:
    """The error to raise. name: of the rule; node: the name of the node that is concerned"""
    place = caller(node)
    return DiagnosticError([Diagnostic(rule(name), message, place, notes=notes, level=Severity.ERROR)])


def refuse_fault(
    op: Op, fault: OpFault, node: str, inputs: list[Fact | None], attributes: dict[str, str]
) -> DiagnosticError:
    """The error for a requirement of an op that is broken, with what was given."""
    return DiagnosticError([fault.diagnostic(op, caller(node), _given(op, inputs, attributes))])


def _given(op: Op, inputs: list[Fact | None], attributes: dict[str, str]) -> str:
    """The inputs and attributes of a call on one line: data f32[4,10]; axis=1."""
    ports = op.definition.inputs
    named = [
        f"{ports[min(index, len(ports) - 1)].name} {fact.spelled}"
        for index, fact in enumerate(inputs)
        if fact is not None and ports
    ]
    texts = [f"{name}={text}" for name, text in attributes.items()]
    return "; ".join(", ".join(part) for part in (named, texts) if part)


class Facts:
    """Infers nodes one by one.

    serial: makes names of sizes that no other graph has; variables: what ReadValue layers declare, by id
    """

    def __init__(self, registry: Registry, limits: Limits, serial: int) -> None:
        self.registry, self.limits = registry, limits
        self.budget = ValueBudget(limits.folded_bytes)
        self.variables: dict[str, Fact] = {}
        self._prefix = f"{GENERATED_PREFIX}{serial}."
        self._inner_names = FreshNames(f"{serial}.body.")

    def of(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None, key: int) -> list[Fact]:
        """The Facts of a node's outputs. key: of the node, which keeps the names of its sizes the same

        Raises:  DiagnosticError where a requirement of the op is broken
        """
        invocation = node.invocation
        assert invocation is not None
        if not invocation.usable:  # of a layer whose attributes are faulty in the model
            return [Fact() for _ in node.outputs]
        if node.bodies:
            outputs = list(self._alone(node, inputs, weights).outputs)
        else:
            outputs = self._of_op(node, invocation, inputs)
        # sizes without a symbol get names that stay the same when they are inferred again
        named = [self._with_names(fact, f"{self._prefix}{key}.{index}") for index, fact in enumerate(outputs)]
        return attach_values(invocation, inputs, named, self.limits.folded_elements, self.budget)

    def _of_op(self, node: Node, invocation: Invocation, inputs: Sequence[Fact | None]) -> list[Fact]:
        op = invocation.op
        extras: dict[str, Any] = {"output_count": len(node.outputs)}
        if op.definition.stateful:
            extras["variables"] = self.variables
        try:
            with collect_warnings() as warnings:
                outputs = list(invocation.infer(inputs, extras))
            for warning in warnings:
                if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
                    raise fault_of(op, warning)
        except (OpFault, LimitExceeded) as error:
            raise refuse_fault(op, fault_of(op, error), node.name, list(inputs), dict(node.data)) from None
        return outputs

    def bodies(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None) -> dict[str, Body]:
        """The bodies of a node with what is inferred of them in its place."""
        inferred = self._alone(node, inputs, weights).bodies
        return {name: redeclared(body, inferred.get(name)) for name, body in node.bodies.items()}

    def _alone(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None) -> LayerFacts:
        """The inference of a model that holds the node alone. Raises: DiagnosticError"""
        layer = Layer(0, node.name, node.type, node.version, dict(node.data), bodies=node.bodies)
        layers, edges = [layer], []
        overrides: dict[str | int, Any] = {}
        for index, fact in enumerate(inputs):
            layer.inputs.append(Port(index, absent=fact is None))
            if fact is not None:
                overrides[len(overrides)] = fact
                data = {"element_type": "dynamic", "shape": "..."}
                parameter = Layer(len(layers), f"input {index}", "Parameter", "opset1", data)
                parameter.outputs.append(Port(0))
                layers.append(parameter)
                edges.append(Edge(parameter.id, 0, 0, index))
        count = len(node.outputs)
        layer.outputs = [Port(len(inputs) + index) for index in range(count)]
        model = Model(graph=LayerGraph(layers, edges), weights=weights)
        analysis = ModelAnalysis(model, self.registry, self.limits)
        inference = Inference(analysis, self._inner_names)
        inferred = inference.graph(analysis.root, analysis.signature.facts(overrides))
        inferred.structural = analysis.structural_findings
        if inferred.errors:
            place = caller(node.name)
            raise DiagnosticError([replace(error, location=place) for error in inferred.errors])
        return inferred.of(0)

    def _with_names(self, fact: Fact, stem: str) -> Fact:
        if fact.shape.dims is None or fact.shape.static:
            return fact
        dims = [
            dim if dim.known or dim.symbol is not None else dim.named(f"{stem}.{axis}")
            for axis, dim in enumerate(fact.shape)
        ]
        return fact.with_shape(Shape(dims))


def same(before: Fact, after: Fact) -> bool:
    """Whether nothing that follows from one Fact is different for the other."""
    return (
        before.element_type is after.element_type
        and before.shape == after.shape
        and [dim.symbol for dim in before.shape.dims or ()] == [dim.symbol for dim in after.shape.dims or ()]
        and not before.may_have_value
        and not after.may_have_value
    )


def unknown(count: int) -> list[Fact]:
    """Outputs of which nothing is known."""
    return [Fact(DYNAMIC) for _ in range(count)]


# Python's operators as ops: each adds a node to the graph of its operand.


def _operator(type: str, *, reflected: bool = False, logical: bool = False) -> Callable[[Value, Any], Value]:
    """The method of an operator, which adds a node of a type. reflected: self is the right operand; logical:
    on integers, the op is the bitwise one.
    """

    def method(self: Value, other: Any) -> Value:
        operands = (other, self) if reflected else (self, other)
        return self._apply(self._logical(type) if logical else type, *operands)

    return method


class Owner(Protocol):
    """The part of a graph that its nodes use."""

    def next_key(self) -> int: ...
    def location_of(self, node: Node) -> Location: ...
    def apply(self, type: str, *operands: Any) -> Value: ...


class Value:
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

    def _apply(self, type: str, *operands: Any) -> Value:
        return self.node.graph.apply(type, *operands)

    def _floor_divided(self, dividend: Any, divisor: Any) -> Value:
        quotient = self._apply("Divide", dividend, divisor)  # of integers, it is rounded down
        return self._apply("Floor", quotient) if quotient.element_type.floating else quotient

    def _logical(self, name: str) -> str:
        return f"Logical{name}" if self.element_type is BOOLEAN else f"Bitwise{name}"

    # The other operand is a Value, an array or a number, which takes the element type of this one. On
    # booleans, & | ^ ~ are logical, on integers bitwise.

    __add__ = _operator("Add")
    __radd__ = _operator("Add", reflected=True)
    __sub__ = _operator("Subtract")
    __rsub__ = _operator("Subtract", reflected=True)
    __mul__ = _operator("Multiply")
    __rmul__ = _operator("Multiply", reflected=True)
    __truediv__ = _operator("Divide")
    __rtruediv__ = _operator("Divide", reflected=True)
    __mod__ = _operator("FloorMod")
    __rmod__ = _operator("FloorMod", reflected=True)
    __pow__ = _operator("Power")
    __rpow__ = _operator("Power", reflected=True)
    __matmul__ = _operator("MatMul")
    __rmatmul__ = _operator("MatMul", reflected=True)
    __eq__ = _operator("Equal")  # type: ignore[assignment]
    __ne__ = _operator("NotEqual")  # type: ignore[assignment]
    __lt__ = _operator("Less")
    __le__ = _operator("LessEqual")
    __gt__ = _operator("Greater")
    __ge__ = _operator("GreaterEqual")
    __and__ = _operator("And", logical=True)
    __rand__ = _operator("And", logical=True, reflected=True)
    __or__ = _operator("Or", logical=True)
    __ror__ = _operator("Or", logical=True, reflected=True)
    __xor__ = _operator("Xor", logical=True)
    __rxor__ = _operator("Xor", logical=True, reflected=True)

    def __floordiv__(self, other: Any) -> Value:
        return self._floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Value:
        return self._floor_divided(other, self)

    def __neg__(self) -> Value:
        return self._apply("Negative", self)

    def __abs__(self) -> Value:
        return self._apply("Abs", self)

    def __invert__(self) -> Value:
        return self._apply(self._logical("Not"), self)

    __hash__ = object.__hash__
    __array_ufunc__ = None
    """NumPy leaves operators between an array and a Value to the Value."""


_SLOTS = (
    "bodies consumers data facts failed first_facts first_inputs graph invocation key layer"
    " name output_names outputs rank removed sources tensor_names type version"
)


class Node:
    """A layer of a graph under construction. Change it by the methods of its graph.

    name, type, version: of the layer; data: its attributes as texts; facts: of the outputs; tensor_names: the
    names of each output's tensor; consumers: of each output, the nodes that use it and at which input; layer:
    what the model has that the graph was made from, None for a node that was added; failed: inference could
    not compute the outputs; removed: it is no longer in its graph.
    """

    __slots__ = tuple(_SLOTS.split())

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

    @property
    def op(self) -> Op | None:
        """The op with its definition; None where irops does not define it."""
        return None if self.invocation is None else self.invocation.op

    @property
    def kind(self) -> LayerKind:
        """The role in its graph: a parameter, a result, a constant, a sink or an operation."""
        return kind_of(self.type)

    @property
    def is_constant(self) -> bool:
        """Whether its value lies in the model's weights."""
        return self.kind is LayerKind.CONSTANT

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
        """The Facts of its inputs."""
        return [None if source is None else source.fact for source in self.sources]

    def __str__(self) -> str:
        return f'"{self.name}" ({self.type})'

    def __repr__(self) -> str:
        kind = self.type if self.op is None else self.op.id
        facts = ", ".join(str(output) for output in self.outputs)
        return f"<Node {shortened(self.name)!r} {kind}{shortened(f': {facts}') if facts else ''}>"
