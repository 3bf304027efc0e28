"""Gather, GatherElements, GatherND and GatherTree: elements at indices."""

from collections.abc import Sequence
from functools import reduce
from math import inf, prod
from typing import Any

import numpy as np

from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import Array, as_i64, element_type_of, zeros
from irops.values.fact import Fact, holds_dims
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import Violation, require, warn_unless


@shape("Gather-7")
def gather_7_shape(data: Fact, indices: Fact, axis: Fact, *, batch_dims: int) -> Shape:
    check_signs(indices.value)
    return gather_shape(data, indices, axis, batch_dims=batch_dims)


@shape("Gather-8")
def gather_shape(data: Fact, indices: Fact, axis: Fact, *, batch_dims: int) -> Shape:
    require(axis.shape.size.can_be(1), "C1", axis)
    rank, indices_rank = data.shape.rank, indices.shape.rank
    batch = batch_dims if indices_rank is None else normal_batch(batch_dims, indices_rank)
    axis_dim = (axis.dims or (UNKNOWN,))[0]
    axes = None if rank is None else possible_axes(axis_dim, rank)
    if axes:
        last: float = axes[-1]
    else:
        last = axis_dim.high if axis_dim.low >= 0 else inf
    require(batch <= last, "C4", f"batch_dims {batch}", f"axis {last}")
    if axes is None or indices_rank is None:
        return UNRANKED
    heads = [unify(a, b, "C5") for a, b in zip(data.shape[:batch], indices.shape[:batch])]
    check_known_indices(indices, data.shape[axes[0]] if len(axes) == 1 else None)
    shape, kept = data.shape, indices.shape[batch:]
    outcomes = (Shape(heads) + shape[batch:a] + kept + shape[a + 1 :] for a in axes if a >= batch)
    return reduce(Shape.union, outcomes)


def normal_batch(batch_dims: int, indices_rank: int) -> int:
    """batch_dims as a number of axes; Violation("C3") if indices has fewer axes."""
    require(-indices_rank <= batch_dims <= indices_rank, "C3", f"{batch_dims} at rank {indices_rank}")
    return batch_dims + indices_rank if batch_dims < 0 else batch_dims


def possible_axes(axis: Dim, rank: int) -> list[int]:
    """The possible values of axis, counted from 0 and ascending; Violation("C2") if there are none."""
    axes = [a for a in range(rank) if axis.can_be(a) or axis.can_be(a - rank)]
    if not axes:
        raise Violation("C2", f"got axis {axis} at rank {rank}")
    return axes


def check_known_indices(indices: Fact, size: Dim | None) -> None:
    """Report constant indices that lie outside the axis for every possible size."""
    if size is not None and indices.value is not None:
        values = as_i64(indices.value)
        outside = (values >= size.high) | (values < -size.high)
        warn_unless(not outside.any(), "C6", f"{values[outside][:1].tolist()} on {size} elements")


def check_signs(indices: Array | None) -> None:
    """Refuse negative indices, to which parts of OpenVINO give different meanings; warn of a single one."""
    if indices is not None:
        values = as_i64(indices)
        negative = values[values < 0][:1].tolist()
        require(not negative or values.size == 1, "C7", negative)
        warn_unless(not negative, "C8", negative)


@shape("Gather-1")
def gather_1_shape(data: Fact, indices: Fact, axis: Fact) -> Shape:
    require(axis.shape.size.can_be(1), "C1", axis)
    check_signs(indices.value)
    if data.shape.rank is None:
        return UNRANKED
    axes = possible_axes((axis.dims or (UNKNOWN,))[0], data.shape.rank)
    check_known_indices(indices, data.shape[axes[0]] if len(axes) == 1 else None)
    return reduce(Shape.union, (data.shape[:a] + indices.shape + data.shape[a + 1 :] for a in axes))


@kernel("Gather-1")
def gather_1(data: Array, indices: Array, axis: Array) -> Array:
    check_signs(indices)
    at = normal_axes(as_i64(axis).ravel().tolist(), data.ndim, "C2")[0]
    return picked(data, indices, at, 0, zeros((), element_type_of(data)))


@values("Gather-1")
def gather_1_values(data: Array, indices: Array, axis: Array) -> Array | None:
    if holds_dims(indices) or holds_dims(axis):
        return None
    (along,) = normal_axes(as_i64(axis).ravel().tolist(), data.ndim, "C2")
    return picked(data.astype(object), indices, along, 0, Dim.of(0))


@kernel("Gather-7")
def gather_7(data: Array, indices: Array, axis: Array, *, batch_dims: int) -> Array:
    check_signs(indices)
    return gather(data, indices, axis, batch_dims=batch_dims)


@kernel("Gather-8")
def gather(data: Array, indices: Array, axis: Array, *, batch_dims: int) -> Array:
    return gathered(data, indices, axis, batch_dims, zeros((), element_type_of(data)))


def gathered(data: Array, indices: Array, axis: Array, batch_dims: int, zero: Any) -> Array:
    """The slices of data at indices; zero for indices outside the axis."""
    batch = normal_batch(batch_dims, indices.ndim)
    at = normal_axes(as_i64(axis).ravel().tolist(), data.ndim, "C2")[0]
    require(batch <= at, "C4", f"batch_dims {batch}", f"axis {at}")
    return picked(data, indices, at, batch, zero)


def picked(data: Array, indices: Array, at: int, batch: int, zero: Any) -> Array:
    """As gathered, for a valid axis (at) and batch_dims (batch), both counted from 0."""
    shape = data.shape[:at] + indices.shape[batch:] + data.shape[at + 1 :]
    batches, size = prod(data.shape[:batch]), data.shape[at]
    rows = data.reshape(batches, prod(data.shape[batch:at]), size, prod(data.shape[at + 1 :]))
    source = as_i64(indices).reshape(batches, 1, prod(indices.shape[batch:]))
    source = np.where(source < 0, source + size, source)
    inside = (source >= 0) & (source < size)
    if not inside.all():  # indices outside the axis select an additional row of zeros
        rows = np.concatenate([rows, np.full((*rows.shape[:2], 1, rows.shape[3]), zero, data.dtype)], axis=2)
        source = np.where(inside, source, size)
    first, second, _ = np.indices((batches, rows.shape[1], 1), sparse=True)
    return rows[first, second, source].reshape(shape)


@values("Gather-7", "Gather-8")
def gather_values(data: Array, indices: Array, axis: Array, *, batch_dims: int) -> Array | None:
    if holds_dims(indices) or holds_dims(axis):
        return None
    return gathered(data.astype(object), indices, axis, batch_dims, Dim.of(0))


@gradient("Gather-8")
def gather_gradient(
    d_output: Array, indices: Array, axis: Array, *, data_shape: Sizes, batch_dims: int
) -> Array:
    """Add each row of d_output to the row of data that it was gathered from, in f64, rounded once."""
    rows = np.zeros(data_shape, np.complex128 if d_output.dtype.kind == "c" else np.float64)
    places = gathered(np.arange(rows.size).reshape(data_shape), indices, axis, batch_dims, -1)
    inside = places >= 0
    np.add.at(rows.reshape(-1), places[inside], d_output[inside].astype(rows.dtype))
    return rows.astype(d_output.dtype)


@shape("GatherElements-6")
def gather_elements_shape(data: Fact, indices: Fact, *, axis: int) -> Shape:
    size = data.shape[axis]
    if indices.value is not None:
        check_element_indices(indices.value, size)
    if data.shape.dims is None:
        return indices.shape
    size_along = ANY if indices.shape.dims is None else indices.shape.of_rank(len(data.shape), "C1")[axis]
    return unify_shapes(data.shape.with_dim(axis, size_along), indices.shape, "C2")


def check_element_indices(indices: Array, size: Dim) -> None:
    """Require that indices lie inside an axis of this size; warn if one is negative."""
    outside = (indices >= size.high) | (indices < -size.high)
    require(not outside.any(), "C3", f"{indices[outside][:1].tolist()} on {size} elements")
    warn_unless(not (indices < 0).any(), "C4", indices[indices < 0][:1].tolist())


@kernel("GatherElements-6", moves=("data",))
def gather_elements(data: Array, indices: Array, *, axis: int) -> Array:
    check_element_indices(indices, Dim.of(data.shape[axis]))
    return taken_along(data, as_i64(indices), axis)


def taken_along(data: Array, indices: Array, axis: int) -> Array:
    """The elements at indices along an axis; all other axes of both are equal. On more than three axes, as
    NumPy has it, the axis would need an array of indices for each, of which it takes at most 63.
    """
    axis %= data.ndim

    def folded(array: Array) -> Array:
        return array.reshape(prod(array.shape[:axis]), array.shape[axis], prod(array.shape[axis + 1 :]))

    return np.take_along_axis(folded(data), folded(indices), 1).reshape(indices.shape)


@shape("GatherND-8")
def gather_nd_shape(data: Fact, indices: Fact, *, batch_dims: int) -> Shape:
    batch, rest = _parts(data, indices, batch_dims)
    return batch + rest


@shape("GatherND-5")
def gather_nd_5_shape(data: Fact, indices: Fact, *, batch_dims: int) -> Shape:
    batch, rest = _parts(data, indices, batch_dims)
    if batch_dims < 2 or batch.dims is None:
        return batch + rest
    return Shape.of(reduce(lambda a, b: a * b, batch)) + rest


def _parts(data: Fact, indices: Fact, batch_dims: int) -> tuple[Shape, Shape]:
    """The batch axes of the output, and its other axes."""
    ranks = data.shape.rank, indices.shape.rank
    for rank in ranks:
        require(
            rank is None or batch_dims < rank, "C1", f"{batch_dims} batch axes", data.shape, indices.shape
        )
    if None in ranks:
        return UNRANKED, UNRANKED
    batch = Shape(unify(a, b, "C2") for a, b in zip(data.shape[:batch_dims], indices.shape[:batch_dims]))
    rest, depth = data.shape[batch_dims:], indices.shape[-1]
    require(depth <= len(rest), "C3", f"{depth} indices for {len(rest)} axes")
    if not depth.known:
        return batch, UNRANKED
    if indices.value is not None:
        check_tuples(as_i64(indices.value), list(rest)[: int(depth)])
    return batch, indices.shape[batch_dims:-1] + rest[int(depth) :]


def check_tuples(indices: Array, sizes: list[Dim]) -> None:
    """Require that indices lie inside axes of these sizes; warn if one is negative."""
    for axis, size in enumerate(sizes):
        along = indices[..., axis]
        outside = (along >= size.high) | (along < -size.high)
        require(not outside.any(), "C4", f"{along[outside][:1].tolist()} on {size} elements")
    warn_unless((indices >= 0).all(), "C5", indices[indices < 0][:1].tolist())


@kernel("GatherND-8", moves=("data",))
def gather_nd(data: Array, indices: Array, *, batch_dims: int) -> Array:
    tuples, depth = as_i64(indices), indices.shape[-1]
    check_tuples(tuples, [Dim.of(size) for size in data.shape[batch_dims : batch_dims + depth]])
    between = (1,) * (tuples.ndim - 1 - batch_dims)
    items: Sequence[Array] = np.indices(data.shape[:batch_dims], sparse=True)
    if depth:
        selected: Array = data[
            (*(axis.reshape(axis.shape + between) for axis in items), *np.moveaxis(tuples, -1, 0))
        ]
        return selected
    # an empty tuple selects all of its batch item
    whole = data.reshape(data.shape[:batch_dims] + between + data.shape[batch_dims:])
    return np.broadcast_to(whole, tuples.shape[:-1] + data.shape[batch_dims:])


@kernel("GatherND-5", moves=("data",))
def gather_nd_5(data: Array, indices: Array, *, batch_dims: int) -> Array:
    result = gather_nd(data, indices, batch_dims=batch_dims)
    sizes = result.shape
    return result.reshape(prod(sizes[:batch_dims]), *sizes[batch_dims:]) if batch_dims else result


@shape("GatherTree-1")
def gather_tree_shape(
    step_ids: Fact,
    parent_ids: Fact,
    max_seq_len: Fact,
    end_token: Fact,  # noqa: ARG001
) -> Shape:
    both = unify_shapes(step_ids.shape.of_rank(3, "C1"), parent_ids.shape, "C1")
    return both.with_dim(1, unify(both[1], max_seq_len.shape[0], "C2"))


@kernel("GatherTree-1")
def gather_tree(step_ids: Array, parent_ids: Array, max_seq_len: Array, end_token: Array) -> Array:
    times, batch, beams = step_ids.shape
    parents, lengths = as_i64(parent_ids), np.minimum(as_i64(max_seq_len), times)[:, np.newaxis]
    tokens = np.full_like(step_ids, end_token)
    beam = np.broadcast_to(np.arange(beams), (batch, beams))
    for time in reversed(range(times)):
        active = time < lengths
        if not (((beam >= 0) & (beam < beams)) | ~active).all():
            require(False, "C3", beam[active[:, 0]].tolist(), f"{beams} beams")
        beam = np.where(active, beam, np.arange(beams))
        tokens[time] = np.where(active, np.take_along_axis(step_ids[time], beam, 1), end_token)
        beam = np.where(active, np.take_along_axis(parents[time], beam, 1), beam)
    ended = np.logical_or.accumulate(tokens == end_token, axis=0)
    return np.where(ended, end_token, tokens)
