"""Elementwise ops, with broadcasting: an item meets only itself if the axes of the batch are aligned."""

from __future__ import annotations

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet
from irops.analysis.batching.case import Case, Input


def elementwise(case: Case) -> list[Carried]:
    """Ops on elements at equal positions of all inputs, which are broadcast as auto_broadcast specifies."""
    rank = len(case.output)
    places = {items.at(items.axis + _start(case, entry, rank)) for entry, items in case.batched}
    if len(places) != 1:
        raise ItemsMeet("the axes that carry the batch are not aligned")
    (place,) = places
    for entry in case.inputs:
        if not isinstance(entry.carried, Items):
            require_broadcast(entry, place.axis - _start(case, entry, rank))
    return case.all_outputs(place)


def _start(case: Case, entry: Input, rank: int) -> int:
    """The axis of the output with which the first axis of an input is aligned."""
    if case.attributes.get("auto_broadcast") != "pdpd":
        return rank - entry.rank
    if len(case.inputs) > 2:
        raise ItemsMeet("how it broadcasts is not covered")
    axis: int = case.attributes["auto_broadcast.auto_broadcast_axis"]
    return axis if entry.number and axis != -1 else rank - entry.rank


def require_broadcast(entry: Input, axis: int) -> None:
    """Require that an input that is no batch is the same for each item.

    axis: of the input, aligned with that of the batch; negative if it has no such axis
    Raises:  ItemsMeet
    """
    if entry.carried is not SAME:
        raise ItemsMeet(f"input {entry.name!r} depends on the number of items")
    if 0 <= axis < entry.rank and entry.fact.shape[axis] != 1:
        raise ItemsMeet(f"input {entry.name!r} has {entry.fact.shape[axis]} elements along the batch")


def convert_like(case: Case) -> list[Carried]:
    """ConvertLike reads only the element type of its second input."""
    return [case["data"].carried]


def promoted(case: Case) -> list[Carried]:
    """ConvertPromoteTypes converts each input by itself."""
    return [entry.carried for entry in case.inputs]


def bucketize(case: Case) -> list[Carried]:
    case.only("data")
    return case.all_outputs(case.items("data"))


def prelu(case: Case) -> list[Carried]:
    """PReLU: a slope of rank 1 may belong to the channels, axis 1, or to the last axis."""
    case.only("data")
    data, slope = case["data"], case["slope"]
    items = case.items("data")
    if slope.fact.shape.size != 1 and slope.rank == 1 and items.axis in (1, data.rank - 1):
        raise ItemsMeet("slope has several elements along the batch")
    if slope.rank > 1:
        require_broadcast(slope, items.axis - (data.rank - slope.rank))
    return [items]


def sorted_search(case: Case) -> list[Carried]:
    """SearchSorted: the sequences lie along the last axis; one of rank 1 serves all values."""
    sequence, values = case["sorted_sequence"], case["values"]
    items = case.items("values")
    if sequence.carried is SAME and sequence.rank == 1 and values.rank > 0:
        return [items]
    if sequence.carried != items or sequence.rank != values.rank or items.axis == values.rank - 1:
        raise ItemsMeet("the items are not those of the sequences")
    return [items]
