"""Reshape and its relatives, Broadcast, Tile and Transpose: where the axis of the batch goes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet, axis_of_items
from irops.analysis.batching.case import Case
from irops.values.dim import Dim


def regrouped(case: Case) -> list[Carried]:
    """Reshape, Squeeze, Unsqueeze: elements keep their order, so items stay together where the axes before
    that of the batch have as many elements as before, and its new size is a multiple of their number.

    The pattern may depend on the number of items: only the shape follows from it.
    """
    axis, each = case.items("data")
    before = case["data"].fact.shape
    after = case.output
    placed = axis_of_items(after, case.count)
    if placed is None:
        raise ItemsMeet(f"its shape {after.spelled} has no axis of items")
    outer = _product(before[:axis]) == _product(after[: placed.axis])
    inner = _product(before[axis + 1 :]) * each == _product(after[placed.axis + 1 :]) * placed.each
    if not (outer and inner):
        raise ItemsMeet(f"it merges {before.spelled} to {after.spelled}, where items are not in sequence")
    return [placed]


def _product(sizes: Iterable[Dim]) -> int:
    return int(reduce(lambda a, b: a * b, sizes, Dim.of(1)))


def transposed(case: Case) -> list[Carried]:
    case.only("arg")
    axis, each = case.items("arg")
    order = case.numbers("input_order") or tuple(range(case["arg"].rank))[::-1]
    return [Items(order.index(axis), each)]


def broadcast(case: Case) -> list[Carried]:
    """Broadcast: data of items keeps them; the same data for each item may be repeated for all items."""
    data = case["data"]
    rank = len(case.output)
    mapped: Iterable[int] = range(rank - data.rank, rank)
    if case.has("axes_mapping") and case.attributes["mode"] == "explicit":
        mapped = case.numbers("axes_mapping")
    return [_repeated(case, tuple(mapped))]


def tiled(case: Case) -> list[Carried]:
    """Tile: as Broadcast, with numbers of copies; each copy of an item lies beside the copies of others."""
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
        if Items(mapped[data.carried.axis], data.carried.each) != placed:
            raise ItemsMeet("it moves the items to another axis")
    elif data.carried is not SAME:
        raise ItemsMeet("input 'data' depends on the number of items")
    elif placed.axis in mapped and data.fact.shape[mapped.index(placed.axis)] != 1:
        raise ItemsMeet("its data has several elements along the batch")
    return placed
