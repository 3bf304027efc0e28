"""ScatterUpdate, ScatterElementsUpdate, ScatterNDUpdate: elements written at indices."""

from math import prod
from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, moving, shape, values
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import BOOLEAN, Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require, warn_unless

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


@shape("ScatterNDUpdate-4", "ScatterNDUpdate-15")
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


@values("ScatterNDUpdate-4", "ScatterNDUpdate-15")
def scatter_nd_update_values(
    data: Array, indices: Array, updates: Array, *, reduction: str = "none"
) -> Array | None:
    if reduction != "none":
        return None
    moved: Array | None = moving(scatter_nd_update, *MOVED)(data, indices, updates)
    return moved


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
        check_element_indices(as_i64(indices.value), data[axis])


def check_element_indices(indices: Array, size: Dim) -> None:
    """Require that indices lie inside an axis of this size."""
    outside = (indices >= size.high) | (indices < -size.high)
    require(not outside.any(), "C5", f"{indices[outside][:1].tolist()} on {size} elements")


@shape("ScatterElementsUpdate-12")
def scatter_elements_update_12_shape(
    data: Fact, indices: Fact, updates: Fact, axis: Fact, *, reduction: str
) -> Shape:
    require(reduction != "mean" or data.element_type is not BOOLEAN, "C7", data)
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
    check_element_indices(numbers, Dim.of(data.shape[along]))
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


@values("ScatterElementsUpdate-3", "ScatterElementsUpdate-12")
def scatter_elements_values(
    data: Array, indices: Array, updates: Array, axis: Array, *, reduction: str = "none"
) -> Array | None:
    if reduction != "none":
        return None
    moved: Array | None = moving(scatter_elements_update, *MOVED)(data, indices, updates, axis)
    return moved
