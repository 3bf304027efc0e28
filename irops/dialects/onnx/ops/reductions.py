"""Reductions of ONNX: all axes by default, and some that OpenVINO lacks; selections of extreme elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.reduction import reductions
from irops.ops.reduction.reductions import WIDEST, reduced_axes
from irops.ops.sort.top_k import check_count, comparable, top_k
from irops.ops.stock import ONE, reduced
from irops.spec.binding import kernel, shape, values
from irops.values.dim import UNKNOWN
from irops.values.element import I64, Array, ElementType, element_type_of
from irops.values.fact import Fact, holds_dims
from irops.values.shape import SCALAR, UNRANKED, Shape
from irops.values.violation import dropping_warnings

SHARED = ("Sum", "Prod", "Max", "Min", "Mean")
OTHERS = ("L1", "L2", "LogSum", "LogSumExp", "SumSquare")


@shape(*(f"onnx:Reduce{name}-1" for name in (*SHARED, *OTHERS)))
def reduction_shape(
    data: Fact, axes: Fact | None, *, keepdims: bool, noop_with_empty_axes: bool = False
) -> Shape:
    count = Shape.of(0).size if axes is None else axes.shape.size
    if count == 0 and noop_with_empty_axes:
        return data.shape
    sizes = data.shape.dims
    if count == 0 and not keepdims:
        return SCALAR
    if count == 0:
        return UNRANKED if sizes is None else Shape(ONE for _ in sizes)
    if axes is not None and not count.can_be(0):
        return reduced(data, axes, keepdims, "C1", "C2")
    return Shape(size.union(ONE) for size in data.shape) if keepdims and data.shape.dims else UNRANKED


def chosen_axes(data: Array, axes: Array | None, noop_with_empty_axes: bool) -> Array:
    """The axes to reduce: if none are named, all, or with noop_with_empty_axes none."""
    if axes is not None and axes.size:
        return axes
    return np.arange(0 if noop_with_empty_axes else data.ndim)


def _bind_shared(name: str) -> None:
    """Bind the kernel and the values function of an op that computes as one of OpenVINO does."""
    compute: Callable[..., Array] = getattr(reductions, f"reduce_{name.lower()}")
    infer: Callable[..., Array | None] = getattr(reductions, f"reduce_{name.lower()}_dims")

    @kernel(f"onnx:Reduce{name}-1")
    def reduction(
        data: Array, axes: Array | None, *, keepdims: bool, noop_with_empty_axes: bool = False
    ) -> Array:
        return compute(data, chosen_axes(data, axes, noop_with_empty_axes), keep_dims=keepdims)

    @values(f"onnx:Reduce{name}-1")
    def dims(
        data: Array,
        axes: Array | None,
        *,
        keepdims: bool,
        noop_with_empty_axes: bool = False,
        result_type: ElementType,
    ) -> Array | None:
        along = chosen_axes(data, axes, noop_with_empty_axes)
        return infer(data, along, keep_dims=keepdims, result_type=result_type)

    del reduction, dims


for _name in SHARED:
    _bind_shared(_name)


def reduction_of(*ids: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Bind a formula on numbers of the widest type of their kind, reduced along axes, as a kernel."""

    def mark(formula: Callable[..., Any]) -> Callable[..., Any]:
        def reduction(
            data: Array, axes: Array | None, *, keepdims: bool, noop_with_empty_axes: bool = False
        ) -> Array:
            numbers = as_numbers(data)
            along = reduced_axes(data.ndim, chosen_axes(data, axes, noop_with_empty_axes))
            wide = numbers.astype(WIDEST[numbers.dtype.kind])
            return converted(np.asarray(formula(wide, axis=along, keepdims=keepdims)), element_type_of(data))

        kernel(*ids)(reduction)
        return formula

    return mark


@reduction_of("onnx:ReduceL1-1")
def norm_1(data: Array, **along: Any) -> Any:
    return np.sum(np.abs(data), **along)


@reduction_of("onnx:ReduceL2-1")
def norm_2(data: Array, **along: Any) -> Any:
    return np.sqrt(np.sum(np.square(data), **along))


@reduction_of("onnx:ReduceSumSquare-1")
def sum_of_squares(data: Array, **along: Any) -> Any:
    return np.sum(np.square(data), **along)


@reduction_of("onnx:ReduceLogSum-1")
def log_of_sum(data: Array, **along: Any) -> Any:
    return np.log(np.sum(data, **along))


@reduction_of("onnx:ReduceLogSumExp-1")
def log_of_sum_of_exponentials(data: Array, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    data = data.astype(np.float64)
    top = np.max(data, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(data - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


# The place of the greatest or the least element along an axis.


@shape("onnx:ArgMax-1", "onnx:ArgMin-1")
def arg_shape(data: Fact, *, axis: int, keepdims: bool) -> Shape:
    return data.shape.with_dim(axis, 1) if keepdims else data.shape.without((axis,))


@kernel("onnx:ArgMax-1")
def arg_max(data: Array, *, axis: int, keepdims: bool, select_last_index: bool = False) -> Array:
    return _place(np.argmax, comparable(data), axis, keepdims, select_last_index)


@kernel("onnx:ArgMin-1")
def arg_min(data: Array, *, axis: int, keepdims: bool, select_last_index: bool = False) -> Array:
    return _place(np.argmin, comparable(data), axis, keepdims, select_last_index)


def _place(find: Callable[..., Any], data: Array, axis: int, keepdims: bool, last: bool) -> Array:
    places = find(np.flip(data, axis) if last else data, axis=axis, keepdims=keepdims)
    return np.asarray(data.shape[axis] - 1 - places if last else places, np.int64)


# TopK.


@shape("onnx:TopK-1")
def top_k_shape(X: Fact, K: Fact, *, axis: int) -> tuple[Shape, Shape]:
    with dropping_warnings(("C3",)):  # no elements may be asked for
        count = check_count((K.dims or (UNKNOWN,))[0], X.shape[axis])
    selected = X.shape.with_dim(axis, count)
    return selected, selected


@kernel("onnx:TopK-1")
def top_k_of(
    X: Array, K: Array, *, axis: int, largest: bool = True, sorted: bool = True
) -> tuple[Array, Array]:
    """The order of the elements is not specified if sorted is false; it is the same, then."""
    del sorted
    mode = "max" if largest else "min"
    with dropping_warnings(("C3",)):
        return top_k(X, K.reshape(()), axis=axis, mode=mode, sort="value", index_element_type=I64)


# Global pooling: the reduction of all axes but the first two.


@shape("onnx:GlobalAveragePool-1", "onnx:GlobalMaxPool-1")
def global_pool_shape(X: Fact) -> Shape:
    return X.shape if X.shape.dims is None else X.shape[:2] + Shape(ONE for _ in X.shape.dims[2:])


@kernel("onnx:GlobalAveragePool-1")
def global_average_pool(X: Array) -> Array:
    return reductions.reduce_mean(X, np.arange(2, X.ndim), keep_dims=True)


@kernel("onnx:GlobalMaxPool-1")
def global_max_pool(X: Array) -> Array:
    return reductions.reduce_max(X, np.arange(2, X.ndim), keep_dims=True)


@values("onnx:TopK-1")
def top_k_values(X: Array, K: Array, *, axis: int, largest: bool = True) -> tuple[Array | None, ...]:
    """Known if all elements are known."""
    if holds_dims(X) or holds_dims(K):
        return None, None
    return top_k_of(X, K, axis=axis, largest=largest)
