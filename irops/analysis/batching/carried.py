"""What a tensor has to do with the items of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

import numpy as np

from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.shape import Shape


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
