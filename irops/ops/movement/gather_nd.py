"""GatherND: gather elements or slices of a tensor at index tuples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

import numpy as np

from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


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
        check_indices(as_i64(indices.value), list(rest)[: int(depth)])
    return batch, indices.shape[batch_dims:-1] + rest[int(depth) :]


def check_indices(indices: Array, sizes: list[Dim]) -> None:
    """Require that indices lie inside axes of these sizes; warn if one is negative."""
    for axis, size in enumerate(sizes):
        along = indices[..., axis]
        outside = (along >= size.high) | (along < -size.high)
        require(not outside.any(), "C4", f"{along[outside][:1].tolist()} on {size} elements")
    warn_unless((indices >= 0).all(), "C5", indices[indices < 0][:1].tolist())


@kernel("GatherND-8")
def gather_nd(data: Array, indices: Array, *, batch_dims: int) -> Array:
    tuples, depth = as_i64(indices), indices.shape[-1]
    check_indices(tuples, [Dim.of(size) for size in data.shape[batch_dims : batch_dims + depth]])
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


@kernel("GatherND-5")
def gather_nd_5(data: Array, indices: Array, *, batch_dims: int) -> Array:
    result = gather_nd(data, indices, batch_dims=batch_dims)
    sizes = result.shape
    return result.reshape(prod(sizes[:batch_dims]), *sizes[batch_dims:]) if batch_dims else result


@values("GatherND-8")
def gather_nd_values(data: Array, indices: Array, *, batch_dims: int) -> Array | None:
    return None if holds_dims(indices) else gather_nd(data, indices, batch_dims=batch_dims)


@values("GatherND-5")
def gather_nd_5_values(data: Array, indices: Array, *, batch_dims: int) -> Array | None:
    return None if holds_dims(indices) else gather_nd_5(data, indices, batch_dims=batch_dims)
