"""Ops along axes: items do not meet where the axis of the batch is none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from irops.analysis.batching.carried import SAME, Carried, Items, ItemsMeet
from irops.analysis.batching.case import Case, apart

Axes = Callable[[Case, int], Iterable[int]]
"""The axes along which a layer works. Takes the rank of its data."""


def along(axes: Axes, data: str = "data") -> Callable[[Case], list[Carried]]:
    """The rule of an op that keeps the axes of its data and works along some of them."""

    def rule(case: Case) -> list[Carried]:
        case.only(data)
        entry = case[data]
        return case.all_outputs(apart(case.items(data), axes(case, entry.rank), "it works along"))

    return rule


def attribute(name: str = "axis") -> Axes:
    """The axes of an attribute, one number or several."""

    def axes(case: Case, rank: int) -> Iterable[int]:
        value = case.attributes[name]
        return [axis % rank for axis in ([value] if isinstance(value, int) else value)]

    return axes


def named(name: str = "axes", default: Iterable[int] | None = None) -> Axes:
    """The axes of an input."""
    return lambda case, rank: case.axes(name, rank, default)


def channels(case: Case, rank: int) -> Iterable[int]:  # noqa: ARG001
    """Axis 1."""
    return (1,)


def reversed_axes(case: Case, rank: int) -> Iterable[int]:
    """Reverse: axes by number, or by a mask."""
    if case.attributes["mode"] == "mask":
        return [axis for axis, flag in enumerate(case.numbers("axes")) if flag]
    return case.axes("axes", rank)


def spatial_mvn_axes(case: Case, rank: int) -> Iterable[int]:
    """MVN-2: reduction_axes, or all from the channels or from the axis after them."""
    stated = [axis % rank for axis in case.attributes.get("reduction_axes") or ()]
    return stated or range(1 if case.attributes["across_channels"] else 2, rank)


def fourier_axes(case: Case, rank: int) -> Iterable[int]:
    """Fourier transforms: negative axes count from the end with or without the axis of complex numbers,
    depending on the op, so both are taken; that axis is the last one.
    """
    numbers = case.numbers("axes")
    return {*(n % rank for n in numbers), *(n % max(rank - 1, 1) for n in numbers), rank - 1}


def real_fourier_axes(case: Case, rank: int) -> Iterable[int]:
    """RDFT, whose data has no axis of complex numbers."""
    return case.axes("axes", rank)


def reduced(case: Case) -> list[Carried]:
    """Reductions: without keep_dims, the axes of the batch moves by those that are removed before it."""
    case.only("data")
    axes = case.axes("axes", case["data"].rank)
    items = apart(case.items("data"), axes, "it reduces")
    before = 0 if case.attributes["keep_dims"] else sum(axis < items.axis for axis in axes)
    return [items.at(items.axis - before)]


def concatenated(case: Case) -> list[Carried]:
    """Concat: all inputs carry the batch along the same axis, which is not that of the concatenation."""
    carried = {entry.carried for entry in case.inputs}
    if len(carried) != 1:
        raise ItemsMeet("not all inputs carry the batch along the same axis")
    (items,) = carried
    assert isinstance(items, Items)
    return [apart(items, attribute()(case, case["inputs"].rank), "it concatenates along")]


def reversed_sequences(case: Case) -> list[Carried]:
    """ReverseSequence: one length for each position of batch_axis."""
    case.only("data", "seq_lengths")
    items = apart(case.items("data"), [case.attributes["seq_axis"]], "it reverses")
    lengths = case["seq_lengths"].carried
    if lengths != (items.at(0) if case.attributes["batch_axis"] == items.axis else SAME):
        raise ItemsMeet("the lengths are not those of the items")
    return [items]


def one_hot(case: Case) -> list[Carried]:
    """OneHot inserts an axis."""
    case.only("indices")
    items = case.items("indices")
    inserted = case.attributes["axis"] % len(case.output)
    return [items.at(items.axis + (inserted <= items.axis))]


def padded(case: Case) -> list[Carried]:
    """Pad adds nothing along the batch."""
    case.only("data")
    items = case.items("data")
    if case.numbers("pads_begin")[items.axis] or case.numbers("pads_end")[items.axis]:
        raise ItemsMeet("it pads the batch")
    return [items]


def region(case: Case) -> list[Carried]:
    """RegionYolo: axis 0 is the batch."""
    case.only("data")
    first = case.attributes["axis"] if case.attributes["do_softmax"] else 1
    items = case.items("data")
    if items.axis or first < 1:
        raise ItemsMeet("it works on the axis that carries the batch")
    return [items]


def inverse(case: Case) -> list[Carried]:
    """Inverse: of the matrices of the last two axes."""
    rank = case["data"].rank
    return [apart(case.items("data"), (rank - 2, rank - 1), "it inverts matrices along")]
