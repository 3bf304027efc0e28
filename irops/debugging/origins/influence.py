"""The facts of a layer's outputs, and which facts of its inputs and which attributes decide them.

No op has code for this: facts are left out, one after the other, and the layer alone is inferred again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from irops.analysis.fold import attach_values
from irops.analysis.inference import Inference
from irops.analysis.invocation import Invocation, OpFault
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode, Path
from irops.debugging.origins.symbolic import Expression, LayerKey
from irops.diagnostics.printable import abridged
from irops.values.dim import ANY, Dim
from irops.values.element import BOOLEAN, DYNAMIC, Array
from irops.values.fact import Fact, dims_array, holds_dims
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, collect_warnings

MAX_TEXT = 200
"""The greatest number of characters of a value that is shown."""


class Aspect(Enum):
    """The kinds of facts."""

    SIZE = "size"
    SHAPE = "shape"
    TYPE = "type"
    ELEMENT = "element"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Facet:
    """A fact of an output. index: the axis of a size, or the number of an element."""

    path: Path
    layer: int
    output: int
    aspect: Aspect
    index: int = 0

    @property
    def key(self) -> LayerKey:
        return self.path, self.layer

    @property
    def subject(self) -> str:
        """The fact as a noun: axis 1, the shape, element 2."""
        match self.aspect:
            case Aspect.SIZE:
                return f"axis {self.index}"
            case Aspect.ELEMENT:
                return f"element {self.index}"
        return f"the {'element type' if self.aspect is Aspect.TYPE else self.aspect.value}"

    def size(self, fact: Fact) -> Dim | None:
        """The size or the element; None where there is none, or nothing is known of it."""
        if self.aspect is Aspect.SIZE:
            dims = fact.shape.dims
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        if self.aspect is Aspect.ELEMENT and fact.known is not None:
            dims = fact.dims if holds_dims(fact.known) or fact.element_type.integral else None
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        return None

    def sizes(self, fact: Fact) -> Sequence[Dim] | None:
        """The sizes and elements that the facet consists of; None where it is none of these."""
        match self.aspect:
            case Aspect.SIZE | Aspect.ELEMENT:
                one = self.size(fact)
                return None if one is None else (one,)
            case Aspect.SHAPE:
                return fact.shape.dims
            case Aspect.VALUE if fact.known is not None and fact.element_type.integral:
                return fact.dims
        return None

    def expressions(self, fact: Fact) -> tuple[Expression | None, ...] | None:
        """The expression of every size or element; None where the facet has none."""
        sizes = self.sizes(fact)
        return None if sizes is None else tuple(map(Expression.of, sizes))

    def content(self, fact: Fact) -> object:
        """The value to compare to find out whether the facet is the same for other facts of the inputs."""
        if self.aspect is Aspect.TYPE:
            return fact.element_type
        sizes = self.sizes(fact)
        if sizes is not None:
            return tuple((size.bounds, size.symbol) for size in sizes)
        if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) and fact.known is not None:
            return fact.known.tobytes()
        return None

    def text(self, fact: Fact) -> str:
        """The facet as text: 2*N + 1, f32, [N,3], ?"""
        if self.aspect is Aspect.TYPE:
            return str(fact.element_type)
        sizes = self.sizes(fact)
        if sizes is None:
            return _value_text(fact) if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) else "unknown"
        texts = [str(Expression.of(size) or size) for size in sizes]
        if len(texts) == 1 and self.aspect is not Aspect.SHAPE:
            return abridged(texts[0], MAX_TEXT)
        return abridged(f"[{','.join(texts)}]", MAX_TEXT)


def _value_text(fact: Fact) -> str:
    value = fact.known
    if value is None or value.size > MAX_TEXT:
        return "unknown" if value is None else f"{value.size} elements"
    return abridged(" ".join(str(value.tolist()).split()), MAX_TEXT)


MAX_ELEMENTS = 64
"""Values of at most this many elements are examined element by element."""

Facts = Sequence[Fact | None]


@dataclass(frozen=True, slots=True)
class InputFact:
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


def needed_items(
    inputs: Facts, items: Sequence[InputFact], unchanged: Callable[[Facts], bool]
) -> list[InputFact]:
    """The items without which the outcome changes: as few as leaving out by halves finds, in their order.

    Later items are left out before earlier ones, where either would do. unchanged: whether the outcome is the
    same for these facts
    """
    left_out: list[InputFact] = []

    def reduce(part: Sequence[InputFact]) -> None:
        if unchanged(without(inputs, [*left_out, *part])):
            left_out.extend(part)
        elif len(part) > 1:
            middle = len(part) // 2
            reduce(part[middle:])
            reduce(part[:middle])

    reduce(items)
    return [item for item in items if item not in left_out]


def items_of(inputs: Facts) -> Iterator[InputFact]:
    """The sizes and the values of all inputs."""
    for number, fact in enumerate(inputs):
        if fact is not None:
            yield from (InputFact(number, "size", axis) for axis in range(len(fact.shape.dims or ())))
            if fact.may_have_value:
                yield InputFact(number, "value")


def elements_of(item: InputFact, inputs: Facts) -> list[InputFact]:
    """The elements of a value that is needed, if they are few numbers; otherwise the value itself."""
    fact = inputs[item.input]
    assert fact is not None
    few = fact.shape.size.known and 1 < fact.shape.size <= MAX_ELEMENTS
    if item.kind != "value" or not few or not (fact.element_type.integral or fact.element_type is BOOLEAN):
        return [item]
    return [InputFact(item.input, "element", index) for index in range(int(fact.shape.size))]


def without(inputs: Facts, items: Sequence[InputFact]) -> list[Fact | None]:
    """The facts without some items."""
    by_input: dict[int, list[InputFact]] = {}
    for item in items:
        by_input.setdefault(item.input, []).append(item)
    return [
        fact if fact is None or number not in by_input else _without(fact, by_input[number])
        for number, fact in enumerate(inputs)
    ]


def _without(fact: Fact, items: Sequence[InputFact]) -> Fact:
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
                if outcome(replace(node, invocation=node.invocation.with_values(changed))) != usual:
                    yield name
                    break
            except (OpFault, LimitExceeded):
                continue


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
