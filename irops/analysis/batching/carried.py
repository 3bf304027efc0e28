"""What a tensor has to do with the items of a batch."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypeAlias

from irops.values.dim import Dim
from irops.values.shape import Shape


class Items(NamedTuple):
    """The items lie one after the other along an axis: item n has positions n*each to (n+1)*each - 1."""

    axis: int
    each: int = 1


class Whole(Enum):
    """A tensor that does not consist of items.

    SAME: its value does not depend on the batch; COUNTED: it depends on the number of items alone, as the
    sizes of a tensor do.
    """

    SAME = "same"
    COUNTED = "counted"


SAME, COUNTED = Whole.SAME, Whole.COUNTED
Carried: TypeAlias = Items | Whole


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
