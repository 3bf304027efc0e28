"""Ops that select, cut, place and reinterpret elements."""

from __future__ import annotations

import numpy as np

from irops.ops.condition.non_zero import non_zero_count
from irops.ops.conversion import low_bits
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, minimum, unify
from irops.values.element import BOOLEAN, Array, ElementType, as_i64, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import require, warn_unless

# BitCast: the same bits, read as another element type of the same size.


@shape("onnx:BitCast-26")
def bit_cast_shape(input: Fact, *, to: ElementType) -> Fact:
    require(_bits(input.element_type) in (None, _bits(to)), "C1", input.element_type, to)
    return Fact(to, input.shape)


def _bits(kind: ElementType) -> int | None:
    """The size of an element in bits; None if the type is unknown."""
    return kind.bits or None


@kernel("onnx:BitCast-26")
def bit_cast(input: Array, *, to: ElementType) -> Array:
    kind = element_type_of(input)
    if to.bits >= 8 and to is not BOOLEAN:
        return np.ascontiguousarray(input).view(to.dtype).reshape(input.shape)
    codes = np.ascontiguousarray(input).view(np.uint8).reshape(input.shape) & ((1 << kind.bits) - 1)
    if to is BOOLEAN:
        return np.asarray(codes != 0)
    return low_bits(codes, to) if to.integral else codes.astype(np.uint8).view(to.dtype)


# Compress: the slices that a condition selects.


@shape("onnx:Compress-9")
def compress_shape(input: Fact, condition: Fact, *, axis: int | None) -> Shape:
    rank = input.shape.rank
    if axis is not None and rank is not None:
        axis = normal_axes([axis], rank, "C1")[0]
    along = input.shape[axis] if axis is not None and rank is not None else ANY
    size = input.shape.size if axis is None else along
    warn_unless(condition.shape[0].low <= size.high, "C2", condition.shape[0], size)
    if size.known and condition.value is not None:
        condition = Fact.of(condition.value[: int(size)])
    count = minimum(non_zero_count(condition), size)
    return Shape.of(count) if axis is None else input.shape.with_dim(axis, count)


@kernel("onnx:Compress-9")
def compress(input: Array, condition: Array, *, axis: int | None) -> Array:
    data, along = (input.reshape(-1), 0) if axis is None else (input, axis)
    selected = np.flatnonzero(condition[: data.shape[along]])
    return data.take(selected, axis=along)


# CenterCropPad: the middle of a tensor, cut or padded to a size.


@shape("onnx:CenterCropPad-18")
def center_crop_pad_shape(input_data: Fact, shape: Fact, *, axes: tuple[int, ...] | None) -> Shape:
    rank = input_data.shape.rank
    if rank is None:
        return UNRANKED
    along = range(rank) if axes is None else normal_axes(axes, rank, "C1", "C2")
    unify(shape.shape[0], len(along), "C3")
    result = input_data.shape
    for axis, size in zip(along, shape.dims or (UNKNOWN,) * len(along)):
        require(size >= 0, "C4", size)
        result = result.with_dim(axis, size.at_least(0))
    return result


@kernel("onnx:CenterCropPad-18")
def center_crop_pad(input_data: Array, shape: Array, *, axes: tuple[int, ...] | None) -> Array:
    result_shape, source, target = list(input_data.shape), [], []
    for axis, size in zip(range(input_data.ndim) if axes is None else axes, as_i64(shape).tolist()):
        result_shape[axis] = size
    for before, after in zip(input_data.shape, result_shape):
        kept = min(before, after)
        source.append(slice((before - kept) // 2, (before - kept) // 2 + kept))
        target.append(slice((after - kept) // 2, (after - kept) // 2 + kept))
    result = zeros(tuple(result_shape), element_type_of(input_data))
    result[tuple(target)] = input_data[tuple(source)]
    return result


# TensorScatter: new entries are written into a cache, from a position of each batch item on.


@shape("onnx:TensorScatter-24")
def tensor_scatter_shape(
    past_cache: Fact, update: Fact, write_indices: Fact | None, *, axis: int, mode: str
) -> Shape:
    cache, new = past_cache.shape, update.shape
    rank = cache.rank if cache.rank is not None else new.rank
    if rank is None:
        return UNRANKED
    along = normal_axes([axis], rank, "C1")[0]
    require(along > 0, "C1", axis)
    cache, new = cache.of_rank(rank, "C2"), new.of_rank(rank, "C2")
    sizes = [
        mine if k == along else unify(mine, other, "C2") for k, (mine, other) in enumerate(zip(cache, new))
    ]
    require(new[along] <= cache[along], "C3", new[along], cache[along])
    if write_indices is not None:
        unify(write_indices.shape[0], cache[0], "C4")
        if write_indices.value is not None and cache[along].known and new[along].known:
            check_positions(write_indices.value, int(cache[along]), int(new[along]), mode)
    return Shape(sizes)


def check_positions(positions: Array, size: int, count: int, mode: str) -> None:
    """Require that entries written from the positions on lie in the cache. Raises: Violation(C5)"""
    highest = size - count if mode == "linear" else size - 1
    wrong = (positions < 0) | (positions > highest)
    require(not (count and wrong.any()), "C5", positions[wrong][:1].tolist(), f"{size} entries")


@kernel("onnx:TensorScatter-24")
def tensor_scatter(
    past_cache: Array, update: Array, write_indices: Array | None, *, axis: int, mode: str
) -> Array:
    result = np.moveaxis(past_cache.copy(), axis, 1)
    new = np.moveaxis(update, axis, 1)
    first = np.zeros(len(result), np.int64) if write_indices is None else write_indices
    check_positions(first, result.shape[1], new.shape[1], mode)
    if new.size:
        places = (first[:, np.newaxis] + np.arange(new.shape[1])) % result.shape[1]
        result[np.arange(len(result))[:, np.newaxis], places] = new
    return np.moveaxis(result, 1, axis)


# Hardmax: 1 at the first greatest element, 0 elsewhere.


@kernel("onnx:Hardmax-13")
def hardmax(input: Array, *, axis: int) -> Array:
    if not input.size:
        return input
    place = input.astype(np.float64).argmax(axis, keepdims=True)
    result = np.zeros(input.shape, input.dtype)
    np.put_along_axis(result, place, np.ones((), input.dtype), axis)
    return result


@shape("onnx:Hardmax-1")
def hardmax_of_matrix_shape(input: Fact, *, axis: int) -> Shape:
    rank = input.shape.rank
    require(rank is None or -rank <= axis <= rank, "C1", f"axis {axis} at rank {rank}")
    return input.shape


@kernel("onnx:Hardmax-1")
def hardmax_of_matrix(input: Array, *, axis: int) -> Array:
    rows = input.shape[: axis if axis >= 0 else axis + input.ndim]
    matrix = input.reshape(int(np.prod(rows)), -1) if input.size else input
    return hardmax(matrix, axis=-1).reshape(input.shape)


# CumProd: cumulative products along an axis.


@shape("onnx:CumProd-26")
def cum_prod_shape(x: Fact, axis: Fact) -> Shape:
    require(axis.shape.size.can_be(1), "C1", axis)
    if axis.value is not None and x.shape.rank is not None:
        _axis_of(axis.value, x.shape.rank)
    return x.shape


def _axis_of(axis: Array, rank: int) -> int:
    """The single element of axis. Raises: Violation(C2)"""
    number = int(axis.reshape(-1)[0])
    require(-rank <= number < rank, "C2", f"axis {number} at rank {rank}")
    return number


@kernel("onnx:CumProd-26", widen=True)
def cum_prod(x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> Array:
    along = _axis_of(axis, x.ndim)
    factors = np.moveaxis(x, along, 0)[:: -1 if reverse else 1]
    products = np.cumprod(factors, axis=0, dtype=x.dtype)
    if exclusive:
        products = np.concatenate([np.ones_like(products[:1]), products[:-1]])
    return np.moveaxis(products[:: -1 if reverse else 1], 0, along)


# Functions of single elements.


@kernel("onnx:Shrink-9", widen=True)
def shrink(input: Array, *, bias: float, lambd: float) -> Array:
    wide = input.astype(np.float64) if input.dtype.kind in "iu" else input
    moved = np.where(wide < -lambd, wide + bias, np.where(wide > lambd, wide - bias, 0))
    return moved.astype(input.dtype)


@kernel("onnx:ThresholdedRelu-10", widen=True)
def thresholded_relu(X: Array, *, alpha: float) -> Array:
    return np.where(alpha < X, X, 0).astype(X.dtype)


@shape("onnx:SwiGLU-28")
def swi_glu_shape(A: Fact, B: Fact) -> Shape:
    return unify_shapes(A.shape, B.shape, "C1")


@kernel("onnx:SwiGLU-28", widen=True)
def swi_glu(A: Array, B: Array, *, alpha: float) -> Array:
    gate = 1 / (1 + np.exp(-alpha * A))
    return (A * gate * B).astype(A.dtype)
