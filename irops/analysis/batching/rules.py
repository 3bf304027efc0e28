"""The rule of each op: the families of ops, by type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from types import MappingProxyType
from typing import TypeAlias

from irops.analysis.batching.case import (
    SAME,
    BatchedLayer,
    Carried,
    Input,
    Items,
    ItemsMeet,
    Numbered,
    apart,
    axis_of_items,
)
from irops.ops.matrix.einsum import ELLIPSIS, equation_of
from irops.ops.movement.slicing import bit, masked, parts
from irops.spec.definition import Definition
from irops.spec.op import Op
from irops.values.dim import Dim

# Elementwise ops, with broadcasting: an item meets only itself if the axes of the batch are aligned.


def elementwise(case: BatchedLayer) -> list[Carried]:
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


def _start(case: BatchedLayer, entry: Input, rank: int) -> int:
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


def convert_like(case: BatchedLayer) -> list[Carried]:
    """ConvertLike reads only the element type of its second input."""
    return [case["data"].carried]


def promoted(case: BatchedLayer) -> list[Carried]:
    """ConvertPromoteTypes converts each input by itself."""
    return [entry.carried for entry in case.inputs]


def bucketize(case: BatchedLayer) -> list[Carried]:
    case.only("data")
    return case.all_outputs(case.items("data"))


def prelu(case: BatchedLayer) -> list[Carried]:
    """PReLU: a slope of rank 1 may belong to the channels, axis 1, or to the last axis."""
    case.only("data")
    data, slope = case["data"], case["slope"]
    items = case.items("data")
    if slope.fact.shape.size != 1 and slope.rank == 1 and items.axis in (1, data.rank - 1):
        raise ItemsMeet("slope has several elements along the batch")
    if slope.rank > 1:
        require_broadcast(slope, items.axis - (data.rank - slope.rank))
    return [items]


def sorted_search(case: BatchedLayer) -> list[Carried]:
    """SearchSorted: the sequences lie along the last axis; one of rank 1 serves all values."""
    sequence, values = case["sorted_sequence"], case["values"]
    items = case.items("values")
    if sequence.carried is SAME and sequence.rank == 1 and values.rank > 0:
        return [items]
    if sequence.carried != items or sequence.rank != values.rank or items.axis == values.rank - 1:
        raise ItemsMeet("the items are not those of the sequences")
    return [items]


# Matrix products: items do not meet where the axis of the batch is not summed over.

SUMMED = "it sums over the axis that carries the batch"


def mat_mul(case: BatchedLayer) -> list[Carried]:
    """MatMul: the batch is among the leading axes of both operands, among the rows of a, or among the columns
    of b.
    """
    a, b = case["a"], case["b"]
    rank = max(a.rank, b.rank, 2)
    places = {
        _place(a, rank, case.attributes["transpose_a"], rank - 2),
        _place(b, rank, case.attributes["transpose_b"], rank - 1),
    } - {None}
    if len(places) != 1:
        raise ItemsMeet("the axes that carry the batch are not aligned")
    (place,) = places
    assert place is not None
    for entry in (a, b):
        if not isinstance(entry.carried, Items):
            stacked = place.axis if place.axis < rank - 2 else -1
            require_broadcast(entry, stacked - (rank - entry.rank))
    dropped = (a.rank == 1 and place.axis > rank - 2) + 0
    return [place.at(place.axis - dropped)]


def _place(operand: Input, rank: int, is_transposed: bool, kept: int) -> Items | None:
    """The axis of the product, with all axes, that the items of an operand have; None without items.

    kept: the axis of the product that the operand gives: its rows, or its columns
    """
    if not isinstance(operand.carried, Items):
        return None
    items = operand.carried
    if operand.rank == 1:
        raise ItemsMeet(SUMMED)
    from_end = operand.rank - 1 - items.axis
    if from_end > 1:
        return items.at(rank - 1 - from_end)
    if is_transposed:
        from_end = 1 - from_end
    if rank - 1 - from_end != kept:
        raise ItemsMeet(SUMMED)
    return items.at(kept)


def einsum(case: BatchedLayer) -> list[Carried]:
    """Einsum: one label for the batch, wherever it occurs, and in the output."""
    equation = equation_of(case.attributes["equation"])
    if any(ELLIPSIS in labels for labels in (*equation.inputs, equation.output)):
        raise ItemsMeet("its equation has an ellipsis, which is not covered")
    named = [
        (labels, entry, entry.carried)
        for labels, entry in zip(equation.inputs, case.inputs)
        if isinstance(entry.carried, Items)
    ]
    batch = {(labels[items.axis], items.at(0)) for labels, _, items in named}
    if len(batch) != 1:
        raise ItemsMeet("the axes that carry the batch have different labels")
    ((label, items),) = batch
    for labels, entry in zip(equation.inputs, case.inputs):
        if labels.count(label) > 1 or (label in labels) != isinstance(entry.carried, Items):
            raise ItemsMeet(f"the label {label!r} of the batch is also that of other axes")
        if not isinstance(entry.carried, Items) and entry.carried is not SAME:
            raise ItemsMeet(f"input {entry.number} depends on the number of items")
    if label not in equation.output:
        raise ItemsMeet(SUMMED)
    return [items.at(equation.output.index(label))]


def attention(case: BatchedLayer) -> list[Carried]:
    """ScaledDotProductAttention: the batch is a leading axis of all that carry it."""
    rank = len(case.output)
    case.items("query")
    places = {items.at(items.axis + rank - entry.rank) for entry, items in case.batched}
    if len(places) != 1:
        raise ItemsMeet("the axes that carry the batch are not aligned")
    (place,) = places
    if place.axis >= rank - 2:
        raise ItemsMeet("its positions attend to each other along the axis that carries the batch")
    for entry in case.inputs:
        if not isinstance(entry.carried, Items):
            require_broadcast(entry, place.axis - (rank - entry.rank))
    return [place]


# Ops along axes: items do not meet where the axis of the batch is none of them.

Axes = Callable[[BatchedLayer, int], Iterable[int]]
"""The axes along which a layer works. Takes the rank of its data."""


def along(axes: Axes, data: str = "data") -> Callable[[BatchedLayer], list[Carried]]:
    """The rule of an op that keeps the axes of its data and works along some of them."""

    def rule(case: BatchedLayer) -> list[Carried]:
        case.only(data)
        entry = case[data]
        return case.all_outputs(apart(case.items(data), axes(case, entry.rank), "it works along"))

    return rule


def attribute(name: str = "axis") -> Axes:
    """The axes of an attribute, one number or several."""

    def axes(case: BatchedLayer, rank: int) -> Iterable[int]:
        value = case.attributes[name]
        return [axis % rank for axis in ([value] if isinstance(value, int) else value)]

    return axes


def named(name: str = "axes", default: Iterable[int] | None = None) -> Axes:
    """The axes of an input."""
    return lambda case, rank: case.axes(name, rank, default)


def channels(case: BatchedLayer, rank: int) -> Iterable[int]:  # noqa: ARG001
    """Axis 1."""
    return (1,)


def reversed_axes(case: BatchedLayer, rank: int) -> Iterable[int]:
    """Reverse: axes by number, or by a mask."""
    if case.attributes["mode"] == "mask":
        return [axis for axis, flag in enumerate(case.numbers("axes")) if flag]
    return case.axes("axes", rank)


def spatial_mvn_axes(case: BatchedLayer, rank: int) -> Iterable[int]:
    """MVN-2: reduction_axes, or all from the channels or from the axis after them."""
    stated = [axis % rank for axis in case.attributes.get("reduction_axes") or ()]
    return stated or range(1 if case.attributes["across_channels"] else 2, rank)


def fourier_axes(case: BatchedLayer, rank: int) -> Iterable[int]:
    """Fourier transforms: negative axes count from the end with or without the axis of complex numbers,
    depending on the op, so both are taken; that axis is the last one.
    """
    numbers = case.numbers("axes")
    return {*(n % rank for n in numbers), *(n % max(rank - 1, 1) for n in numbers), rank - 1}


def real_fourier_axes(case: BatchedLayer, rank: int) -> Iterable[int]:
    """RDFT, whose data has no axis of complex numbers."""
    return case.axes("axes", rank)


def reduced(case: BatchedLayer) -> list[Carried]:
    """Reductions: without keep_dims, the axes of the batch moves by those that are removed before it."""
    case.only("data")
    axes = case.axes("axes", case["data"].rank)
    items = apart(case.items("data"), axes, "it reduces")
    before = 0 if case.attributes["keep_dims"] else sum(axis < items.axis for axis in axes)
    return [items.at(items.axis - before)]


def concatenated(case: BatchedLayer) -> list[Carried]:
    """Concat: all inputs carry the batch along the same axis, which is not that of the concatenation."""
    carried = {entry.carried for entry in case.inputs}
    if len(carried) != 1:
        raise ItemsMeet("not all inputs carry the batch along the same axis")
    (items,) = carried
    assert isinstance(items, Items)
    return [apart(items, attribute()(case, case["inputs"].rank), "it concatenates along")]


def reversed_sequences(case: BatchedLayer) -> list[Carried]:
    """ReverseSequence: one length for each position of batch_axis."""
    case.only("data", "seq_lengths")
    items = apart(case.items("data"), [case.attributes["seq_axis"]], "it reverses")
    lengths = case["seq_lengths"].carried
    if lengths != (items.at(0) if case.attributes["batch_axis"] == items.axis else SAME):
        raise ItemsMeet("the lengths are not those of the items")
    return [items]


def one_hot(case: BatchedLayer) -> list[Carried]:
    """OneHot inserts an axis."""
    case.only("indices")
    items = case.items("indices")
    inserted = case.attributes["axis"] % len(case.output)
    return [items.at(items.axis + (inserted <= items.axis))]


def padded(case: BatchedLayer) -> list[Carried]:
    """Pad adds nothing along the batch."""
    case.only("data")
    items = case.items("data")
    if case.numbers("pads_begin")[items.axis] or case.numbers("pads_end")[items.axis]:
        raise ItemsMeet("it pads the batch")
    return [items]


def region(case: BatchedLayer) -> list[Carried]:
    """RegionYolo: axis 0 is the batch."""
    case.only("data")
    first = case.attributes["axis"] if case.attributes["do_softmax"] else 1
    items = case.items("data")
    if items.axis or first < 1:
        raise ItemsMeet("it works on the axis that carries the batch")
    return [items]


def inverse(case: BatchedLayer) -> list[Carried]:
    """Inverse: of the matrices of the last two axes."""
    rank = case["data"].rank
    return [apart(case.items("data"), (rank - 2, rank - 1), "it inverts matrices along")]


# Ops that define the first axis of their data as that of the batch.


def batch_first(*names: str) -> Callable[[BatchedLayer], list[Carried]]:
    """The rule of an op whose inputs of these names, as far as they are given, have the batch as first axis.
    All other inputs are the same for each item.
    """

    def rule(case: BatchedLayer) -> list[Carried]:
        case.only(*names)
        carried = {case[name].carried for name in names if case.has(name)}
        if len(carried) != 1:
            raise ItemsMeet(f"not all of {', '.join(names)} carry the batch along axis 0")
        (items,) = carried
        if not isinstance(items, Items) or items.axis:
            raise ItemsMeet("the batch is not carried by axis 0 of its data")
        return case.all_outputs(items)

    return rule


def pooled(case: BatchedLayer) -> list[Carried]:
    """MaxPool: the second output counts positions from an axis on, over the batch too if that is axis 0."""
    if case.attributes.get("axis") == 0 and 1 in case.used:
        raise ItemsMeet("its indices count the positions of all items")
    return batch_first("data")(case)


def interpolated(case: BatchedLayer) -> list[Carried]:
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


def optional_batch(rank: int, name: str = "data") -> Callable[[BatchedLayer], list[Carried]]:
    """The rule of an op whose data has the batch as first axis only if it has that many axes."""

    def rule(case: BatchedLayer) -> list[Carried]:
        if case[name].rank != rank:
            raise ItemsMeet("its data has no axis for a batch")
        return batch_first(name)(case)

    return rule


def packed_bags(case: BatchedLayer) -> list[Carried]:
    """EmbeddingBagPacked: each row of indices is a bag."""
    case.only("indices", "per_sample_weights")
    items = case.items("indices")
    weights = case["per_sample_weights"].carried if case.has("per_sample_weights") else items
    if items.axis or weights != items:
        raise ItemsMeet("the items are not the rows of the indices")
    return [items]


def recurrent(case: BatchedLayer) -> list[Carried]:
    """Cells and sequences: data, states and lengths have the batch as first axis; weights are shared."""
    shared = ("W", "R", "B", "P")
    for entry in case.inputs:
        expected = SAME if entry.name in shared else case.items("X").at(0)
        if entry.carried != expected:
            raise ItemsMeet(f"input {entry.name!r} does not carry the batch as the data does")
    return case.all_outputs(case.items("X"))


# Slices: items do not meet where the whole axis of the batch is taken.

Bounds = tuple[Dim, Dim, Dim]
"""Start, stop and step."""
PART = "it takes a part of the batch"
VARIABLE = "the bounds of its slices are not constant"


def sliced(case: BatchedLayer) -> list[Carried]:
    """Slice takes all of the batch, and slices other axes independently of it."""
    _require_slices(case, case.items("data"), ("data",))
    return [case.items("data")]


def scattered_slice(case: BatchedLayer) -> list[Carried]:
    """SliceScatter writes updates of the same items to the slice."""
    items = case.items("data")
    _require_slices(case, items, ("data", "updates"))
    if case["updates"].carried != items:
        raise ItemsMeet("the updates are not those of the items")
    return [items]


def _require_slices(case: BatchedLayer, items: Items, names: Sequence[str]) -> None:
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


def sliced_by_masks(case: BatchedLayer) -> list[Carried]:
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


def _bounds(case: BatchedLayer) -> list[Bounds]:
    begins, ends = case.dims("begin"), case.dims("end")
    steps = case.dims("stride") if case.has("stride") else (Dim.of(1),) * len(begins)
    return list(zip(begins, ends, steps, strict=True))


# Reshape and its relatives, Broadcast, Tile and Transpose: where the axis of the batch goes.


def regrouped(case: BatchedLayer) -> list[Carried]:
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


def transposed(case: BatchedLayer) -> list[Carried]:
    case.only("arg")
    items = case.items("arg")
    order = case.numbers("input_order") or tuple(range(case["arg"].rank))[::-1]
    return [items.at(order.index(items.axis))]


def broadcast(case: BatchedLayer) -> list[Carried]:
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


def tiled(case: BatchedLayer) -> list[Carried]:
    """Tile: as Broadcast, with numbers of copies; the same data for each item may have several elements."""
    data = case["data"]
    rank = len(case.output)
    start = rank - data.rank
    repeats = case.dims("repeats")
    if isinstance(data.carried, Items) and repeats[data.carried.axis + len(repeats) - data.rank] != 1:
        raise ItemsMeet("it repeats the batch")
    return [_repeated(case, tuple(range(start, rank)))]


def _repeated(case: BatchedLayer, mapped: tuple[int, ...]) -> Items:
    """The axis of items of the output. mapped: the axis of the output for each axis of data"""
    data, placed = case["data"], axis_of_items(case.output, case.count)
    if placed is None:
        raise ItemsMeet(f"its shape {case.output.spelled} has no axis of items")
    if isinstance(data.carried, Items):
        return data.carried.at(mapped[data.carried.axis])
    if data.carried is not SAME:
        raise ItemsMeet("input 'data' depends on the number of items")
    return placed


# Gathering and scattering by index.


def gathered(case: BatchedLayer) -> list[Carried]:
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


def gathered_elements(case: BatchedLayer) -> list[Carried]:
    """GatherElements: data and indices of the same item, along another axis."""
    case.only("data", "indices")
    items = apart(case.items("indices"), [case.attributes["axis"]], "it gathers along")
    if case["data"].carried != items:
        raise ItemsMeet("data and indices do not carry the batch along the same axis")
    return [items]


def gathered_tuples(case: BatchedLayer) -> list[Carried]:
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


def _own_tuples(case: BatchedLayer, indices: Numbered, shared: int) -> Items:
    data = case["data"].carried
    if shared or not isinstance(data, Items) or not indices.selects_own_tuples(data):
        raise ItemsMeet("its indices select elements by the number of the item")
    return indices.items


def _sliced(case: BatchedLayer) -> int:
    """How many axes of data are not indexed."""
    length = int(case["indices"].fact.shape[-1])
    shared: int = case.attributes["batch_dims"]
    return case["data"].rank - shared - length


def _merged(case: BatchedLayer, shared: int) -> int:
    """How many positions the batch axes after the first have together, where GatherND-5 flattens them."""
    number = 1
    for size in case["data"].fact.shape[1:shared]:
        number *= int(size)
    return number


def scattered_elements(case: BatchedLayer) -> list[Carried]:
    """ScatterElementsUpdate: data, indices and updates of the same item, along another axis."""
    case.only("data", "indices", "updates")
    (axis,) = case.axes("axis", case["data"].rank)
    items = apart(case.items("data"), [axis], "it writes along")
    if case["indices"].carried != items or case["updates"].carried != items:
        raise ItemsMeet("data, indices and updates do not carry the batch along the same axis")
    return [items]


def scattered(case: BatchedLayer) -> list[Carried]:
    """ScatterUpdate: slices of each item, at the same indices."""
    case.only("data", "updates")
    (axis,) = case.axes("axis", case["data"].rank)
    items = apart(case.items("data"), [axis], "it writes along")
    behind = items.axis > axis
    place = items.axis + (case["indices"].rank - 1 if behind else 0)
    if case["updates"].carried != items.at(place):
        raise ItemsMeet("the updates are not those of the items")
    return [items]


def scattered_tuples(case: BatchedLayer) -> list[Carried]:
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


Rule: TypeAlias = Callable[[BatchedLayer], list[Carried]]

ELEMENTWISE_CATEGORIES = frozenset({"activation", "arithmetic", "bitwise", "comparison", "logical"})
"""The categories whose ops work element by element, apart from those that have a rule of their own."""
NOT_ELEMENTWISE = frozenset({"SegmentMax"})

ELEMENTWISE = ("Select", "FakeQuantize", "FakeConvert", "Convert", "Result")
ALONG_AXES: dict[str, Rule] = {
    "SoftMax": along(attribute()),
    "LogSoftmax": along(attribute()),
    "TopK": along(attribute()),
    "ShuffleChannels": along(attribute()),
    "CumSum": along(named("axis", (0,))),
    "Split": along(named("axis")),
    "VariadicSplit": along(named("axis")),
    "Roll": along(named()),
    "Reverse": along(reversed_axes),
    "LRN": along(named()),
    "NormalizeL2": along(named()),
    "GRN": along(channels),
    "DFT": along(fourier_axes),
    "IDFT": along(fourier_axes),
    "IRDFT": along(fourier_axes),
    "RDFT": along(real_fourier_axes),
    "Concat": concatenated,
    "ReverseSequence": reversed_sequences,
    "OneHot": one_hot,
    "Pad": padded,
    "RegionYolo": region,
    "Inverse": inverse,
}
BATCH_FIRST: dict[str, Rule] = {
    **{
        name: batch_first("data")
        for name in (
            "Convolution",
            "GroupConvolution",
            "ConvolutionBackpropData",
            "GroupConvolutionBackpropData",
            "BinaryConvolution",
            "AvgPool",
            "AdaptiveAvgPool",
            "AdaptiveMaxPool",
            "BatchNormInference",
            "GroupNormalization",
            "DepthToSpace",
            "SpaceToDepth",
            "ExtractImagePatches",
            "ReorgYolo",
        )
    },
    "DeformableConvolution": batch_first("data", "offsets", "mask"),
    "MaxPool": pooled,
    "Col2Im": optional_batch(3),
    "GridSample": batch_first("data", "grid"),
    "NV12toRGB": batch_first("y", "uv"),
    "NV12toBGR": batch_first("y", "uv"),
    "I420toRGB": batch_first("y", "u", "v"),
    "I420toBGR": batch_first("y", "u", "v"),
    "CTCGreedyDecoderSeqLen": batch_first("data", "sequence_length"),
    "CTCLoss": batch_first("logits", "logit_length", "labels", "label_length"),
    "Interpolate": interpolated,
    "STFT": optional_batch(2, "signal"),
    "ISTFT": optional_batch(4),
    "EmbeddingBagPacked": packed_bags,
    "EmbeddingBagPackedSum": packed_bags,
    **{f"{kind}{form}": recurrent for kind in ("LSTM", "GRU", "RNN") for form in ("Cell", "Sequence")},
}
OTHER: dict[str, Rule] = {
    "PReLU": prelu,
    "ConvertLike": convert_like,
    "ConvertPromoteTypes": promoted,
    "Bucketize": bucketize,
    "SearchSorted": sorted_search,
    "Reshape": regrouped,
    "Squeeze": regrouped,
    "Unsqueeze": regrouped,
    "Broadcast": broadcast,
    "Tile": tiled,
    "Transpose": transposed,
    "Gather": gathered,
    "GatherElements": gathered_elements,
    "GatherND": gathered_tuples,
    "ScatterUpdate": scattered,
    "ScatterElementsUpdate": scattered_elements,
    "ScatterNDUpdate": scattered_tuples,
    "Slice": sliced,
    "SliceScatter": scattered_slice,
    "StridedSlice": sliced_by_masks,
    "MatMul": mat_mul,
    "Einsum": einsum,
    "ScaledDotProductAttention": attention,
}
RULES = MappingProxyType({**dict.fromkeys(ELEMENTWISE, elementwise), **ALONG_AXES, **BATCH_FIRST, **OTHER})
"""By type; the rules of all versions of an op are the same."""
REPEATS_SAME = frozenset({"Broadcast", "Tile"})
"""Ops that make items of data that is the same for each, if their shape depends on the number of items."""
SIZES = frozenset({"ShapeOf"})
"""Ops that read nothing but the shape of their input."""
RANDOM = frozenset({"RandomUniform", "Multinomial"})


def rule_of(op: Op) -> Rule | None:
    """The rule of an op of irops itself; None for one without a rule."""
    definition = op.definition
    if definition.dialect != "openvino" or not op.module.startswith("irops.ops."):
        return None
    rule = RULES.get(definition.type)
    if rule is None and definition.type.startswith("Reduce"):
        return reduced
    if rule is None and definition.category == "normalization" and definition.type == "MVN":
        return along(named() if _has(definition, "axes") else spatial_mvn_axes)
    is_elementwise = definition.category in ELEMENTWISE_CATEGORIES
    if rule is None and is_elementwise and definition.type not in NOT_ELEMENTWISE:
        return elementwise
    return rule


def _has(definition: Definition, name: str) -> bool:
    return any(port.name == name for port in definition.inputs)
