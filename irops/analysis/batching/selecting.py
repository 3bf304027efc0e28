"""Gathering and scattering by index."""

from __future__ import annotations

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet
from irops.analysis.batching.case import Case, apart


def gathered(case: Case) -> list[Carried]:
    """Gather: from data of items along another axis, by the same indices; by indices of items from data that
    is the same for each; or from each item by its own indices, with batch_dims.
    """
    case.only("data", "indices")
    data, indices = case["data"], case["indices"]
    (axis,) = case.axes("axis", data.rank)
    shared = case.attributes.get("batch_dims", 0)
    shared += indices.rank if shared < 0 else 0
    if isinstance(data.carried, Items) and isinstance(indices.carried, Items):
        if data.carried != indices.carried or data.carried.axis >= shared:
            raise ItemsMeet("data and indices do not carry the batch along a common axis of batch_dims")
        return [data.carried]
    if isinstance(data.carried, Items):
        items = apart(data.carried, [*range(shared), axis], "it gathers along")
        behind = items.axis > axis
        return [Items(items.axis + (indices.rank - shared - 1 if behind else 0), items.each)]
    items = case.items("indices")
    if items.axis < shared:
        raise ItemsMeet("the indices of each item have their own data")
    return [Items(axis + items.axis - shared, items.each)]


def gathered_elements(case: Case) -> list[Carried]:
    """GatherElements: data and indices of the same item, along another axis."""
    case.only("data", "indices")
    items = apart(case.items("indices"), [case.attributes["axis"]], "it gathers along")
    if case["data"].carried != items:
        raise ItemsMeet("data and indices do not carry the batch along the same axis")
    return [items]


def gathered_tuples(case: Case) -> list[Carried]:
    """GatherND: by index tuples of items from data that is the same for each, or from each item by its own
    tuples, with batch_dims.
    """
    case.only("data", "indices")
    indices, shared = case["indices"], case.attributes["batch_dims"]
    items = apart(case.items("indices"), [indices.rank - 1], "it takes the tuples from")
    if shared == 0 and case["data"].carried is SAME:
        return [items]
    if case["data"].carried != items or items.axis or not shared:
        raise ItemsMeet("data and indices do not carry the batch along the first axis of batch_dims")
    if len(case.output) == indices.rank - 1 + _sliced(case):
        return [items]
    return [Items(0, items.each * _merged(case, shared))]


def _sliced(case: Case) -> int:
    """How many axes of data are not indexed."""
    length = int(case["indices"].fact.shape[-1])
    return case["data"].rank - case.attributes["batch_dims"] - length


def _merged(case: Case, shared: int) -> int:
    """How many positions the batch axes after the first have together, where GatherND-5 flattens them."""
    number = 1
    for size in case["data"].fact.shape[1:shared]:
        number *= int(size)
    return number


def scattered_elements(case: Case) -> list[Carried]:
    """ScatterElementsUpdate: data, indices and updates of the same item, along another axis."""
    case.only("data", "indices", "updates")
    (axis,) = case.axes("axis", case["data"].rank)
    items = apart(case.items("data"), [axis], "it writes along")
    if case["indices"].carried != items or case["updates"].carried != items:
        raise ItemsMeet("data, indices and updates do not carry the batch along the same axis")
    return [items]


def scattered(case: Case) -> list[Carried]:
    """ScatterUpdate: slices of each item, at the same indices."""
    case.only("data", "updates")
    (axis,) = case.axes("axis", case["data"].rank)
    items = apart(case.items("data"), [axis], "it writes along")
    behind = items.axis > axis
    place = items.axis + (case["indices"].rank - 1 if behind else 0)
    if case["updates"].carried != Items(place, items.each):
        raise ItemsMeet("the updates are not those of the items")
    return [items]


def scattered_tuples(case: Case) -> list[Carried]:
    """ScatterNDUpdate: the same tuples for each item, which index axes before that of the batch."""
    case.only("data", "updates")
    items = case.items("data")
    indices = case["indices"].fact.shape
    length = int(indices[-1])
    if items.axis < length:
        raise ItemsMeet(f"it writes along axis {items.axis}, which carries the batch")
    place = len(indices) - 1 + items.axis - length
    if case["updates"].carried != Items(place, items.each):
        raise ItemsMeet("the updates are not those of the items")
    return [items]
