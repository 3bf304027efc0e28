"""The proof that the items of a batch do not meet, layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.batching.case import (
    COUNTED,
    SAME,
    BatchedLayer,
    Carried,
    Input,
    Items,
    ItemsMeet,
    Numbered,
    axis_of_items,
)
from irops.analysis.batching.rules import RANDOM, REPEATS_SAME, SIZES, Rule, rule_of
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.rules import rule
from irops.ir.model import LayerKind
from irops.ops.invocation import Invocation, named_inputs
from irops.values.dim import Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import MAX_DIM, Shape

# Indices made of the number of an item, such as item * length + position: what a value is for each item.
#
# Exported models address elements of a batch by such indices: a Range over all elements, sliced and reshaped,
# or a Range over the items, multiplied by the size of one and added to positions within it.

MAX_EXACT = 1 << 24
"""Integers below this number are exact in f32."""
MAX_ELEMENTS = 1 << 20
"""Larger tensors of indices, counted for one item, are not followed."""
SUMS = frozenset({"Add", "Subtract"})
SAME_ELEMENTS = frozenset({"Convert", "ConvertLike", "Reshape", "Squeeze", "Unsqueeze"})
MOVES = frozenset({"Transpose", "Concat", "Gather", "Slice", "StridedSlice", "Split", "VariadicSplit"})
MOVED = frozenset({"data", "arg", "inputs"})
"""The inputs of these ops whose elements are moved."""


def numbers_of_items(case: BatchedLayer, invocation: Invocation, method: Rule | None) -> Numbered | None:
    """The values of a layer that depends on the number of items alone, where they are followed.

    case: its inputs carry SAME, COUNTED or Numbered; method: the rule of its op
    """
    fact = case.outputs[0]
    placed = axis_of_items(fact.shape, case.count)
    if placed is None or not _is_exact(fact):
        return None
    one = _for_one(fact.shape, placed)
    if prod(one) > MAX_ELEMENTS:
        return None
    name = case.definition.type
    if name == "Range":
        return _range(case, placed)
    if name == "Broadcast":
        return _broadcast(case, placed, one)
    inputs = [entry for entry in case.inputs if isinstance(entry.carried, Numbered)]
    if not inputs or method is None or name not in SUMS | SAME_ELEMENTS | MOVES | {"Multiply"}:
        return None
    places = method(case.with_items())
    items = places[0]
    assert isinstance(items, Items)
    if name in SAME_ELEMENTS:
        (source,) = (entry.carried for entry in inputs[:1])
        assert isinstance(source, Numbered)
        return Numbered(items, source.first.reshape(one), source.step.reshape(one))
    if name in MOVES and all(entry.name in MOVED for entry in inputs):
        return _moved(case, invocation, items)
    return None if name in MOVES else _combined(name, case.inputs, items)


def _is_exact(fact: Fact) -> bool:
    """Whether a tensor holds such numbers exactly: floats do up to a size."""
    kind = fact.element_type
    is_wide = kind.floating and kind.bits > 16
    return kind.name in ("i32", "i64") or (is_wide and fact.shape.size.high < MAX_EXACT)


def _for_one(shape: Shape, items: Items) -> tuple[int, ...]:
    assert shape.dims is not None
    return tuple(items.positions if axis == items.axis else int(size) for axis, size in enumerate(shape.dims))


def _range(case: BatchedLayer, items: Items) -> Numbered | None:
    start, step = (case[name].fact.value for name in ("start", "step"))
    if start is None or step is None or not all(as_i64(n) == n for n in (start, step)):
        return None
    first = int(start) + int(step) * np.arange(items.each, dtype=np.int64)
    return Numbered(items, first, np.full(items.each, items.each * int(step), np.int64))


def _broadcast(case: BatchedLayer, items: Items, one: tuple[int, ...]) -> Numbered | None:
    data = case["data"]
    first, step = _parts(data)
    if first is None or case.attributes["mode"] == "explicit" or first.ndim > len(one):
        return None
    place = items
    if isinstance(data.carried, Numbered):
        place = data.carried.items.at(data.carried.items.axis + len(one) - first.ndim)
    elif len(one) - first.ndim <= items.axis and first.shape[items.axis - len(one) + first.ndim] != 1:
        return None
    return Numbered(place, np.broadcast_to(first, one), np.broadcast_to(step, one))


def _parts(entry: Input) -> tuple[Array | None, Array | int]:
    """first and step of an input; None where it is not followed."""
    if isinstance(entry.carried, Numbered):
        return entry.carried.first, entry.carried.step
    value = entry.fact.value if entry.carried is SAME and entry.fact.element_type.integral else None
    small = value is not None and value.size <= MAX_ELEMENTS
    return (as_i64(value), np.zeros(value.shape, np.int64)) if small and value is not None else (None, 0)


def _combined(name: str, inputs: Sequence[Input], items: Items) -> Numbered | None:
    (first_a, step_a), (first_b, step_b) = map(_parts, inputs)
    if first_a is None or first_b is None:
        return None
    if name == "Multiply":
        if np.any(step_a) and np.any(step_b):
            return None
        return _same_shape(items, first_a * first_b, step_a * first_b + first_a * step_b)
    combine: Callable[[Any, Any], Any] = np.add if name == "Add" else np.subtract
    return _same_shape(items, combine(first_a, first_b), combine(step_a, step_b))


def _same_shape(items: Items, first: Array, step: Array) -> Numbered:
    return Numbered(items, *np.broadcast_arrays(first, step))


def _moved(case: BatchedLayer, invocation: Invocation, items: Items) -> Numbered | None:
    """What an op that moves elements makes of both parts."""
    moved: list[Array] = []
    for part in (0, 1):
        arrays = [_array(entry, part) for entry in case.inputs]
        if any(array is None for array in arrays):
            return None
        moved.append(invocation.compute(arrays)[0])
    return Numbered(items, *moved)


def _array(entry: Input, part: int) -> Array | None:
    if isinstance(entry.carried, Numbered):
        return (entry.carried.first, entry.carried.step)[part]
    if entry.carried is COUNTED and entry.fact.dims is not None:
        # the rule allows it only as the end of a slice that takes all items
        ends = [int(dim) if dim.known else MAX_DIM for dim in entry.fact.dims]
        return np.array(ends, np.int64).reshape(entry.fact.shape.to_tuple())
    return entry.fact.value


Value: TypeAlias = tuple[int, int]
"""The id of a layer, and the index of one of its outputs."""
SYMBOL = "items"
"""The name of the number of items."""


@dataclass(frozen=True)
class Proof:
    """What each value of the outermost graph carries. refusals: where items meet, with the layer

    Values that depend on a refused layer are missing in `carried`.
    """

    analysis: ModelAnalysis
    inferred: Inferred
    carried: Mapping[Value, Carried]
    refusals: tuple[Diagnostic, ...]

    def items(self, value: Value) -> Items | None:
        """The axis of items of a value, if it has one."""
        carried = self.carried.get(value)
        if isinstance(carried, Numbered) and carried.is_same:
            return carried.items
        return carried if isinstance(carried, Items) else None


def prove(
    analysis: ModelAnalysis,
    facts: Mapping[int, Fact],
    batched: Mapping[int, int],
    items: int,
    ends: Collection[int],
) -> Proof:
    """Follow the batch through a model.

    facts: of all inputs, by the id of their layer; batched: the axis of the batch of those inputs that have
    one; items: how many items there are at most; ends: the ids of the layers whose values are asked for
    """
    count = Dim(2, max(items, 4)).named(SYMBOL)
    shaped = {number: _with_count(fact, batched.get(number), count) for number, fact in facts.items()}
    names = {port.layer.id: port.position for port in analysis.signature.inputs}
    inferred = analysis.infer({names[number]: fact for number, fact in shaped.items()})
    if inferred.errors:
        return Proof(analysis, inferred, {}, inferred.errors)
    return _Follower(analysis, inferred, count, analysis.root.preceding(ends)).proof(batched)


def _with_count(fact: Fact, axis: int | None, count: Dim) -> Fact:
    return fact if axis is None else fact.with_shape(fact.shape.with_dim(axis, count))


class _Follower:
    def __init__(
        self, analysis: ModelAnalysis, inferred: Inferred, count: Dim, needed: Collection[int]
    ) -> None:
        self._analysis, self._inferred, self._count, self._needed = analysis, inferred, count, needed
        self._carried: dict[Value, Carried] = {}

    def proof(self, batched: Mapping[int, int]) -> Proof:
        refusals: list[Diagnostic] = []
        for node in self._analysis.root.order:
            if node.layer.id not in self._needed:
                continue
            if node.layer.kind is LayerKind.PARAMETER:
                axis = batched.get(node.layer.id)
                self._carried[node.layer.id, 0] = SAME if axis is None else Items(axis)
                continue
            facts = self._inferred.layers[node.layer.id]
            try:
                for index, carried in enumerate(self._outputs(node, facts)):
                    self._carried[node.layer.id, index] = carried
            except ItemsMeet as reason:
                refusals.append(self._refusal(node, str(reason)))
        return Proof(self._analysis, self._inferred, self._carried, tuple(refusals))

    def _outputs(self, node: LayerNode, facts: LayerFacts) -> list[Carried]:
        """What the outputs of a layer carry; nothing where an input depends on a refused layer."""
        inputs = self._inputs(node)
        if inputs is None:
            return []
        if any(_is_not_repeatable(each) for each in _with_bodies(node)):
            raise ItemsMeet("its values depend on what ran before it")
        if all(carried is SAME for carried in inputs if carried is not None):
            return [SAME] * len(facts.outputs)
        if node.layer.type in SIZES:
            return [SAME if fact.value is not None else COUNTED for fact in facts.outputs]
        numbers = None if any(isinstance(c, Items) for c in inputs) else self._numbers(node, facts, inputs)
        if numbers is not None:
            return [numbers]
        inputs = [c.items if isinstance(c, Numbered) and c.is_same else c for c in inputs]
        is_repeated = node.layer.type in REPEATS_SAME and axis_of_items(facts.outputs[0].shape, self._count)
        if is_repeated or any(isinstance(carried, Items) for carried in inputs):
            return self._by_rule(node, facts, inputs)
        return [SAME if fact.value is not None else COUNTED for fact in facts.outputs]

    def _numbers(self, node: LayerNode, facts: LayerFacts, inputs: list[Carried | None]) -> Numbered | None:
        """The values of a layer that depends on the number of items alone, if they are followed."""
        case = self._case(node, facts, inputs)
        if case is None or node.op is None or node.invocation is None:
            return None
        try:
            return numbers_of_items(case, node.invocation, rule_of(node.op))
        except ItemsMeet:
            return None

    def _inputs(self, node: LayerNode) -> list[Carried | None] | None:
        """What the inputs of a layer carry, None for one that is left out; None if one is not known."""
        inputs: list[Carried | None] = []
        for source in self._analysis.root.wiring.inputs[node.layer.id]:
            value = None if source is None else (source[0].id, source[1])
            if value is not None and value not in self._carried:
                return None
            inputs.append(None if value is None else self._carried[value])
        return inputs

    def _by_rule(self, node: LayerNode, facts: LayerFacts, inputs: list[Carried | None]) -> list[Carried]:
        method = None if node.op is None else rule_of(node.op)
        if method is None:
            raise ItemsMeet("it has no rule that says whether it keeps items apart")
        case = self._case(node, facts, inputs)
        if case is None:
            raise ItemsMeet("the number of its axes depends on values")
        return self._checked(method(case), facts)

    def _case(self, node: LayerNode, facts: LayerFacts, inputs: list[Carried | None]) -> BatchedLayer | None:
        """The layer as rules see it; None where it has no op, or shapes of an unknown rank."""
        op, invocation = node.op, node.invocation
        if op is None or invocation is None:
            return None
        entries = tuple(_entries(named_inputs(op, list(zip(facts.inputs, inputs)))))
        if any(fact.shape.dims is None for fact in (*(entry.fact for entry in entries), *facts.outputs)):
            return None
        attributes = invocation.normal_attributes(facts.inputs)
        used = [index for index in range(len(facts.outputs)) if self._is_read(node.layer.id, index)]
        return BatchedLayer(op.definition, attributes, entries, facts.outputs, self._count, used)

    def _is_read(self, number: int, index: int) -> bool:
        """Whether a layer that is needed reads a value."""
        readers = self._analysis.root.wiring.consumers.get((number, index), ())
        return any(reader.id in self._needed for reader, _ in readers)

    def _checked(self, outputs: list[Carried], facts: LayerFacts) -> list[Carried]:
        """What a rule gives, compared with the inferred shapes. Raises: ItemsMeet"""
        for carried, fact in zip(outputs, facts.outputs, strict=True):
            if isinstance(carried, Items) and not _fits(carried, axis_of_items(fact.shape, self._count)):
                raise ItemsMeet(
                    f"its shape {fact.shape.spelled} is not one of {SYMBOL} along axis {carried.axis}"
                )
        return outputs

    def _refusal(self, node: LayerNode, reason: str) -> Diagnostic:
        place = self._analysis.location(node.layer)
        return Diagnostic(rule("items-meet"), f"{node.layer.type} does not keep items apart: {reason}", place)


def _entries(inputs: Mapping[str, object]) -> Iterator[Input]:
    """The inputs that are given, those of a variadic port one by one."""
    number = 0
    for name, entry in inputs.items():
        several = entry if isinstance(entry, tuple) and entry and isinstance(entry[0], tuple) else (entry,)
        for pair in several:
            if isinstance(pair, tuple):
                fact, carried = pair
                if fact is not None and carried is not None:
                    yield Input(name, number, fact, carried)
            number += 1


def _with_bodies(node: LayerNode) -> Iterator[LayerNode]:
    """A layer, and those of its bodies."""
    yield node
    for body in node.bodies.values():
        for inner in body.graph.order:
            yield from _with_bodies(inner)


def _is_not_repeatable(node: LayerNode) -> bool:
    return node.layer.type in RANDOM or (node.op is not None and node.op.definition.stateful)


def _fits(carried: Items, placed: Items | None) -> bool:
    """Whether the shape of a value has the axis that a rule gives."""
    return placed is not None and (carried.axis, carried.positions) == (placed.axis, placed.positions)
