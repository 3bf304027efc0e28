"""Norms along axes, and the least element: ReduceL1, ReduceL2, ReduceMin."""

from __future__ import annotations

from math import inf

import numpy as np

from irops.ops.conversion import as_numbers, converted, nearest
from irops.ops.reduction.folding import along_axes
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, values
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, ElementType, element_type_of

WIDEST = {"f": np.float64, "i": np.int64, "u": np.uint64}


def named(axes: Array, rank: int) -> tuple[int, ...]:
    """The axes to fold, counted from 0; of a scalar, none."""
    found = normal_axes(map(int, axes.ravel()), rank, "C1", "C2")
    return found if rank else ()


@kernel("ReduceMin-1")
def reduce_min(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    greatest = inf if numbers.dtype.kind == "f" else np.iinfo(numbers.dtype).max
    least = np.min(numbers, axis=named(axes, data.ndim), keepdims=keep_dims, initial=greatest)
    return converted(np.asarray(least), element_type_of(data))


@kernel("ReduceL1-4")
def reduce_l1(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    wide = np.abs(numbers.astype(WIDEST[numbers.dtype.kind]))
    return converted(
        np.asarray(np.sum(wide, axis=named(axes, data.ndim), keepdims=keep_dims, dtype=wide.dtype)),
        element_type_of(data),
    )


@kernel("ReduceL2-4")
def reduce_l2(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    kind, numbers = element_type_of(data), as_numbers(data).astype(np.float64)
    norm = np.asarray(np.sqrt(np.sum(np.square(numbers), axis=named(axes, data.ndim), keepdims=keep_dims)))
    return nearest(norm, kind) if kind.integral else converted(norm, kind)


@values("ReduceMin-1")
def reduce_min_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return along_axes(_least, data, axes, keep_dims, result_type)


def _least(dims: list[Dim]) -> Dim:
    return Dim(min(dim.low for dim in dims), min(dim.high for dim in dims)) if dims else UNKNOWN
