"""A layer as the rules see it: its inputs by name, with what each has to do with the items of a batch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irops.spec.definition import Definition
from irops.values.dim import Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape

# What a tensor has to do with the items of a batch.


class Items(NamedTuple):
    """An axis of the sizes outer, number of items, each, merged to one: [items], [heads*items], [items*rows].

    Item n has the positions n*each to (n+1)*each - 1 of each of the outer parts.
    """

    axis: int
    each: int = 1
    outer: int = 1

    def at(self, axis: int) -> Items:
        """The same along another axis."""
        return self._replace(axis=axis)

    @property
    def positions(self) -> int:
        """How many positions of the axis each item has."""
        return self.each * self.outer


class Whole(Enum):
    """A tensor that does not consist of items.

    SAME: its value does not depend on the batch; COUNTED: it depends on the number of items alone, as the
    sizes of a tensor do.
    """

    SAME = "same"
    COUNTED = "counted"


SAME, COUNTED = Whole.SAME, Whole.COUNTED


@dataclass(frozen=True, eq=False, slots=True)
class Numbered:
    """Integers that are first + n * step for item n. first, step: of the shape of the tensor for one item"""

    items: Items
    first: Array
    step: Array

    @property
    def is_same(self) -> bool:
        """Whether all items have the same values."""
        return not self.step.any()

    def selects_own(self, data: Items) -> bool:
        """Whether the elements, as positions along the axis of data, lie within the item of that number."""
        within = np.all(self.first >= 0) and np.all(self.first < data.each)
        return data.outer == 1 and bool(within and np.all(self.step == data.each))

    def selects_own_tuples(self, data: Items) -> bool:
        """As selects_own, for index tuples along the last axis."""
        length = self.first.shape[-1] if self.first.ndim else 0
        if data.axis >= length or self.items.axis == self.first.ndim - 1:
            return False
        one = Numbered(self.items, self.first[..., data.axis], self.step[..., data.axis])
        others = np.delete(self.step, data.axis, axis=-1)
        return one.selects_own(data) and not others.any()


Carried: TypeAlias = Items | Whole | Numbered


class ItemsMeet(Exception):
    """A layer mixes the items of the batch, or it cannot be proven that it does not; the message says why."""


def items_along(size: Dim, count: Dim) -> int | None:
    """How many positions of an axis each item has; None if the axis does not consist of items.

    size: of the axis; count: the number of items, with a symbol
    """
    symbol, of_count = size.symbol, count.symbol
    if symbol is None or of_count is None or size.known or len(symbol.terms) != 1:
        return None
    ((monomial, each),) = symbol.terms
    ((variable, _),) = of_count.terms
    return each if monomial == variable and each > 0 else None


def axis_of_items(shape: Shape, count: Dim) -> Items | None:
    """The only axis of a shape that consists of items, if all other sizes are numbers."""
    if shape.dims is None:
        return None
    dynamic = [axis for axis, size in enumerate(shape.dims) if not size.known]
    each = items_along(shape.dims[dynamic[0]], count) if len(dynamic) == 1 else None
    return None if each is None else Items(dynamic[0], each)


@dataclass(frozen=True, slots=True)
class Input:
    """An input that is given. name: that of its port; number: its position among all inputs"""

    name: str
    number: int
    fact: Fact
    carried: Carried

    @property
    def rank(self) -> int:
        return len(self.fact.shape)


@dataclass(frozen=True, slots=True)
class BatchedLayer:
    """A layer of which at least one input carries items.

    attributes: by name, with axes counted from 0; count: the number of items, with a symbol; used: the
    indices of the outputs that other layers read
    """

    definition: Definition
    attributes: Mapping[str, Any]
    inputs: Sequence[Input]
    outputs: Sequence[Fact]
    count: Dim
    used: Collection[int]

    def __getitem__(self, name: str) -> Input:
        """The input of a name. Raises: ItemsMeet if it is not given, so that a rule is never guessed"""
        for entry in self.inputs:
            if entry.name == name:
                return entry
        raise ItemsMeet(f"it has no input {name}")

    def has(self, name: str) -> bool:
        """Whether an optional input is given."""
        return any(entry.name == name for entry in self.inputs)

    def with_items(self) -> BatchedLayer:
        """The layer as if indices made of the numbers of items were data of items."""
        entries = [
            replace(entry, carried=entry.carried.items) if isinstance(entry.carried, Numbered) else entry
            for entry in self.inputs
        ]
        return replace(self, inputs=entries)

    @property
    def batched(self) -> Iterator[tuple[Input, Items]]:
        """The inputs that carry items."""
        for entry in self.inputs:
            if isinstance(entry.carried, Items):
                yield entry, entry.carried

    @property
    def output(self) -> Shape:
        """The shape of the first output."""
        return self.outputs[0].shape

    def items(self, name: str) -> Items:
        """The axis of an input that carries items. Raises: ItemsMeet if there is none"""
        carried = self[name].carried
        if not isinstance(carried, Items):
            raise ItemsMeet(f"input {name!r} does not consist of items, while another input does")
        return carried

    def only(self, *names: str) -> None:
        """Require that no other inputs depend on the batch. Raises: ItemsMeet"""
        for entry in self.inputs:
            if entry.name not in names and entry.carried is not SAME:
                raise ItemsMeet(f"input {entry.name!r} depends on {_what(entry.carried)}")

    def numbers(self, name: str, default: Iterable[int] | None = None) -> tuple[int, ...]:
        """The elements of an input of integers that do not depend on the batch. Raises: ItemsMeet"""
        if default is not None and not self.has(name):
            return tuple(default)
        entry = self[name]
        value = entry.fact.value if entry.carried is SAME else None
        if value is None:
            raise ItemsMeet(f"the value of input {name!r} is not constant")
        return tuple(as_i64(value).ravel().tolist())

    def dims(self, name: str) -> tuple[Dim, ...]:
        """The elements of an input of integers, as far as they are known. Raises: ItemsMeet"""
        dims = self[name].fact.dims if isinstance(self[name].carried, Whole) else None
        if dims is None:
            raise ItemsMeet(f"the value of input {name!r} is not known")
        return dims

    def axes(self, name: str, rank: int, default: Iterable[int] | None = None) -> frozenset[int]:
        """Axes that an input names, counted from 0."""
        return frozenset(axis % max(rank, 1) for axis in self.numbers(name, default))

    def all_outputs(self, items: Items) -> list[Carried]:
        """The same for each output."""
        return [items] * len(self.outputs)


def _what(carried: Carried) -> str:
    return "the items" if isinstance(carried, Items) else "the number of items"


def apart(items: Items, axes: Iterable[int], what: str) -> Items:
    """The items, if none of these axes is theirs. Raises: ItemsMeet"""
    if items.axis in axes:
        raise ItemsMeet(f"{what} axis {items.axis}, which carries the batch")
    return items
