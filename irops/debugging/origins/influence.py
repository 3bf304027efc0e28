"""Which facts of a layer's inputs, and which attributes, decide what is inferred of an output.

No op has code for this: facts are left out, one after the other, and the layer alone is inferred again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from irops.analysis.fold import attach_values
from irops.analysis.inference import Inference
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.invocation import Invocation, OpFault
from irops.values.dim import ANY
from irops.values.element import BOOLEAN, DYNAMIC, Array
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, collect_warnings

MAX_ELEMENTS = 64
"""Values of at most this many elements are examined element by element."""

Facts = Sequence[Fact | None]


@dataclass(frozen=True, slots=True)
class Item:
    """A fact of an input of a layer: its element type, the size of axis number index, the element number
    index of its value, or its whole value.
    """

    input: int
    kind: str
    index: int = 0


def inferred_again(analysis: ModelAnalysis, node: LayerNode, inputs: Facts) -> list[Fact]:
    """The outputs of a layer for these facts of its inputs, with values as far as they are known.

    Raises:  OpFault where the layer is invalid for them
    """
    with collect_warnings():
        outputs = list(Inference(analysis).layer(node, inputs).outputs)
        assert node.invocation is not None
        return attach_values(node.invocation, inputs, outputs, analysis.limits.folded_elements)


def needed_items(inputs: Facts, items: Sequence[Item], unchanged: Callable[[Facts], bool]) -> list[Item]:
    """The items without which the outcome changes: as few as leaving out by halves finds, in their order.

    Later items are left out before earlier ones, where either would do. unchanged: whether the outcome is the
    same for these facts
    """
    left_out: list[Item] = []

    def reduce(part: Sequence[Item]) -> None:
        if unchanged(without(inputs, [*left_out, *part])):
            left_out.extend(part)
        elif len(part) > 1:
            middle = len(part) // 2
            reduce(part[middle:])
            reduce(part[:middle])

    reduce(items)
    return [item for item in items if item not in left_out]


def items_of(inputs: Facts) -> Iterator[Item]:
    """The sizes and the values of all inputs."""
    for number, fact in enumerate(inputs):
        if fact is not None:
            yield from (Item(number, "size", axis) for axis in range(len(fact.shape.dims or ())))
            if fact.may_have_value:
                yield Item(number, "value")


def elements_of(item: Item, inputs: Facts) -> list[Item]:
    """The elements of a value that is needed, if they are few numbers; otherwise the value itself."""
    fact = inputs[item.input]
    assert fact is not None
    few = fact.shape.size.known and 1 < fact.shape.size <= MAX_ELEMENTS
    if item.kind != "value" or not few or not (fact.element_type.integral or fact.element_type is BOOLEAN):
        return [item]
    return [Item(item.input, "element", index) for index in range(int(fact.shape.size))]


def without(inputs: Facts, items: Sequence[Item]) -> list[Fact | None]:
    """The facts without some items."""
    by_input: dict[int, list[Item]] = {}
    for item in items:
        by_input.setdefault(item.input, []).append(item)
    return [
        fact if fact is None or number not in by_input else _without(fact, by_input[number])
        for number, fact in enumerate(inputs)
    ]


def _without(fact: Fact, items: Sequence[Item]) -> Fact:
    kinds = {item.kind for item in items}
    element_type = DYNAMIC if "type" in kinds else fact.element_type
    if "element" in kinds:
        value = _unknown_elements(fact, {item.index for item in items if item.kind == "element"})
        return Fact(element_type, fact.shape, value)
    if fact.may_have_value and "value" not in kinds:
        return Fact(element_type, fact.shape, lambda: fact.known)
    axes = {item.index for item in items if item.kind == "size"}
    dims = fact.shape.dims
    shape = fact.shape if dims is None else Shape(ANY if k in axes else dim for k, dim in enumerate(dims))
    return Fact(element_type, shape)


def _unknown_elements(fact: Fact, indices: set[int]) -> Array:
    """The value, with some elements unknown."""
    unknown = Fact(fact.element_type, Shape.of(1)).dims
    assert unknown is not None
    assert fact.dims is not None
    dims = [unknown[0] if index in indices else dim for index, dim in enumerate(fact.dims)]
    return dims_array(dims).reshape(fact.shape.to_tuple())


def deciding_attributes(node: LayerNode, outcome: Callable[[LayerNode], object]) -> Iterator[str]:
    """The attributes whose change alone changes the outcome.

    outcome: of the layer with other attributes; may raise OpFault, which counts as no change
    """
    assert node.invocation is not None
    usual = outcome(node)
    for name, value in node.invocation.attributes.items():
        for other in _other_values(node.invocation, name, value):
            changed = {**node.invocation.attributes, name: other}
            try:
                if outcome(replace(node, invocation=_invocation(node.invocation, changed))) != usual:
                    yield name
                    break
            except (OpFault, LimitExceeded):
                continue


def _invocation(invocation: Invocation, attributes: Mapping[str, Any]) -> Invocation:
    return invocation.with_values(attributes)


def _other_values(invocation: Invocation, name: str, value: object) -> Iterator[object]:
    """Values near the value of an attribute: the next numbers, the other words."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1)
        case float():
            yield value * 2
        case str():
            words = invocation.op.definition.attributes[name].values
            yield from (word for word in words if word != value)
        case Shape(dims=tuple(dims)):
            yield Shape(dim + 1 for dim in dims)
        case tuple() if value and all(type(item) is int for item in value):
            yield tuple(item + 1 for item in value)
            yield from (tuple(n + (k == j) for k, n in enumerate(value)) for j in range(min(len(value), 8)))
