"""Slices: items do not meet where the whole axis of the batch is taken."""

from __future__ import annotations

from collections.abc import Sequence

from irops.analysis.batching.carried import Carried, Items, ItemsMeet
from irops.analysis.batching.case import Case
from irops.ops.movement.strided_slice import bit, masked, parts
from irops.values.dim import Dim

Bounds = tuple[Dim, Dim, Dim]
"""Start, stop and step."""
PART = "it takes a part of the batch"
VARIABLE = "the bounds of its slices are not constant"


def sliced(case: Case) -> list[Carried]:
    """Slice takes all of the batch, and slices other axes independently of it."""
    _require_slices(case, case.items("data"), ("data",))
    return [case.items("data")]


def scattered_slice(case: Case) -> list[Carried]:
    """SliceScatter writes updates of the same items to the slice."""
    items = case.items("data")
    _require_slices(case, items, ("data", "updates"))
    if case["updates"].carried != items:
        raise ItemsMeet("the updates are not those of the items")
    return [items]


def _require_slices(case: Case, items: Items, names: Sequence[str]) -> None:
    case.only(*names, "start", "stop", "step")
    rank, size = case["data"].rank, case["data"].fact.shape[items.axis]
    starts, stops, steps = (case.dims(name) for name in ("start", "stop", "step"))
    axes = case.numbers("axes", range(len(starts)))
    for axis, *bounds in zip(axes, starts, stops, steps):
        if axis % rank == items.axis:
            _require_all(size, *bounds)
        else:
            _require_constant(*bounds)


def _require_all(size: Dim, start: Dim, stop: Dim, step: Dim) -> None:
    """Require that a slice takes each element in order."""
    if not (start == 0 and step == 1) or stop < size:
        raise ItemsMeet(PART)


def _require_constant(*bounds: Dim) -> None:
    if not all(bound.known for bound in bounds):
        raise ItemsMeet(VARIABLE)


def sliced_by_masks(case: Case) -> list[Carried]:
    """StridedSlice, whose masks add axes and drop them."""
    case.only("data", "begin", "end", "stride")
    items = case.items("data")
    attributes, rank = case.attributes, case["data"].rank
    bounds = _bounds(case)
    masks = [attributes[f"{name}_mask"] for name in ("new_axis", "shrink_axis", "ellipsis")]
    read, placed, result = 0, 0, -1
    for kind, number in parts(len(bounds), rank, *masks):
        is_batch = kind != "new" and read == items.axis
        if is_batch:
            result = placed
        if kind in ("slice", "shrink"):
            flags = (bit(attributes["begin_mask"], number), bit(attributes["end_mask"], number))
            _require_part(kind, case["data"].fact.shape[read], masked(*bounds[number], *flags), is_batch)
        read += kind != "new"
        placed += kind != "shrink"
    return [items.at(result)]


def _require_part(kind: str, size: Dim, bounds: Bounds, is_batch: bool) -> None:
    if is_batch and kind == "shrink":
        raise ItemsMeet("it takes one item")
    if is_batch:
        _require_all(size, *bounds)
    elif kind == "shrink":
        _require_constant(bounds[0])
    else:
        _require_constant(*bounds)


def _bounds(case: Case) -> list[Bounds]:
    begins, ends = case.dims("begin"), case.dims("end")
    steps = case.dims("stride") if case.has("stride") else (Dim.of(1),) * len(begins)
    return list(zip(begins, ends, steps, strict=True))
