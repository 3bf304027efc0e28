"""A layer as the rules see it: its inputs by name, with what they carry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet, Numbered, Whole
from irops.spec.definition import Definition
from irops.values.dim import Dim
from irops.values.element import as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape


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
class Case:
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

    def with_items(self) -> Case:
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
