"""The derivatives of ops that move elements: each cotangent goes back to where its element came from."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.differentiation.deriving import (
    Cotangents,
    Derivation,
    NotDerivedError,
    back_along_axes,
    derivative,
    movement,
)
from irops.values.element import Array

movement("BatchToSpace-2", "DepthToSpace-1", "ExtractImagePatches-3", "ReorgYolo-2", "Roll-7")
movement("ShuffleChannels-1", "SpaceToBatch-2", "SpaceToDepth-1", "StridedSlice-1", "Tile-1")
movement("GatherND-5", "GatherND-8")


# Shapes.


@derivative("Reshape-1", "Squeeze-1", "Squeeze-15", "Unsqueeze-1")
def reshape(d: Derivation) -> Cotangents:
    return {"data": d.as_shape(d.cot, d.input("data"))}


@derivative("Transpose-1")
def transpose(d: Derivation) -> Cotangents:
    order = d.known_value(d.input("input_order"))
    rank = d.builder.fact(d.cot).shape.rank
    if order is None and rank is None:
        raise NotDerivedError("the rank of its input and input_order are unknown")
    if order is None:
        inverse = d.add("TopK-11", d.input("input_order"), rank, axis=0, mode="min", sort="value", index=1)
        return {"arg": d.add("Transpose-1", d.cot, inverse)}
    listed = np.asarray(order).ravel().astype(np.int64)
    if not listed.size:
        return {"arg": d.add("Transpose-1", d.cot, np.zeros(0, np.int64))}
    return {"arg": d.transposed(d.cot, [int(n) for n in np.argsort(listed)])}


@derivative("Broadcast-1", "Broadcast-3")
def broadcast(d: Derivation) -> Cotangents:
    data = d.input("data")
    if d.attributes["mode"].lower() != "explicit":
        return {"data": d.summed_to(d.cot, data)}
    axes = [int(axis) for axis in d.constant_of("axes_mapping")]
    ours = d.builder.fact(d.cot).shape
    if ours.rank is None:
        raise NotDerivedError("the rank of its output is unknown")
    sizes = d.fixed_shape(data)
    repeated = [n for n in range(ours.rank) if n not in axes or sizes[axes.index(n)] == 1]
    return {"data": d.as_shape(d.total(d.cot, repeated, keep=True), data)}


# Parts.


@derivative("Concat-1")
def concat(d: Derivation) -> Cotangents:
    axis, inputs = d.attributes["axis"], d.variadic("inputs")
    sizes = [d.builder.fact(term).shape[axis] for term in inputs]
    if all(size.known for size in sizes):
        lengths: Any = np.array([int(size) for size in sizes], np.int64)
    else:
        shapes = [d.add("ShapeOf-3", term) for term in inputs]
        places = np.array([axis], np.int64)
        lengths = d.add("Concat-1", *(d.add("Gather-8", s, places, d.at(0)) for s in shapes), axis=0)
    if len(inputs) == 1:
        return {"inputs": [d.cot]}
    found = d.builder.op("VariadicSplit-1")
    parts = d.builder.apply(found, [d.cot, d.at(axis), lengths], {}, "VariadicSplit")
    return {"inputs": [part if d.wants_index(n) else None for n, part in enumerate(parts)]}


@derivative("Split-1", "VariadicSplit-1")
def split(d: Derivation) -> Cotangents:
    axis = int(d.constant_of("axis")[0])
    parts = [d.cotangent(index) for index in range(len(d.results))]
    return {"data": parts[0] if len(parts) == 1 else d.add("Concat-1", *parts, axis=axis)}


@derivative("Slice-8")
def slices(d: Derivation) -> Cotangents:
    rest = [d.optional(name) for name in ("start", "stop", "step", "axes")]
    places = [term for term in rest if term is not None]
    return {"data": d.add("SliceScatter-15", d.zeros(d.input("data")), d.cot, *places)}


@derivative("SliceScatter-15")
def slice_scatter(d: Derivation) -> Cotangents:
    rest = [d.optional(name) for name in ("start", "stop", "step", "axes")]
    places, found = [term for term in rest if term is not None], {}
    if d.wants("data"):
        found["data"] = d.add("SliceScatter-15", d.cot, d.zeros(d.input("updates")), *places)
    if d.wants("updates"):
        found["updates"] = d.add("Slice-8", d.cot, *places)
    return found


# Padding.


def _padded_units(d: Derivation, axis: int, units: Any) -> Any:
    begin, end = (int(d.constant_of(name)[axis]) for name in ("pads_begin", "pads_end"))
    if begin == end == 0:
        return None
    place = np.eye(len(d.fact("data").shape) + 1, dtype=np.int64)[axis + 1]
    return d.add(
        "Pad-12", units, place * begin, place * end, d.nought(units), pad_mode=d.attributes["pad_mode"]
    )


@derivative("Pad-1", "Pad-12")
def pad(d: Derivation) -> Cotangents:
    found = {}
    if d.wants("data"):
        found["data"] = back_along_axes(d, d.input("data"), _padded_units)
    if d.optional("pad_value") is not None and d.wants("pad_value"):
        inside = d.again(
            d.zeros(d.input("data")), d.input("pads_begin"), d.input("pads_end"), d.like(1, d.kind_of(d.cot))
        )
        every = list(range(len(d.fact("data").shape)))
        found["pad_value"] = d.as_shape(d.total(d.cot * inside, every), d.input("pad_value"))
        if d.attributes["pad_mode"] != "constant":
            found["pad_value"] = d.zeros(d.input("pad_value"))
    return found


@derivative("Reverse-1", "ReverseSequence-1")
def reverse(d: Derivation) -> Cotangents:
    return {"data": d.again(d.cot, d.inputs[1])}


# Elements at indices.


def from_zero(d: Derivation, indices: Any, size: Any) -> Any:
    """Indices, those from the end counted from 0."""
    wide = d.add("Convert-1", indices, destination_type="i64")
    return d.where(d.add("Less-1", wide, 0), wide + size, wide)


@derivative("Gather-1", "Gather-7", "Gather-8")
def gather(d: Derivation) -> Cotangents:
    data, indices = d.input("data"), d.input("indices")
    rank, batch = d.fact("data").shape.rank, d.attributes.get("batch_dims", 0)
    index_rank = d.fact("indices").shape.rank
    if rank is None or index_rank is None:
        raise NotDerivedError("the rank of an input is unknown")
    axis, batch = int(d.constant_of("axis")[0]) % rank, batch % index_rank if batch < 0 else batch
    if batch:
        return gather_in_batches(d)
    places, is_inside = rows_at(d, indices, d.size(data, axis))
    order = [axis, *(n for n in range(rank) if n != axis)]
    target = d.transposed(d.zeros(data), order)
    front = [*range(axis, axis + index_rank), *range(axis), *range(axis + index_rank, rank - 1 + index_rank)]
    moved = d.transposed(d.cot, front)
    rows = d.sizes_of(target)
    if isinstance(rows, list):
        count = int(d.fact("indices").shape.size) if d.fact("indices").shape.static else -1
        moved = d.in_shape(moved, [count, *rows[1:]])
    else:
        rest = d.add("Slice-8", rows, np.array([1]), np.array([rank]), np.array([1]))
        moved = d.in_shape(moved, d.add("Concat-1", np.array([-1], np.int64), rest, axis=0))
    if is_inside is not None:
        moved = d.where(d.in_shape(is_inside, [-1] + [1] * (rank - 1)), moved, 0.0)
    summed = d.add("ScatterNDUpdate-15", target, places, moved, reduction="sum")
    return {"data": d.transposed(summed, [int(n) for n in np.argsort(order)])}


def rows_at(d: Derivation, indices: Any, size: Any) -> tuple[Any, Any]:
    """The rows that indices mean, as index tuples, and which of them lie inside; None where all do.

    An index outside, for which the op gives 0, is taken as row 0.
    """
    known = d.known_value(indices)
    row = d.in_shape(from_zero(d, indices, size), [-1])
    is_inside = None
    if (
        known is None
        or not isinstance(size, int)
        or (np.abs(np.asarray(known).astype(np.int64)) >= size).any()
    ):
        is_inside = d.add("LogicalAnd-1", d.add("GreaterEqual-1", row, 0), d.add("Less-1", row, size))
        row = d.where(is_inside, row, 0)
    return d.add("Unsqueeze-1", row, d.at(1)), is_inside


def gather_in_batches(d: Derivation) -> Cotangents:
    data = d.input("data")
    moved = d.again(d.positions(data), d.input("indices"), d.input("axis"))
    return {"data": d.as_shape(d.scattered(d.cot, moved, d.count(data)), data)}


@derivative("GatherElements-6")
def gather_elements(d: Derivation) -> Cotangents:
    data, axis = d.input("data"), d.attributes["axis"]
    summed = d.add(
        "ScatterElementsUpdate-12", d.zeros(data), d.input("indices"), d.cot, d.at(axis), reduction="sum"
    )
    return {"data": summed}


# Updates at indices: what is overwritten gets nothing.


@derivative("ScatterUpdate-3")
def scatter_update(d: Derivation) -> Cotangents:
    indices, axis, found = d.input("indices"), d.input("axis"), {}
    updates = d.input("updates")
    if d.wants("data"):
        found["data"] = d.add("ScatterUpdate-3", d.cot, indices, d.zeros(updates), axis)
    if d.wants("updates"):
        chosen = d.add("Gather-8", d.cot, indices, d.in_shape(axis, []))
        found["updates"] = d.as_shape(chosen, updates)
    return found


def scattered_updates(d: Derivation, take: Any, put: Any) -> Cotangents:
    """The cotangents of data and updates.

    take: gives the elements of an array at the indices; put: the op with a reduction on data and updates
    """
    data, updates, found = d.input("data"), d.input("updates"), {}
    reduction = d.attributes.get("reduction", "none")
    keeps = d.attributes.get("use_init_val", True)
    kind = d.kind_of(d.cot)
    ones = d.add("Broadcast-3", d.like(1, kind), d.sizes_of(updates))
    if reduction == "none":
        data_slope: Any = put(d.zeros(data) + 1, d.zeros(updates), "none", True)
        if not d.wants("updates"):
            return {"data": d.cot * data_slope}
        last = last_updates(d, take, put)
        return {"data": d.cot * data_slope, "updates": take(d.cot) * last}
    if reduction in ("sum", "sub", "mean"):
        count = put(d.zeros(data), ones, "sum", True)
        is_written = d.add("Greater-1", count, 0)
        divisor: Any = d.where(is_written, count + (1 if keeps else 0), 1.0) if reduction == "mean" else 1
        share = d.cot / divisor if reduction == "mean" else d.cot
        found["data"] = d.cot / divisor if keeps else d.where(is_written, 0.0, d.cot)
        found["updates"] = -take(share) if reduction == "sub" else take(share)
    elif reduction == "prod":
        parts = put(d.zeros(data) + 1, updates, "prod", True)
        is_written = d.add("Greater-1", put(d.zeros(data), ones, "sum", True), 0)
        found["data"] = d.cot * (parts if keeps else d.where(is_written, 0.0, 1.0))
        found["updates"] = take(d.cot * d.out) / updates
    else:
        takes_part = d.indicator(d.add("Equal-1", updates, take(d.out)), kind)
        stays = d.indicator(d.add("Equal-1", data, d.out), kind)
        is_written = d.add("Greater-1", put(d.zeros(data), ones, "sum", True), 0)
        if not keeps:
            stays = d.where(is_written, 0.0, 1.0)
        ties = put(stays, takes_part, "sum", True)
        share = d.cot / d.add("Maximum-1", ties, 1.0)
        found["data"], found["updates"] = share * stays, take(share) * takes_part
    return {name: value for name, value in found.items() if d.wants(name)}


def last_updates(d: Derivation, take: Any, put: Any) -> Any:
    """1 for the updates that stay, 0 for those that a later one overwrites."""
    updates = d.input("updates")
    kind = d.kind_of(d.cot)
    numbers = d.numbers_of(updates, kind)
    written = take(put(d.zeros(d.input("data")), numbers, "none", True))
    return d.indicator(d.add("Equal-1", written, numbers), kind)


@derivative("ScatterElementsUpdate-3", "ScatterElementsUpdate-12")
def scatter_elements(d: Derivation) -> Cotangents:
    indices, axis = d.input("indices"), int(d.constant_of("axis")[0])
    rank = d.fact("data").shape.rank
    if rank is None:
        raise NotDerivedError("the rank of its input is unknown")
    every = range(rank)
    ours, sizes = ([d.size(term, n) for n in every] for term in (indices, d.input("data")))
    positive = from_zero(d, indices, sizes[axis])

    def take(term: Any) -> Any:
        cut = [sizes[n] if n == axis % rank else ours[n] for n in every]
        part = term
        if any(a is not b and a != b for a, b in zip(cut, sizes)):
            ones = np.ones(rank, np.int64)
            part = d.add("Slice-8", term, ones * 0, d.vector(cut), ones, np.arange(rank))
        return d.add("GatherElements-6", part, positive, axis=axis)

    def put(data: Any, updates: Any, reduction: str, keeps: bool) -> Any:
        return d.add(
            "ScatterElementsUpdate-12",
            data,
            positive,
            updates,
            d.at(axis),
            reduction=reduction,
            use_init_val=keeps,
        )

    return scattered_updates(d, take, put)


@derivative("ScatterNDUpdate-4", "ScatterNDUpdate-15")
def scatter_nd(d: Derivation) -> Cotangents:
    indices = d.input("indices")

    def take(term: Any) -> Any:
        return d.add("GatherND-8", term, indices)

    def put(data: Any, updates: Any, reduction: str, keeps: bool) -> Any:  # noqa: ARG001
        return d.add("ScatterNDUpdate-15", data, indices, updates, reduction=reduction)

    return scattered_updates(d, take, put)


# Elements that are chosen by their size, or put at places.


@derivative("TopK-1", "TopK-3", "TopK-11")
def top_k(d: Derivation) -> Cotangents:
    axis = d.at(d.attributes["axis"])
    data, indices = d.input("data"), d.results[1]
    summed = d.add("ScatterElementsUpdate-12", d.zeros(data), indices, d.cot, axis, reduction="sum")
    return {"data": summed}


@derivative("OneHot-1", "OneHot-16")
def one_hot(d: Derivation) -> Cotangents:
    kind = d.kind_of(d.cot)
    hot = d.again(d.input("indices"), d.input("depth"), d.like(1, kind), d.like(0, kind))
    every = list(range(len(d.builder.fact(d.cot).shape)))
    found = {}
    if d.wants("on_value"):
        found["on_value"] = d.as_shape(d.total(d.cot * hot, every), d.input("on_value"))
    if d.wants("off_value"):
        found["off_value"] = d.as_shape(d.total(d.cot * (1 - hot), every), d.input("off_value"))
    return found


@derivative("ExperimentalDetectronTopKROIs-6")
def top_rois(d: Derivation) -> Cotangents:
    rois = d.input("rois")
    numbers = d.numbers_of(rois, d.kind_of(rois))
    moved = d.add("Convert-1", d.again(numbers, d.input("probabilities")), destination_type="i64")
    return {"rois": d.as_shape(d.scattered(d.cot, moved, int(d.fact("rois").shape.size)), rois)}


@derivative("SparseFillEmptyRows-16")
def sparse_fill_empty_rows(d: Derivation) -> Cotangents:
    """The values keep their order; the default value stands in rows that none has."""
    values, default = d.input("values"), d.input("default_value")
    rest = (d.input("dense_shape"), d.input("indices"))
    kind, cotangent = d.kind_of(values), d.cotangent(1)
    numbers = d.numbers_of(values, kind)
    moved = d.again(numbers, *rest, d.zeros(default), index=1)
    found = {}
    if d.wants("values"):
        places = d.add("Convert-1", moved, destination_type="i64")
        found["values"] = d.as_shape(d.scattered(cotangent, places, int(d.fact("values").shape.size)), values)
    if d.wants("default_value"):
        is_default = d.indicator(d.add("Equal-1", moved, 0), kind)
        found["default_value"] = d.as_shape(d.total(cotangent * is_default, [0]), default)
    return found


@derivative("Col2Im-15")
def col2im(d: Derivation) -> Cotangents:
    """The elements of the image under each position of the kernel, 0 outside of it."""
    data, attributes = d.input("data"), d.attributes
    sizes = [int(n) for n in d.constant_of("output_size")]
    kernel = [int(n) for n in d.constant_of("kernel_size")]
    shape, image = d.fixed_shape(data), d.fixed_shape(d.cot)
    numbers = np.arange(1, int(np.prod(image)) + 1, dtype=np.int64).reshape(-1, *image[-3:])
    places = windows(numbers, sizes, kernel, attributes)
    padded = d.add("Concat-1", np.zeros(1, d.kind_of(data).dtype), d.in_shape(d.cot, [-1]), axis=0)
    return {"data": d.add("Gather-8", padded, places.reshape(shape), d.at(0))}


def windows(numbers: Array, sizes: list[int], kernel: list[int], attributes: Any) -> Array:
    """The numbers [N, C, H, W] under a kernel as columns [N, C, positions of the kernel, its steps]."""
    axes = []
    for size, taps, stride, dilation, low, high in zip(
        sizes, kernel, attributes["strides"], attributes["dilations"], attributes["pads_begin"],
        attributes["pads_end"],
    ):  # fmt: skip
        count = (size + low + high - dilation * (taps - 1) - 1) // stride + 1
        axes.append(np.arange(taps)[:, None] * dilation + np.arange(count) * stride - low)
    rows, columns = axes
    row, column = rows[:, None, :, None], columns[None, :, None, :]
    inside = (row >= 0) & (row < sizes[0]) & (column >= 0) & (column < sizes[1])
    found = numbers[:, :, row.clip(0, sizes[0] - 1), column.clip(0, sizes[1] - 1)]
    return np.asarray(np.where(inside, found, 0))
