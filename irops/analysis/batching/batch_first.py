"""Ops that define the first axis of their data as that of the batch."""

from __future__ import annotations

from collections.abc import Callable

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet
from irops.analysis.batching.case import Case


def batch_first(*names: str) -> Callable[[Case], list[Carried]]:
    """The rule of an op whose inputs of these names, as far as they are given, have the batch as first axis.
    All other inputs are the same for each item.
    """

    def rule(case: Case) -> list[Carried]:
        case.only(*names)
        carried = {case[name].carried for name in names if case.has(name)}
        if len(carried) != 1:
            raise ItemsMeet(f"not all of {', '.join(names)} carry the batch along axis 0")
        (items,) = carried
        if not isinstance(items, Items) or items.axis:
            raise ItemsMeet("the batch is not carried by axis 0 of its data")
        return case.all_outputs(items)

    return rule


def pooled(case: Case) -> list[Carried]:
    """MaxPool: the second output counts positions from an axis on, over the batch too if that is axis 0."""
    if case.attributes.get("axis") == 0 and 1 in case.used:
        raise ItemsMeet("its indices count the positions of all items")
    return batch_first("data")(case)


def interpolated(case: Case) -> list[Carried]:
    """Interpolate: along axes given by an input, by default along all of them; padding along each axis."""
    image = case["image"]
    items = case.items("image")
    axes = case.attributes.get("axes")
    if axes is None:
        axes = case.numbers("axes", range(image.rank))
    if items.axis in [axis % image.rank for axis in axes]:
        raise ItemsMeet(f"it resizes axis {items.axis}, which carries the batch")
    case.only("image")
    for name in ("pads_begin", "pads_end"):
        pads = case.attributes.get(name) or ()
        if items.axis < len(pads) and pads[items.axis]:
            raise ItemsMeet("it pads the batch")
    return [items]


def optional_batch(rank: int, name: str = "data") -> Callable[[Case], list[Carried]]:
    """The rule of an op whose data has the batch as first axis only if it has that many axes."""

    def rule(case: Case) -> list[Carried]:
        if case[name].rank != rank:
            raise ItemsMeet("its data has no axis for a batch")
        return batch_first(name)(case)

    return rule


def packed_bags(case: Case) -> list[Carried]:
    """EmbeddingBagPacked: each row of indices is a bag."""
    case.only("indices", "per_sample_weights")
    items = case.items("indices")
    weights = case["per_sample_weights"].carried if case.has("per_sample_weights") else items
    if items.axis or weights != items:
        raise ItemsMeet("the items are not the rows of the indices")
    return [items]


def recurrent(case: Case) -> list[Carried]:
    """Cells and sequences: data, states and lengths have the batch as first axis; weights are shared."""
    shared = ("W", "R", "B", "P")
    for entry in case.inputs:
        expected = SAME if entry.name in shared else case.items("X").at(0)
        if entry.carried != expected:
            raise ItemsMeet(f"input {entry.name!r} does not carry the batch as the data does")
    return case.all_outputs(case.items("X"))
