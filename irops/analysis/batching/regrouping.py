"""Reshape and its relatives, Broadcast, Tile and Transpose: where the axis of the batch goes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet, axis_of_items
from irops.analysis.batching.case import Case
from irops.values.dim import Dim


def regrouped(case: Case) -> list[Carried]:
    """Reshape, Squeeze, Unsqueeze: elements keep their order, so what is before and after the items in that
    order is divided among the axes before and after that of the batch, and this axis.

    The pattern may depend on the number of items: only the shape follows from it.
    """
    items = case.items("data")
    before, after = case["data"].fact.shape, case.output
    placed = axis_of_items(after, case.count)
    if placed is None:
        raise ItemsMeet(f"its shape {after.spelled} has no axis of items")
    outside = _product(before[: items.axis]) * items.outer
    inside = _product(before[items.axis + 1 :]) * items.each
    outer, each = _product(after[: placed.axis]), _product(after[placed.axis + 1 :])
    if not outer or not each or outside % outer or inside % each:
        raise ItemsMeet(f"its shape {after.spelled} takes the elements of {before.spelled} apart")
    return [Items(placed.axis, inside // each, outside // outer)]


def _product(sizes: Iterable[Dim]) -> int:
    return int(reduce(lambda a, b: a * b, sizes, Dim.of(1)))


def transposed(case: Case) -> list[Carried]:
    case.only("arg")
    items = case.items("arg")
    order = case.numbers("input_order") or tuple(range(case["arg"].rank))[::-1]
    return [items.at(order.index(items.axis))]


def broadcast(case: Case) -> list[Carried]:
    """Broadcast: data of items keeps them; the same data for each item may be repeated for all items."""
    data = case["data"]
    rank = len(case.output)
    mapped: Iterable[int] = range(rank - data.rank, rank)
    if case.has("axes_mapping") and case.attributes["mode"] == "explicit":
        mapped = case.numbers("axes_mapping")
    placed = _repeated(case, tuple(mapped))
    if data.carried is SAME and placed.axis in mapped:
        at = tuple(mapped).index(placed.axis)
        if data.fact.shape[at] != 1:
            raise ItemsMeet("its data has several elements along the batch")
    return [placed]


def tiled(case: Case) -> list[Carried]:
    """Tile: as Broadcast, with numbers of copies; the same data for each item may have several elements."""
    data = case["data"]
    rank = len(case.output)
    start = rank - data.rank
    repeats = case.dims("repeats")
    if isinstance(data.carried, Items) and repeats[data.carried.axis + len(repeats) - data.rank] != 1:
        raise ItemsMeet("it repeats the batch")
    return [_repeated(case, tuple(range(start, rank)))]


def _repeated(case: Case, mapped: tuple[int, ...]) -> Items:
    """The axis of items of the output. mapped: the axis of the output for each axis of data"""
    data, placed = case["data"], axis_of_items(case.output, case.count)
    if placed is None:
        raise ItemsMeet(f"its shape {case.output.spelled} has no axis of items")
    if isinstance(data.carried, Items):
        return data.carried.at(mapped[data.carried.axis])
    if data.carried is not SAME:
        raise ItemsMeet("input 'data' depends on the number of items")
    return placed
