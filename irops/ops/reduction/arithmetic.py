"""Arithmetic along axes: ReduceMax, ReduceMean, ReduceProd, ReduceSum."""

from __future__ import annotations

from math import inf, prod

import numpy as np

from irops.ops.arithmetic.division import divide_dim
from irops.ops.conversion import as_numbers, converted
from irops.ops.reduction.folding import along_axes, folded, unfolded
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, ElementType, element_type_of

WIDEST = {"f": np.float64, "i": np.int64, "u": np.uint64}
"""What sums and products are gathered in, by kind."""


@kernel("ReduceSum-1")
def reduce_sum(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    return converted(total(data, folded(data.ndim, axes), keep_dims), element_type_of(data))


@kernel("ReduceProd-1")
def reduce_prod(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    product = np.prod(
        numbers, axis=folded(data.ndim, axes), keepdims=keep_dims, dtype=WIDEST[numbers.dtype.kind]
    )
    return converted(np.asarray(product), element_type_of(data))


@kernel("ReduceMax-1")
def reduce_max(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    least = -inf if numbers.dtype.kind == "f" else np.iinfo(numbers.dtype).min
    return converted(
        np.asarray(np.max(numbers, axis=folded(data.ndim, axes), keepdims=keep_dims, initial=least)),
        element_type_of(data),
    )


@kernel("ReduceMean-1")
def reduce_mean(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    along = folded(data.ndim, axes)
    count = max(prod(data.shape[axis] for axis in along), 1)
    found = total(data, along, keep_dims)
    mean = found / count if found.dtype.kind == "f" else (found - np.fmod(found, count)) // count
    return converted(np.asarray(mean), element_type_of(data))


def total(data: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    """The sum along axes, in the widest type of data's kind."""
    numbers = as_numbers(data)
    return np.asarray(np.sum(numbers, axis=along, keepdims=keep_dims, dtype=WIDEST[numbers.dtype.kind]))


@gradient("ReduceSum-1")
def reduce_sum_gradient(d_output: Array, axes: Array, *, data_shape: Sizes, keep_dims: bool) -> Array:
    return np.broadcast_to(unfolded(d_output, axes, data_shape, keep_dims), data_shape)


@gradient("ReduceMean-1", widen=True)
def reduce_mean_gradient(d_output: Array, axes: Array, *, data_shape: Sizes, keep_dims: bool) -> Array:
    shares = unfolded(d_output, axes, data_shape, keep_dims)
    count = max(prod(size for size, folds in zip(data_shape, shares.shape) if folds == 1), 1)
    return np.broadcast_to(shares / shares.dtype.type(count), data_shape)


@values("ReduceSum-1")
def reduce_sum_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return along_axes(lambda dims: sum(dims, Dim.of(0)), data, axes, keep_dims, result_type)


@values("ReduceProd-1")
def reduce_prod_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return along_axes(lambda dims: prod(dims, start=Dim.of(1)), data, axes, keep_dims, result_type)


@values("ReduceMax-1")
def reduce_max_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return along_axes(_greatest, data, axes, keep_dims, result_type)


@values("ReduceMean-1")
def reduce_mean_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return along_axes(lambda dims: _mean(dims, result_type), data, axes, keep_dims, result_type)


def _greatest(dims: list[Dim]) -> Dim:
    return Dim(max(dim.low for dim in dims), max(dim.high for dim in dims)) if dims else UNKNOWN


def _mean(dims: list[Dim], kind: ElementType) -> Dim:
    return divide_dim(sum(dims, Dim.of(0)), Dim.of(max(len(dims), 1)), m_pythondiv=False, result_type=kind)
