"""Ops that compare, count and select: one-hot vectors, buckets, segments and bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.expansion.expanding import Expanding, OtherFormError, Outputs, RefusedError, ReplacingOp, expansion
from irops.ops.arithmetic.segment_max import lowest
from irops.values.element import I64, Array, ElementType

ZERO, ONE, ALL = np.array(0, np.int64), np.array(1, np.int64), np.array([-1], np.int64)


@expansion("OneHot-1", "Select-1")
def one_hot(subject: Expanding) -> Outputs:
    """on_value where an index equals a position along the new axis."""
    rank = subject.of_rank("indices", "an axis is added")
    axis = subject.attributes["axis"] % (rank + 1)
    indices = subject.typed(subject.input("indices"), I64, "indices")
    depth = subject.typed(subject.input("depth"), I64, "depth")
    positions = subject.add("Range-4", 0, depth, 1, output_type=I64)
    if axis < rank:
        positions = subject.Unsqueeze(positions, list(range(1, rank - axis + 1)))
    is_on = subject.Equal(subject.Unsqueeze(indices, [axis]), positions)
    return Outputs([subject.Select(is_on, subject.input("on_value"), subject.input("off_value"))])


@expansion("Bucketize-3", "ReduceSum-1")
def bucketize(subject: Expanding) -> Outputs:
    """The number of boundaries that are not above a number; NaN is above all of them."""
    kinds = {subject.element_type(name) for name in ("data", "buckets")}
    if len(kinds) > 1:
        raise RefusedError("its inputs have different types, which a comparison does not take")
    rows = subject.Unsqueeze(subject.input("data"), [-1])
    comparison = "GreaterEqual-1" if subject.attributes["with_right_bound"] else "Greater-1"
    is_above = subject.add(comparison, subject.input("buckets"), rows)
    numbers = subject.typed(subject.LogicalNot(is_above), subject.attributes["output_type"], "numbers")
    return Outputs([subject.ReduceSum(numbers, [-1], keep_dims=False)])


@expansion("Eye-9", "Convert-1")
def eye(subject: Expanding) -> Outputs:
    """1 where a column is a row plus the number of the diagonal."""
    rows, columns, diagonal = (
        subject.reshaped(subject.typed(subject.input(name), I64, name), [], f"{name}_number")
        for name in ("num_rows", "num_columns", "diagonal_index")
    )
    across = subject.add("Range-4", 0, columns, 1, part="across", output_type=I64)
    down = subject.add("Range-4", 0, rows, 1, part="down", output_type=I64)
    along = subject.Unsqueeze(subject.Add(down, diagonal), [1])
    ones: Any = subject.Equal(across, along)
    kind = subject.attributes["output_type"]
    ones = subject.typed(ones, kind, "matrix")
    if subject.optional("batch_shape") is None:
        return Outputs([ones])
    batch = subject.typed(subject.input("batch_shape"), I64, "batch")
    sizes = [subject.add("Reshape-1", size, ALL, special_zero=False) for size in (rows, columns)]
    shape = subject.add("Concat-1", batch, *sizes, axis=0)
    return Outputs([subject.add("Broadcast-3", ones, shape, mode="numpy")])


# Numbers of a quantized type


@expansion("FakeQuantize-1", "Select-1", rounds="narrow types round after each op, before steps are rounded")
def fake_quantize(subject: Expanding) -> Outputs:
    """round((x - low) / (high - low) * steps) / steps * (top - bottom) + bottom, between the bounds."""
    subject.real_type("X")
    if subject.attributes["auto_broadcast"] == "pdpd":
        raise RefusedError("its limits are broadcast as in PaddlePaddle")
    rank = subject.of_rank("X", "its limits are broadcast to it")
    names = ("input_low", "input_high", "output_low", "output_high")
    if any(subject.of_rank(name, "it is broadcast to X") > rank for name in names):
        raise RefusedError("a limit has more axes than X")
    data = subject.input("X")
    low, high, bottom, top = (subject.input(name) for name in names)
    steps = float(subject.attributes["levels"] - 1)
    share = subject.Divide(subject.Subtract(data, low), subject.Subtract(high, low))
    whole = subject.add("Round-5", subject.Multiply(share, steps), mode="half_to_even")
    scaled = subject.Multiply(subject.Divide(whole, steps), subject.Subtract(top, bottom))
    between = subject.Add(scaled, bottom)
    is_above = subject.Greater(data, subject.Maximum(low, high))
    is_below = subject.LessEqual(data, subject.Minimum(low, high))
    return Outputs([subject.Select(is_below, bottom, subject.Select(is_above, top, between))])


# The largest row of each segment, and positions in sorted sequences

# SearchSorted: the number of smaller elements.


@expansion("SearchSorted-15", "ReduceSum-1")
def search_sorted(subject: Expanding) -> ReplacingOp:
    """In a sorted sequence, the position of a value is the number of elements before it."""
    sequence, values = subject.input("sorted_sequence"), subject.input("values")
    rank = len(subject.sizes("sorted_sequence", "a comparison depends on it"))
    last, before_last = np.array([-1], np.int64), np.array([-2], np.int64)
    columns = subject.add("Unsqueeze-1", values, last, part="columns")
    rows = sequence if rank == 1 else subject.add("Unsqueeze-1", sequence, before_last, part="rows")
    comparison = "LessEqual-1" if subject.attributes["right_mode"] else "Less-1"
    is_before = subject.add(comparison, rows, columns, part="is_before")
    numbers = subject.add(
        "Convert-1", is_before, part="numbers", destination_type=subject.attributes["output_type"]
    )
    return ReplacingOp([numbers, last], {"keep_dims": False})


@expansion("SegmentMax-16", "Slice-8")
def segment_max_of_integers(subject: Expanding) -> ReplacingOp:
    if not subject.element_type("data").integral:
        raise OtherFormError("its data are not integers")
    return _segment_max(subject)


@expansion("SegmentMax-16", "Slice-8", rounds="a segment with NaN gives NaN, which SegmentMax ignores")
def segment_max(subject: Expanding) -> ReplacingOp:
    return _segment_max(subject)


def _segment_max(subject: Expanding) -> ReplacingOp:
    """Rows filled with the value of empty segments, into which maxima are written; of these as many rows as
    there are segments.
    """
    data, kind = subject.input("data"), subject.element_type("data")
    rank = len(subject.sizes("data", "the ids of segments are repeated along all other axes"))
    ids = subject.typed(subject.input("segment_ids"), I64, "ids")
    count: Any | None = None
    ends = [ids, ALL]
    if subject.optional("num_segments") is not None:
        number = subject.typed(subject.input("num_segments"), I64, "number")
        count = subject.add("Reshape-1", number, ALL, part="count", special_zero=False)
        ends.append(subject.add("Subtract-1", count, ONE, part="last_segment"))
    all_ids = subject.add("Concat-1", *ends, part="all_ids", axis=0)
    last = subject.add("ReduceMax-1", all_ids, np.array([0], np.int64), part="last", keep_dims=True)
    rows = subject.add("Add-1", last, ONE, part="rows")
    shape = subject.add("ShapeOf-3", data, part="shape", output_type=I64)
    others = subject.add("Slice-8", shape, np.array([1]), np.array([rank]), np.array([1]), part="others")
    filled_shape = subject.add("Concat-1", rows, others, part="filled_shape", axis=0)
    fill = subject.like(_lowest(kind) if subject.attributes["fill_mode"] == "lowest" else 0, kind)
    filled = subject.add("Broadcast-3", fill, filled_shape, part="filled", mode="numpy")
    column = subject.add("Unsqueeze-1", ids, np.arange(1, rank), part="column") if rank > 1 else ids
    indices = subject.add("Broadcast-3", column, shape, part="indices", mode="bidirectional")
    maxima = subject.add(
        "ScatterElementsUpdate-12",
        filled,
        indices,
        data,
        ZERO,
        part="maxima",
        reduction="max",
        use_init_val=False,
    )
    return ReplacingOp(
        [maxima, np.array([0]), rows if count is None else count, np.array([1]), np.array([0])]
    )


def _lowest(kind: ElementType) -> float:
    """The smallest finite number of a type."""
    if kind.integral:
        return int(kind.extent[0])
    return float(lowest(np.zeros((), kind.dtype)))


# Embedding bags: sums of rows, and means as sums divided by counts.

ONE_AS_VECTOR = np.array([1], np.int64)


@expansion("EmbeddingBagOffsets-15", "EmbeddingBagOffsetsSum-3", decomposition=True)
def offsets_sum(subject: Expanding) -> ReplacingOp:
    _require(subject, "sum")
    return ReplacingOp(subject.inputs)


@expansion("EmbeddingBagPacked-15", "EmbeddingBagPackedSum-3", decomposition=True)
def packed_sum(subject: Expanding) -> ReplacingOp:
    _require(subject, "sum")
    return ReplacingOp(subject.inputs)


@expansion("EmbeddingBagOffsets-15", "Divide-1")
def offsets_mean(subject: Expanding) -> ReplacingOp:
    """The sums, divided by the differences between offsets."""
    _require(subject, "mean")
    kind = _floating(subject)
    sums = subject.add("EmbeddingBagOffsetsSum-3", *subject.inputs, part="sums")
    offsets = subject.typed(subject.input("offsets"), I64, "offsets")
    following = subject.add("Slice-8", offsets, ONE_AS_VECTOR, _END, ONE_AS_VECTOR, part="following")
    count = subject.add("ShapeOf-3", subject.input("indices"), part="count", output_type=I64)
    ends = subject.add("Concat-1", following, count, part="ends", axis=0)
    sizes = subject.add("Subtract-1", ends, offsets, part="sizes")
    return ReplacingOp([sums, _divisors(subject, sizes, kind)])


@expansion("EmbeddingBagPacked-15", "Divide-1")
def packed_mean(subject: Expanding) -> ReplacingOp:
    """The sums, divided by the number of indices of a bag."""
    _require(subject, "mean")
    kind = _floating(subject)
    sums = subject.add("EmbeddingBagPackedSum-3", *subject.inputs, part="sums")
    shape = subject.add("ShapeOf-3", subject.input("indices"), part="shape", output_type=I64)
    size = subject.add("Gather-8", shape, ONE_AS_VECTOR, np.array(0, np.int64), part="size")
    return ReplacingOp([sums, _divisors(subject, size, kind)])


_END = np.array([np.iinfo(np.int64).max], np.int64)


def _require(subject: Expanding, reduction: str) -> None:
    if subject.attributes["reduction"] != reduction:
        raise OtherFormError(f"its reduction is {subject.attributes['reduction']}, not {reduction}")


def _floating(subject: Expanding) -> ElementType:
    kind = subject.element_type("emb_table")
    if kind.name not in ("f32", "f64"):
        raise RefusedError(f"the mean of {kind} rounds once, and a sum of {kind} that is divided twice")
    return kind


def _divisors(subject: Expanding, sizes: Any, kind: ElementType) -> Any:
    """The sizes of bags, at least 1, as numbers of a type, with an axis for each of the sums."""
    rank = len(subject.sizes("emb_table", "a divisor needs as many axes"))
    counts: Array = np.array([1], np.int64)
    at_least_1 = subject.add("Maximum-1", sizes, counts, part="at_least_1")
    numbers = subject.typed(at_least_1, kind, "numbers")
    axes = np.arange(1, rank)
    return subject.add("Unsqueeze-1", numbers, axes, part="divisors") if rank > 1 else numbers


# Sums of the rows of a table: of those that a mask selects for each bag

SUMS = "sums are rounded in another order, and narrow types round after each op"


@expansion("EmbeddingBagPackedSum-3", "ReduceSum-1", rounds=SUMS)
def packed_rows(subject: Expanding) -> Outputs:
    """The sum of the rows of each bag."""
    subject.real_type("emb_table")
    rows = subject.add("Gather-8", subject.input("emb_table"), subject.input("indices"), 0)
    return Outputs([subject.ReduceSum(_weighted(subject, rows, 2), [1], keep_dims=False)])


@expansion("EmbeddingBagOffsetsSum-3", "Select-1", rounds=SUMS)
def rows_between_offsets(subject: Expanding) -> Outputs:
    """The bag of an index is the last one that begins at or before it."""
    indices, offsets = (subject.typed(subject.input(name), I64, name) for name in ("indices", "offsets"))
    count = subject.reshaped(subject.add("ShapeOf-3", indices, output_type=I64), [], "index_count")
    places = subject.add("Range-4", 0, count, 1, part="places", output_type=I64)
    is_begun = subject.LessEqual(offsets, subject.Unsqueeze(places, [1]))
    begun = subject.ReduceSum(subject.typed(is_begun, I64, "begun"), [1], keep_dims=False)
    bags = subject.reshaped(subject.add("ShapeOf-3", offsets, output_type=I64), [], "bag_count")
    return _bags(subject, subject.Subtract(begun, 1), bags)


@expansion("EmbeddingSegmentsSum-3", "Select-1", rounds=SUMS)
def rows_of_segments(subject: Expanding) -> Outputs:
    ids = subject.typed(subject.input("segment_ids"), I64, "ids")
    count = subject.typed(subject.input("num_segments"), I64, "count")
    return _bags(subject, ids, subject.reshaped(count, [], "bag_count"))


def _weighted(subject: Expanding, rows: Any, axes: int) -> Any:
    """Rows times their weights. axes: the number of axes of the weights"""
    weights = subject.optional("per_sample_weights")
    rank = subject.of_rank("emb_table", "a weight needs as many axes as a row")
    if weights is None:
        return rows
    if rank > 1:
        weights = subject.Unsqueeze(weights, list(range(axes, axes + rank - 1)))
    return subject.Multiply(rows, weights)


def _bags(subject: Expanding, ids: Any, count: Any) -> Outputs:
    """The sum of the rows of each bag; the default row, or zeros, for a bag without rows."""
    kind = subject.real_type("emb_table")
    table, rank = subject.input("emb_table"), subject.of_rank("emb_table", "a mask needs as many axes")
    inner = list(range(2, rank + 1))
    rows = _weighted(subject, subject.add("Gather-8", table, subject.input("indices"), 0), 1)
    numbers = subject.Unsqueeze(subject.add("Range-4", 0, count, 1, part="bags", output_type=I64), [1])
    is_in = subject.Equal(numbers, ids)
    mask = subject.Unsqueeze(is_in, inner) if inner else is_in
    chosen = subject.Select(mask, rows, subject.like(0, kind))
    sums = subject.ReduceSum(chosen, [1], keep_dims=False)
    default = subject.optional("default_index")
    if default is None:
        return Outputs([sums])
    known = subject.numbers("default_index")
    if known is None:
        raise RefusedError("its default index is not constant, and -1 means zeros")
    if known[0] < 0:
        return Outputs([sums])
    is_filled = subject.add("ReduceLogicalOr-1", is_in, [1], keep_dims=False)
    if rank > 1:
        is_filled = subject.Unsqueeze(is_filled, list(range(1, rank)))
    row = subject.add("Gather-8", table, known[0], 0)
    return Outputs([subject.Select(is_filled, sums, row)])
