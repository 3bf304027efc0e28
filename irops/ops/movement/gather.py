"""The families of Gather and Scatter: elements at indices, and elements written at indices."""

from collections.abc import Callable, Sequence
from functools import reduce, wraps
from math import inf, prod
from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, moving, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import BOOLEAN, STRING, Array, as_i64, element_type_of, zeros
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
        check_gathered_elements(indices.value, size)
    if data.shape.dims is None:
        return indices.shape
    size_along = ANY if indices.shape.dims is None else indices.shape.of_rank(len(data.shape), "C1")[axis]
    return unify_shapes(data.shape.with_dim(axis, size_along), indices.shape, "C2")


def check_element_indices(indices: Array, size: Dim, constraint: str) -> None:
    """Require that indices lie inside an axis of this size."""
    outside = (indices >= size.high) | (indices < -size.high)
    require(not outside.any(), constraint, f"{indices[outside][:1].tolist()} on {size} elements")


def check_gathered_elements(indices: Array, size: Dim) -> None:
    """The same; warn if an index is negative."""
    check_element_indices(indices, size, "C3")
    warn_unless(not (indices < 0).any(), "C4", indices[indices < 0][:1].tolist())


@kernel("GatherElements-6", moves=("data",))
def gather_elements(data: Array, indices: Array, *, axis: int) -> Array:
    check_gathered_elements(indices, Dim.of(data.shape[axis]))
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
        check_tuples(indices.value, list(rest)[: int(depth)])
    return batch, indices.shape[batch_dims:-1] + rest[int(depth) :]


def check_tuples(indices: Array, sizes: list[Dim]) -> None:
    """Require that indices lie inside axes of these sizes; warn if one is negative."""
    numbers = as_i64(indices)
    for axis, size in enumerate(sizes):
        along = numbers[..., axis]
        outside = (along >= size.high) | (along < -size.high)
        require(
            not outside.any(), "C4", f"{along[outside][:1].tolist()} along axis {axis} of {size} elements"
        )
    warn_unless((numbers >= 0).all(), "C5", numbers[numbers < 0][:1].tolist())


@kernel("GatherND-8", moves=("data",))
def gather_nd(data: Array, indices: Array, *, batch_dims: int) -> Array:
    tuples, depth = as_i64(indices), indices.shape[-1]
    check_tuples(indices, [Dim.of(size) for size in data.shape[batch_dims : batch_dims + depth]])
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


# ScatterUpdate, ScatterElementsUpdate, ScatterNDUpdate: elements written at indices.


MOVED = ("data", "updates")
"""The inputs whose elements are the output, unless a reduction combines them."""
NUMBERS: dict[str, np.ufunc] = {
    "sum": np.add,
    "sub": np.subtract,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
FLAGS: dict[str, np.ufunc] = dict.fromkeys(("sum", "max"), np.logical_or)
FLAGS |= {"prod": np.logical_and, "min": np.logical_and, "sub": np.logical_xor}


def scattered(
    rows: Array, indices: Array, updates: Array, reduction: str, use_init_val: bool = True
) -> Array:
    """A copy of rows with updates written at indices, or combined with the rows there by a reduction.

    Without a reduction, the last update of an index remains. With use_init_val, the original rows take
    part in the reduction.
    """
    result = rows.copy()
    if reduction == "none":
        result[indices] = updates
        return result
    kind = element_type_of(rows)
    if kind is BOOLEAN:
        if not use_init_val:
            result[indices] = reduction in ("prod", "min")
        FLAGS[reduction].at(result, indices, updates)
        return result
    numbers, update_numbers = as_numbers(rows).copy(), as_numbers(updates)
    if reduction == "mean":
        return _means(rows, numbers, indices, update_numbers, use_init_val)
    if not use_init_val:
        numbers[indices] = _neutral(reduction, numbers.dtype)
    NUMBERS[reduction].at(numbers, indices, update_numbers)
    return converted(numbers, kind)


def moved_without_reduction(kernel: Callable[..., Array]) -> Callable[..., Array | None]:
    """The values function of a kernel that moves elements unless a reduction combines them."""
    move = moving(kernel, *MOVED)

    @wraps(kernel)
    def moved(*inputs: Any, reduction: str = "none", **_: Any) -> Array | None:
        return move(*inputs) if reduction == "none" else None

    return moved


def _means(rows: Array, numbers: Array, indices: Array, updates: Array, use_init_val: bool) -> Array:
    """A copy of rows with means at indices; means of integers are rounded down."""
    kind = element_type_of(rows)
    counts = np.bincount(indices, minlength=len(rows)).reshape(-1, *(1,) * (rows.ndim - 1))
    sums = numbers.astype(np.float64 if kind.floating else np.int64)
    if not use_init_val:
        sums[indices] = 0
    np.add.at(sums, indices, updates.astype(sums.dtype))
    divisors = np.maximum(counts + use_init_val, 1)
    means = sums / divisors if kind.floating else sums // divisors
    return np.where(counts > 0, converted(means, kind), rows)


def _neutral(reduction: str, dtype: np.dtype[Any]) -> Any:
    """The neutral element of a reduction."""
    if reduction in ("min", "max"):
        real = dtype.kind == "f"
        ends = (np.inf, -np.inf) if real else (np.iinfo(dtype).max, np.iinfo(dtype).min)
        return ends[reduction == "max"]
    return int(reduction == "prod")


@shape("ScatterUpdate-3")
def scatter_update_shape(data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
    require(axis.shape.size.can_be(1), "C1", axis)
    rank, number = data.shape.rank, (axis.dims or (UNKNOWN,))[0]
    if rank is None:
        return data.shape
    require(number >= -rank and number < rank, "C2", f"axis {number} at rank {rank}")
    if not number.known or indices.shape.rank is None:
        return data.shape
    at = int(number) % rank
    if indices.value is not None:
        check_indices(as_i64(indices.value), data.shape[at])
    unify_shapes(data.shape[:at] + indices.shape + data.shape[at + 1 :], updates.shape, "C3")
    return data.shape


def check_indices(indices: Array, size: Dim) -> None:
    """Require that indices lie inside an axis of this size."""
    outside = (indices >= size.high) | (indices < 0)
    require(not outside.any(), "C4", f"{indices[outside][:1].tolist()} on {size} elements")


@kernel("ScatterUpdate-3", moves=MOVED)
def scatter_update(data: Array, indices: Array, updates: Array, axis: Array) -> Array:
    at = normal_axes(as_i64(axis).ravel().tolist(), data.ndim, "C2")[0]
    numbers = as_i64(indices)
    check_indices(numbers, Dim.of(data.shape[at]))
    result = data.copy()
    rows = updates.reshape(*data.shape[:at], indices.size, *data.shape[at + 1 :])
    np.moveaxis(result, at, 0)[numbers.ravel()] = np.moveaxis(rows, at, 0)
    return result


@shape("ScatterNDUpdate-4")
def scatter_nd_update_shape(data: Fact, indices: Fact, updates: Fact) -> Shape:
    if data.shape.dims is None or indices.shape.dims is None:
        return data.shape
    tuples, depth = indices.shape[:-1], indices.shape[-1]
    require(depth <= len(data.shape), "C1", depth, f"rank {len(data.shape)}")
    require(depth >= 1, "C6", indices)
    if not depth.known:
        return data.shape
    if indices.value is not None:
        check_tuples(indices.value, list(data.shape[: int(depth)]))
    outer, inner = data.shape[: int(depth)], data.shape[int(depth) :]
    if not len(tuples) and not len(inner):
        require(updates.shape.size.can_be(1), "C3", updates)
        return data.shape
    update_shape = unify_shapes(tuples + inner, updates.shape, "C2")
    return outer + update_shape[len(tuples) :]


@shape("ScatterNDUpdate-15")
def scatter_nd_update_15_shape(data: Fact, indices: Fact, updates: Fact, *, reduction: str) -> Shape:
    require(reduction == "none" or data.element_type is not STRING, "C7", data)
    return scatter_nd_update_shape(data, indices, updates)


@kernel("ScatterNDUpdate-4", "ScatterNDUpdate-15")
def scatter_nd_update(data: Array, indices: Array, updates: Array, *, reduction: str = "none") -> Array:
    depth = indices.shape[-1]
    outer, inner = data.shape[:depth], data.shape[depth:]
    check_tuples(indices, [Dim.of(size) for size in outer])
    strides = np.array([prod(outer[axis + 1 :]) for axis in range(depth)], np.int64)
    from_0 = as_i64(indices) % np.array(outer, np.int64) if indices.size else as_i64(indices)
    rows = data.reshape(prod(outer), prod(inner))
    new_rows = updates.reshape(prod(indices.shape[:-1]), prod(inner))
    return scattered(rows, (from_0 * strides).sum(-1).ravel(), new_rows, reduction).reshape(data.shape)


values("ScatterNDUpdate-4", "ScatterNDUpdate-15")(moved_without_reduction(scatter_nd_update))


@shape("ScatterElementsUpdate-3")
def scatter_elements_update_shape(data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
    require(axis.shape.size.can_be(1), "C3", axis)
    update_shape = unify_shapes(indices.shape, updates.shape, "C2")
    rank = data.shape.rank
    if rank is None:
        return data.shape
    require(update_shape.rank in (None, rank), "C1", data.shape, update_shape)
    number = (axis.dims or (UNKNOWN,))[0]
    require(number >= -rank and number < rank, "C4", f"axis {number} at rank {rank}")
    if number.known and update_shape.rank is not None:
        _check_positions(indices, data.shape, update_shape, int(number) % rank)
    return data.shape


def _check_positions(indices: Fact, data: Shape, update_shape: Shape, axis: int) -> None:
    """Require constant indices inside the axis, and sizes along the other axes of at most those of data."""
    fits = all(size <= data[other] for other, size in enumerate(update_shape) if other != axis)
    warn_unless(fits, "C6", update_shape, data)
    if indices.value is not None:
        check_element_indices(as_i64(indices.value), data[axis], "C5")


@shape("ScatterElementsUpdate-12")
def scatter_elements_update_12_shape(
    data: Fact, indices: Fact, updates: Fact, axis: Fact, *, reduction: str
) -> Shape:
    require(reduction != "mean" or data.element_type is not BOOLEAN, "C7", data)
    require(reduction == "none" or data.element_type is not STRING, "C8", data)
    return scatter_elements_update_shape(data, indices, updates, axis)


@kernel("ScatterElementsUpdate-3", "ScatterElementsUpdate-12")
def scatter_elements_update(
    data: Array,
    indices: Array,
    updates: Array,
    axis: Array,
    *,
    reduction: str = "none",
    use_init_val: bool = True,
) -> Array:
    along = normal_axes(as_i64(axis).ravel().tolist(), data.ndim, "C4")[0]
    numbers = as_i64(indices)
    check_element_indices(numbers, Dim.of(data.shape[along]), "C5")
    others = [size for other, size in enumerate(indices.shape) if other != along]
    fits = all(size <= whole for size, whole in zip(others, np.delete(data.shape, along)))
    require(fits, "C6", Shape(indices.shape), Shape(data.shape))
    positions: list[Array] = list(np.indices(indices.shape, sparse=True))
    positions[along] = np.where(numbers < 0, numbers + data.shape[along], numbers)
    strides = [prod(data.shape[axis + 1 :]) for axis in range(data.ndim)]
    flat = sum(
        (position * stride for position, stride in zip(positions, strides)), np.zeros(indices.shape, np.int64)
    ).ravel()
    return scattered(data.reshape(-1), flat, updates.reshape(-1), reduction, use_init_val).reshape(data.shape)


values("ScatterElementsUpdate-3", "ScatterElementsUpdate-12")(
    moved_without_reduction(scatter_elements_update)
)
