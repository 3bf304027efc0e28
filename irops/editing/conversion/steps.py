"""Steps of a conversion: how a node of one op version becomes one of another, or several of simpler ops."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.invocation import OpFault
from irops.editing.conversion.targets import NotConvertibleError
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node, Value
from irops.spec.attributes import format_value
from irops.spec.op import Op
from irops.values.dim import Dim
from irops.values.element import DYNAMIC, Array, ElementType, as_i64, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape


class ConvertedNode:
    """A node, its inputs by name, and the nodes that a rule adds before it."""

    def __init__(self, graph: Graph, node: Node, op: Op, new: Op, attributes: Mapping[str, Any]) -> None:
        self.graph, self.node, self.op, self.new = graph, node, op, new
        self._by_name = attributes
        spelled = op.definition.attributes
        self.attributes: dict[str, Any] = {spelled[n].parameter: v for n, v in attributes.items()}
        """The values of the attributes by Python name, axes counted from 0 where ranks are known."""
        self._places = {port.name: place for place, port in enumerate(op.definition.inputs)}
        self.added: list[Node] = []

    @classmethod
    def of(cls, graph: Graph, node: Node, new: str) -> "ConvertedNode":
        """new: the op that the node is to become; Raises: RefusedError where an axis is out of range"""
        assert node.op is not None
        assert node.invocation is not None
        try:
            attributes = node.invocation.normal_attributes(node.input_facts)
            return cls(graph, node, node.op, graph.op(new), attributes)
        except OpFault as fault:
            raise NotConvertibleError(fault.message) from None

    # what the node has

    @property
    def inputs(self) -> list[Value | None]:
        return list(self.node.sources)

    def optional(self, name: str) -> Value | None:
        """The input of a name; None where it is left out."""
        place = self._places[name]
        return self.node.sources[place] if place < len(self.node.sources) else None

    def input(self, name: str) -> Value:
        """An input that cannot be left out."""
        value = self.optional(name)
        if value is None:
            raise NotConvertibleError(f"it has no input {name}")
        return value

    def fact(self, name: str) -> Fact:
        value = self.optional(name)
        return Fact() if value is None else value.fact

    def may_be_negative(self, name: str) -> bool:
        """Whether an element of an integer input may be negative, as far as it is known."""
        dims = self.fact(name).dims
        return dims is None or any(dim.low < 0 for dim in dims)

    def uses(self, index: int) -> bool:
        """Whether an output is used; a tensor name counts, because the caller may ask for it."""
        node = self.node
        return index < len(node.outputs) and bool(node.consumers[index] or node.tensor_names[index])

    def sizes(self, name: str, purpose: str) -> tuple[Dim, ...]:
        """The sizes of an input. Raises: RefusedError where its rank is unknown; purpose: what needs it"""
        dims = self.fact(name).shape.dims
        if dims is None:
            raise NotConvertibleError(f"the rank of {name} is unknown, but {purpose}")
        return dims

    def static_sizes(self, name: str, purpose: str) -> tuple[int, ...]:
        """The sizes of an input, all of which are known."""
        shape = Shape(self.sizes(name, purpose))
        if not shape.static:
            raise NotConvertibleError(f"the shape of {name} is {shape.unnamed()}, but {purpose}")
        return shape.to_tuple()

    def numbers(self, name: str) -> list[int] | None:
        """The elements of an integer input as far as they follow from constants; None if they do not."""
        value = self.fact(name).value if self.optional(name) is not None else None
        return None if value is None else [int(number) for number in as_i64(value).ravel()]

    def constant(self, name: str, purpose: str) -> list[int]:
        """The elements of an integer input that must be constant."""
        numbers = self.numbers(name)
        if numbers is None:
            raise NotConvertibleError(f"{name} is not constant, but {purpose}")
        return numbers

    def element_type(self, name: str, purpose: str = "the conversion depends on it") -> ElementType:
        kind = self.fact(name).element_type
        if kind is DYNAMIC:
            raise NotConvertibleError(f"the element type of {name} is unknown, but {purpose}")
        return kind

    # attributes of the replacement

    def carried(self, **changed: Any) -> dict[str, Any]:
        """The attributes that the new op has, by Python name, as the file has them where the new op may have
        them so.
        """
        texts: dict[str, Any] = {}
        old, new = self.op.definition.attributes, self.new.definition.attributes
        for name, value in self._by_name.items():
            if name in new:
                text = self.node.data.get(name)
                is_axis = new[name].type in ("axis", "axes")
                if text is None or (is_axis and "-" in text and new[name].low >= 0):
                    texts[old[name].parameter] = value
                else:
                    texts[old[name].parameter] = text
        return {**texts, **changed}

    def require_attribute(self, name: str, value: Any) -> None:
        """Raises: RefusedError where an attribute has another value than the new op implies"""
        actual = self.attributes.get(name)
        if actual != value:
            shown, implied = (format_value(each) for each in (actual, value))
            raise NotConvertibleError(f"it has {name}={shown}; {self.new.id} computes as with {implied}")

    # nodes that a rule adds

    def add(self, op: str, *inputs: Any, part: str, index: int = 0, **attributes: Any) -> Value:
        """Add a node before the node. part: what distinguishes its name; index: of the output to give"""
        graph, node = self.graph, self.node
        name = graph.unique(f"{node.name}/{part}")
        made = graph.added(graph.op(op), name, inputs, attributes, graph.place(node))
        self.added.append(made)
        return made.outputs[index]

    def typed(self, value: Value, kind: ElementType, part: str) -> Value:
        """A value converted to an element type; the value itself, if it has this type."""
        if value.element_type is kind:
            return value
        return self.add("Convert-1", value, part=part, destination_type=kind.name)

    def like(self, number: float, kind: ElementType) -> Array:
        """A scalar of an element type."""
        return tagged(np.array(number).astype(kind.dtype), kind)


@dataclass(frozen=True, slots=True)
class NodeForm:
    """The form of a converted node: an op of these inputs and attributes, in its place and under its name.

    inputs: Values, arrays and numbers in the order of the definition, None for one that is left out
    """

    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outputs:
    """The replacement of each output of a node, whose name goes to the node of the last value."""

    values: Sequence[Value]


Rule: TypeAlias = Callable[[ConvertedNode], NodeForm | Outputs]


@dataclass(frozen=True, slots=True)
class ConversionStep:
    """From an op version to another. rule: raises RefusedError where the node has no equal in the other

    rounds: what the results may differ by, "" where they are equal bit for bit; is_decomposition: whether the
    node becomes several, so that the step is taken only where the target does not read the op.
    """

    old: str
    new: str
    rule: Rule
    rounds: str = ""
    is_decomposition: bool = False

    @property
    def is_of_one_type(self) -> bool:
        return self.old.rpartition("-")[0] == self.new.rpartition("-")[0]


STEPS: dict[str, list[ConversionStep]] = defaultdict(list)
"""All steps, by the op version that they start from."""


def add(step: ConversionStep) -> None:
    STEPS[step.old].append(step)


def step(
    old: str, new: str, *, rounds: str = "", decomposition: bool | None = None
) -> Callable[[Rule], Rule]:
    """Mark a function as the rule of a step; new: the op of the last node, where there are several."""

    def mark(rule: Rule) -> Rule:
        made = ConversionStep(old, new, rule, rounds)
        parted = not made.is_of_one_type if decomposition is None else decomposition
        add(ConversionStep(old, new, rule, rounds, parted))
        return rule

    return mark


def versions(old: str, new: str, **fixed: Any) -> None:
    """Declare that a newer version with some attributes fixed means what an older one does: two steps.

    fixed: the attributes that the older version does not have, by Python name, with the values of its meaning
    """

    def narrowed(subject: ConvertedNode) -> NodeForm:
        for name, value in fixed.items():
            subject.require_attribute(name, value)
        return NodeForm(subject.inputs, subject.carried())

    newer(old, new, **fixed)
    add(ConversionStep(new, old, narrowed))


def newer(old: str, new: str, **fixed: Any) -> None:
    """Declare the step to a newer version alone, for pairs with a rule of their own for the older one."""
    add(ConversionStep(old, new, lambda subject: NodeForm(subject.inputs, subject.carried(**fixed))))
