"""Gathering and scattering by index."""

from __future__ import annotations

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet, Numbered
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
    if isinstance(indices.carried, Numbered):
        return [_own_gathered(data.carried, indices.carried, axis, shared)]
    if isinstance(data.carried, Items) and isinstance(indices.carried, Items):
        if data.carried != indices.carried or data.carried.axis >= shared:
            raise ItemsMeet("data and indices do not carry the batch along a common axis of batch_dims")
        return [data.carried]
    if isinstance(data.carried, Items):
        items = apart(data.carried, [*range(shared), axis], "it gathers along")
        behind = items.axis > axis
        return [items.at(items.axis + (indices.rank - shared - 1 if behind else 0))]
    items = case.items("indices")
    if items.axis < shared:
        raise ItemsMeet("the indices of each item have their own data")
    return [items.at(axis + items.axis - shared)]


def _own_gathered(data: Carried, indices: Numbered, axis: int, shared: int) -> Items:
    if shared or not isinstance(data, Items) or data.axis != axis or not indices.selects_own(data):
        raise ItemsMeet("its indices select elements by the number of the item")
    return indices.items.at(axis + indices.items.axis)


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
    if isinstance(indices.carried, Numbered):
        return [_own_tuples(case, indices.carried, shared)]
    items = apart(case.items("indices"), [indices.rank - 1], "it takes the tuples from")
    if shared == 0 and case["data"].carried is SAME:
        return [items]
    if case["data"].carried != items or items.axis or not shared:
        raise ItemsMeet("data and indices do not carry the batch along the first axis of batch_dims")
    if len(case.output) == indices.rank - 1 + _sliced(case):
        return [items]
    return [items._replace(each=items.each * _merged(case, shared))]


def _own_tuples(case: Case, indices: Numbered, shared: int) -> Items:
    data = case["data"].carried
    if shared or not isinstance(data, Items) or not indices.selects_own_tuples(data):
        raise ItemsMeet("its indices select elements by the number of the item")
    return indices.items


def _sliced(case: Case) -> int:
    """How many axes of data are not indexed."""
    length = int(case["indices"].fact.shape[-1])
    shared: int = case.attributes["batch_dims"]
    return case["data"].rank - shared - length


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
    if case["updates"].carried != items.at(place):
        raise ItemsMeet("the updates are not those of the items")
    return [items]


def scattered_tuples(case: Case) -> list[Carried]:
    """ScatterNDUpdate: the same tuples for each item, which index axes before that of the batch, or tuples
    with the number of the item.
    """
    case.only("data", "indices", "updates")
    items = case.items("data")
    carried = case["indices"].carried
    if isinstance(carried, Numbered):
        if not carried.selects_own_tuples(items) or case["updates"].carried != carried.items:
            raise ItemsMeet("it writes to elements by the number of the item")
        return [items]
    case.only("data", "updates")
    indices = case["indices"].fact.shape
    length = int(indices[-1])
    if items.axis < length:
        raise ItemsMeet(f"it writes along axis {items.axis}, which carries the batch")
    place = len(indices) - 1 + items.axis - length
    if case["updates"].carried != items.at(place):
        raise ItemsMeet("the updates are not those of the items")
    return [items]
