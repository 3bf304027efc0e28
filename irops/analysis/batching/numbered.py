"""Indices made of the number of an item, such as item * length + position: what a value is for each item.

Exported models address elements of a batch by such indices: a Range over all elements, sliced and reshaped,
or a Range over the items, multiplied by the size of one and added to positions within it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from irops.analysis.batching.carried import COUNTED, SAME, Items, Numbered, axis_of_items
from irops.analysis.batching.case import Case, Input
from irops.analysis.batching.rules import Rule
from irops.invocation import Invocation
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import MAX_DIM, Shape

MAX_EXACT = 1 << 24
"""Integers below this number are exact in f32."""
MAX_ELEMENTS = 1 << 20
"""Larger tensors of indices, counted for one item, are not followed."""
SUMS = frozenset({"Add", "Subtract"})
SAME_ELEMENTS = frozenset({"Convert", "ConvertLike", "Reshape", "Squeeze", "Unsqueeze"})
MOVES = frozenset({"Transpose", "Concat", "Gather", "Slice", "StridedSlice", "Split", "VariadicSplit"})
MOVED = frozenset({"data", "arg", "inputs"})
"""The inputs of these ops whose elements are moved."""


def numbers_of_items(case: Case, invocation: Invocation, method: Rule | None) -> Numbered | None:
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


def _range(case: Case, items: Items) -> Numbered | None:
    start, step = (case[name].fact.value for name in ("start", "step"))
    if start is None or step is None or not all(as_i64(n) == n for n in (start, step)):
        return None
    first = int(start) + int(step) * np.arange(items.each, dtype=np.int64)
    return Numbered(items, first, np.full(items.each, items.each * int(step), np.int64))


def _broadcast(case: Case, items: Items, one: tuple[int, ...]) -> Numbered | None:
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


def _moved(case: Case, invocation: Invocation, items: Items) -> Numbered | None:
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
