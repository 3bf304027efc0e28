"""Arithmetic reductions: ReduceMax, ReduceMean, ReduceProd, ReduceSum."""

from __future__ import annotations

from math import inf, prod

import numpy as np

from irops.ops.arithmetic.division import divide_dim
from irops.ops.conversion import as_numbers, converted
from irops.ops.reduction.axes import WIDEST, reduce_dims, reduced_axes, with_reduced_axes
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, ElementType, element_type_of


@kernel("ReduceSum-1")
def reduce_sum(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    return converted(total(data, reduced_axes(data.ndim, axes), keep_dims), element_type_of(data))


@kernel("ReduceProd-1")
def reduce_prod(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    product = np.prod(
        numbers, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims, dtype=WIDEST[numbers.dtype.kind]
    )
    return converted(np.asarray(product), element_type_of(data))


@kernel("ReduceMax-1")
def reduce_max(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    numbers = as_numbers(data)
    smallest = -inf if numbers.dtype.kind == "f" else np.iinfo(numbers.dtype).min
    return converted(
        np.asarray(np.max(numbers, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims, initial=smallest)),
        element_type_of(data),
    )


@kernel("ReduceMean-1")
def reduce_mean(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    along = reduced_axes(data.ndim, axes)
    count = max(prod(data.shape[axis] for axis in along), 1)
    summed = total(data, along, keep_dims)
    mean = summed / count if summed.dtype.kind == "f" else (summed - np.fmod(summed, count)) // count
    return converted(np.asarray(mean), element_type_of(data))


def total(data: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    """The sum along axes, in the widest type of the kind of data."""
    numbers = as_numbers(data)
    return np.asarray(np.sum(numbers, axis=along, keepdims=keep_dims, dtype=WIDEST[numbers.dtype.kind]))


@gradient("ReduceSum-1")
def reduce_sum_gradient(d_output: Array, axes: Array, *, data_shape: Sizes, keep_dims: bool) -> Array:
    return np.broadcast_to(with_reduced_axes(d_output, axes, data_shape, keep_dims), data_shape)


@gradient("ReduceMean-1", widen=True)
def reduce_mean_gradient(d_output: Array, axes: Array, *, data_shape: Sizes, keep_dims: bool) -> Array:
    shares = with_reduced_axes(d_output, axes, data_shape, keep_dims)
    count = max(prod(size for size, kept in zip(data_shape, shares.shape) if kept == 1), 1)
    return np.broadcast_to(shares / shares.dtype.type(count), data_shape)


@values("ReduceSum-1")
def reduce_sum_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return reduce_dims(lambda dims: sum(dims, Dim.of(0)), data, axes, keep_dims, result_type)


@values("ReduceProd-1")
def reduce_prod_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return reduce_dims(lambda dims: prod(dims, start=Dim.of(1)), data, axes, keep_dims, result_type)


@values("ReduceMax-1")
def reduce_max_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return reduce_dims(_maximum, data, axes, keep_dims, result_type)


@values("ReduceMean-1")
def reduce_mean_dims(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
    return reduce_dims(lambda dims: _mean(dims, result_type), data, axes, keep_dims, result_type)


def _maximum(dims: list[Dim]) -> Dim:
    return Dim(max(dim.low for dim in dims), max(dim.high for dim in dims)) if dims else UNKNOWN


def _mean(dims: list[Dim], kind: ElementType) -> Dim:
    return divide_dim(sum(dims, Dim.of(0)), Dim.of(max(len(dims), 1)), m_pythondiv=False, result_type=kind)
