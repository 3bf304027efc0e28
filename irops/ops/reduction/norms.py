"""Norms and the minimum along axes: ReduceL1, ReduceL2, ReduceMin."""

from __future__ import annotations

from math import inf

import numpy as np

from irops.ops.conversion import as_numbers, converted, nearest
from irops.ops.reduction.axes import WIDEST, reduce_dims, reduced_axes
from irops.spec.binding import kernel, values
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, ElementType, element_type_of


@kernel("ReduceMin-1")
def reduce_min(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    largest = inf if numbers.dtype.kind == "f" else np.iinfo(numbers.dtype).max
    minimum = np.min(numbers, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims, initial=largest)
    return converted(np.asarray(minimum), element_type_of(data))


@kernel("ReduceL1-4")
def reduce_l1(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    wide = np.abs(numbers.astype(WIDEST[numbers.dtype.kind]))
    return converted(
        np.asarray(np.sum(wide, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims, dtype=wide.dtype)),
        element_type_of(data),
    )


@kernel("ReduceL2-4")
def reduce_l2(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    kind, numbers = element_type_of(data), as_numbers(data).astype(np.float64)
    norm = np.asarray(
        np.sqrt(np.sum(np.square(numbers), axis=reduced_axes(data.ndim, axes), keepdims=keep_dims))
    )
    return nearest(norm, kind) if kind.integral else converted(norm, kind)


@values("ReduceMin-1")
def reduce_min_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return reduce_dims(_minimum, data, axes, keep_dims, result_type)


def _minimum(dims: list[Dim]) -> Dim:
    return Dim(min(dim.low for dim in dims), min(dim.high for dim in dims)) if dims else UNKNOWN
