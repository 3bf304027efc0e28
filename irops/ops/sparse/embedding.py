"""EmbeddingBag and EmbeddingSegmentsSum: the sum or mean of table rows for each bag of indices."""

from typing import Any, NamedTuple

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.spec.binding import kernel, shape
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless


@shape("EmbeddingBagPackedSum-3")
def packed_sum_shape(emb_table: Fact, indices: Fact, per_sample_weights: Fact | None = None) -> Shape:
    entries = indices.shape
    if per_sample_weights is not None:
        entries = unify_shapes(entries, per_sample_weights.shape, "C2")
    _check_rows(indices.value, emb_table.shape[0])
    return emb_table.shape.with_dim(0, entries[0])


@shape("EmbeddingBagPacked-15")
def packed_shape(
    emb_table: Fact, indices: Fact, per_sample_weights: Fact | None = None, *, reduction: str
) -> Shape:
    require(reduction == "sum" or per_sample_weights is None, "C3", reduction)
    return packed_sum_shape(emb_table, indices, per_sample_weights)


@shape("EmbeddingBagOffsetsSum-3")
def offsets_sum_shape(
    emb_table: Fact,
    indices: Fact,
    offsets: Fact,
    default_index: Fact | None = None,
    per_sample_weights: Fact | None = None,
) -> Shape:
    output = packed_sum_shape(emb_table, indices, per_sample_weights)
    if default_index is not None:
        _check_default(default_index.value, emb_table.shape[0])
    if offsets.value is not None:
        _check_offsets(offsets.value, indices.shape[0])
    return output.with_dim(0, offsets.shape[0])


@shape("EmbeddingBagOffsets-15")
def offsets_shape(
    emb_table: Fact,
    indices: Fact,
    offsets: Fact,
    default_index: Fact | None = None,
    per_sample_weights: Fact | None = None,
    *,
    reduction: str,
) -> Shape:
    require(reduction == "sum" or per_sample_weights is None, "C3", reduction)
    return offsets_sum_shape(emb_table, indices, offsets, default_index, per_sample_weights)


@shape("EmbeddingSegmentsSum-3")
def segments_sum_shape(
    emb_table: Fact,
    indices: Fact,
    segment_ids: Fact,
    num_segments: Fact,
    default_index: Fact | None = None,
    per_sample_weights: Fact | None = None,
) -> Shape:
    unify_shapes(indices.shape, segment_ids.shape, "C5")
    output = packed_sum_shape(emb_table, indices, per_sample_weights)
    if default_index is not None:
        _check_default(default_index.value, emb_table.shape[0])
    count = (num_segments.dims or (UNKNOWN,))[0]
    require(count >= 0, "C6", count)
    if segment_ids.value is not None:
        _check_segments(segment_ids.value, count)
    return output.with_dim(0, count.at_least(0))


def _check_rows(indices: Array | None, count: Dim) -> None:
    require(
        indices is None or not indices.size or (indices.min() >= 0 and int(indices.max()) < count.high),
        "C1",
        indices,
        f"{count} rows",
    )


def _check_default(index: Array | None, count: Dim) -> None:
    require(index is None or (int(index) >= -1 and int(index) < count.high), "C4", index, f"{count} rows")


def _check_offsets(offsets: Array, count: Dim) -> None:
    if offsets.size:
        require(offsets.min() >= 0 and int(offsets.max()) <= count.high, "C5", offsets, f"{count} indices")
        require((offsets[1:] >= offsets[:-1]).all(), "C6", offsets)


def _check_segments(ids: Array, count: Dim) -> None:
    require(not ids.size or (ids.min() >= 0 and int(ids.max()) < count.high), "C7", ids, f"{count} segments")
    warn_unless((ids[1:] >= ids[:-1]).all(), "C8", ids)


@kernel("EmbeddingBagPackedSum-3", "EmbeddingBagPacked-15", widen=True)
def packed(
    emb_table: Array, indices: Array, per_sample_weights: Array | None, *, reduction: str = "sum"
) -> Array:
    bags = np.repeat(np.arange(len(indices)), indices.shape[1])
    weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    return _bags(emb_table, indices.reshape(-1), bags, len(indices), None, weights, reduction)


@kernel("EmbeddingBagOffsetsSum-3", "EmbeddingBagOffsets-15", widen=True)
def bag_offsets(
    emb_table: Array,
    indices: Array,
    offsets: Array,
    default_index: Array | None,
    per_sample_weights: Array | None,
    *,
    reduction: str = "sum",
) -> Array:
    _check_offsets(offsets, Dim.of(len(indices)))
    _check_default(default_index, Dim.of(len(emb_table)))
    first = int(offsets[0]) if offsets.size else len(indices)  # indices before the first offset are in no bag
    bags = np.searchsorted(offsets, np.arange(first, len(indices)), side="right") - 1
    weights = None if per_sample_weights is None else per_sample_weights[first:]
    return _bags(emb_table, indices[first:], bags, len(offsets), default_index, weights, reduction)


@kernel("EmbeddingSegmentsSum-3", widen=True)
def segments_sum(
    emb_table: Array,
    indices: Array,
    segment_ids: Array,
    num_segments: Array,
    default_index: Array | None,
    per_sample_weights: Array | None,
) -> Array:
    _check_segments(segment_ids, Dim.of(int(num_segments)))
    _check_default(default_index, Dim.of(len(emb_table)))
    return _bags(emb_table, indices, segment_ids, int(num_segments), default_index, per_sample_weights, "sum")


def _bags(
    table: Array,
    indices: Array,
    bags: Array,
    count: int,
    default_index: Array | None,
    weights: Array | None,
    reduction: str,
) -> Array:
    """The sum or mean of the table rows of each bag; an empty bag gives the default row, or zeros.

    bags: the bag of each index. count: the number of bags.
    """
    _check_rows(indices, Dim.of(len(table)))
    if not table[:1].size or not count:
        return np.zeros((count, *table.shape[1:]), table.dtype)
    kind = element_type_of(table)
    wide = np.dtype(np.int64) if kind.integral else table.dtype
    bag_sizes = np.bincount(bags, minlength=count)
    rows = _Rows(table, indices, None if weights is None else weights.astype(wide), wide)
    sums = rows.summed(np.argsort(bags, kind="stable"), bag_sizes)
    if reduction == "mean":
        sums = _divided(sums, np.maximum(bag_sizes, 1).reshape(-1, *(1,) * (sums.ndim - 1)))
    if default_index is not None and int(default_index) >= 0:
        sums[bag_sizes == 0] = as_numbers(table[[int(default_index)]])[0]
    return low_bits(sums, kind) if kind.integral else sums


class _Rows(NamedTuple):
    """The table rows of all bags, each times its weight if there are weights. wide: the type of the sums."""

    table: Array
    indices: Array
    weights: Array | None
    wide: np.dtype[Any]

    def at(self, places: Array) -> Array:
        """The rows of some indices, by the places of these."""
        rows = as_numbers(self.table.take(self.indices[places], axis=0)).astype(self.wide, copy=False)
        if self.weights is not None:
            rows *= self.weights[places].reshape(-1, *(1,) * (rows.ndim - 1))
        return rows

    def summed(self, places: Array, sizes: Array) -> Array:
        """The sum of the rows of each bag, in the order of its places.

        places: of the indices of all bags, one bag after the other; sizes: the number of each bag's indices
        Returns:  [bags, ...]
        """
        starts = np.cumsum(sizes) - sizes
        sums = np.zeros((len(sizes), *self.table.shape[1:]), self.wide)
        if sizes.max() > len(sizes):  # few bags: one after the other
            for bag in np.flatnonzero(sizes):
                sums[bag] += self.at(places[starts[bag] : starts[bag] + sizes[bag]]).sum(axis=0)
            return sums
        largest_first = np.argsort(-sizes, kind="stable")
        for rank in range(sizes.max()):  # many bags: the row of a rank of all bags at once
            reaching = largest_first[: np.count_nonzero(sizes > rank)]
            sums[: len(reaching)] += self.at(places[starts[reaching] + rank])
        by_bag = np.empty_like(sums)
        by_bag[largest_first] = sums
        return by_bag


def _divided(sums: Array, sizes: Array) -> Array:
    """Sums divided by sizes; integers are rounded toward zero."""
    if sums.dtype.kind == "f":
        return np.asarray(sums / sizes.astype(sums.dtype))
    return np.asarray(np.sign(sums) * (np.abs(sums) // sizes))
