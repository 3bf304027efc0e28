"""Reductions: sums, products, extremes, means, norms, and the logical ones."""

from collections.abc import Callable, Iterable
from math import inf, prod

import numpy as np

from irops.ops.arithmetic.binary import divide_dim
from irops.ops.conversion import as_numbers, converted, nearest
from irops.ops.partial import as_dims, stored_dim
from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import UNKNOWN, Bound, Dim
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import holds_dims

WIDEST = {"f": np.float64, "i": np.int64, "u": np.uint64}
"""The type in which sums and products are accumulated, by kind."""


def reduced_axes(rank: int, axes: Array) -> tuple[int, ...]:
    """The axes to reduce, counted from 0. A scalar has none, although it accepts 0 and -1."""
    counted = normal_axes(map(int, axes.ravel()), rank, "C1", "C2")
    return counted if rank else ()


def with_reduced_axes(output: Array, axes: Array, data_shape: Sizes, keep_dims: bool) -> Array:
    """The output of a reduction, with size 1 along the reduced axes."""
    return output if keep_dims else np.expand_dims(output, reduced_axes(len(data_shape), axes))


def combine_dims(op: str, combine: Callable[[list[Dim], ElementType], Dim]) -> None:
    """Make the values function of an op: the results of combine on the elements along axes, each of which may
    be partially known; None if axes are not completely known.
    """

    @values(op)
    def combined(data: Array, axes: Array, *, keep_dims: bool, result_type: ElementType) -> Array | None:
        if holds_dims(axes):
            return None
        along = reduced_axes(data.ndim, axes)
        rows = np.moveaxis(as_dims(data), along, range(data.ndim - len(along), data.ndim))
        kept = rows.shape[: data.ndim - len(along)]
        out = np.empty(kept, dtype=object)
        for index in np.ndindex(*kept):
            elements = list(np.asarray(rows[index], dtype=object).ravel())
            out[index] = stored_dim(combine(elements, result_type), result_type)
        return np.expand_dims(out, along) if keep_dims else out


def reduction(op: str, reduce: Callable[[Array, tuple[int, ...], bool], Array]) -> None:
    """Make the kernel of an op. reduce: of numbers, along axes, which keep_dims keeps"""

    @kernel(op)
    def reduced(data: Array, axes: Array, *, keep_dims: bool) -> Array:
        result = reduce(as_numbers(data), reduced_axes(data.ndim, axes), keep_dims)
        return converted(np.asarray(result), element_type_of(data))


def total(numbers: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    """The sum along axes, in the widest type of the kind of numbers."""
    return np.asarray(np.sum(numbers, axis=along, keepdims=keep_dims, dtype=WIDEST[numbers.dtype.kind]))


def product(numbers: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    return np.asarray(np.prod(numbers, axis=along, keepdims=keep_dims, dtype=WIDEST[numbers.dtype.kind]))


def mean(numbers: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    count = max(prod(numbers.shape[axis] for axis in along), 1)
    summed = total(numbers, along, keep_dims)
    whole = summed.dtype.kind != "f"
    return np.asarray((summed - np.fmod(summed, count)) // count if whole else summed / count)


def maximum(numbers: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    smallest = -inf if numbers.dtype.kind == "f" else np.iinfo(numbers.dtype).min
    return np.asarray(np.max(numbers, axis=along, keepdims=keep_dims, initial=smallest))


def minimum(numbers: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    largest = inf if numbers.dtype.kind == "f" else np.iinfo(numbers.dtype).max
    return np.asarray(np.min(numbers, axis=along, keepdims=keep_dims, initial=largest))


def sum_of_sizes(numbers: Array, along: tuple[int, ...], keep_dims: bool) -> Array:
    return total(np.abs(numbers.astype(WIDEST[numbers.dtype.kind])), along, keep_dims)


reduction("ReduceSum-1", total)
reduction("ReduceProd-1", product)
reduction("ReduceMean-1", mean)
reduction("ReduceMax-1", maximum)
reduction("ReduceMin-1", minimum)
reduction("ReduceL1-4", sum_of_sizes)


@gradient("ReduceSum-1")
def reduce_sum_gradient(d_output: Array, axes: Array, *, data_shape: Sizes, keep_dims: bool) -> Array:
    return np.broadcast_to(with_reduced_axes(d_output, axes, data_shape, keep_dims), data_shape)


@gradient("ReduceMean-1", widen=True)
def reduce_mean_gradient(d_output: Array, axes: Array, *, data_shape: Sizes, keep_dims: bool) -> Array:
    shares = with_reduced_axes(d_output, axes, data_shape, keep_dims)
    count = max(prod(size for size, kept in zip(data_shape, shares.shape) if kept == 1), 1)
    return np.broadcast_to(shares / shares.dtype.type(count), data_shape)


def _extreme(dims: list[Dim], of_bounds: Callable[[Iterable[Bound]], Bound]) -> Dim:
    return Dim(of_bounds(dim.low for dim in dims), of_bounds(dim.high for dim in dims)) if dims else UNKNOWN


def _mean(dims: list[Dim], kind: ElementType) -> Dim:
    return divide_dim(sum(dims, Dim.of(0)), Dim.of(max(len(dims), 1)), m_pythondiv=False, result_type=kind)


combine_dims("ReduceSum-1", lambda dims, _: sum(dims, Dim.of(0)))
combine_dims("ReduceProd-1", lambda dims, _: prod(dims, start=Dim.of(1)))
combine_dims("ReduceMax-1", lambda dims, _: _extreme(dims, max))
combine_dims("ReduceMin-1", lambda dims, _: _extreme(dims, min))
combine_dims("ReduceMean-1", _mean)


@kernel("ReduceL2-4")
def reduce_l2(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    kind, numbers = element_type_of(data), as_numbers(data).astype(np.float64)
    norm = np.asarray(
        np.sqrt(np.sum(np.square(numbers), axis=reduced_axes(data.ndim, axes), keepdims=keep_dims))
    )
    return nearest(norm, kind) if kind.integral else converted(norm, kind)


@kernel("ReduceLogicalAnd-1")
def reduce_logical_and(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    return np.asarray(np.all(data, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims))


@kernel("ReduceLogicalOr-1")
def reduce_logical_or(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    return np.asarray(np.any(data, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims))
