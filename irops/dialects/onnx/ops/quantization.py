"""QuantizeLinear and DequantizeLinear: numbers in narrow types, by scales and zero points."""

from __future__ import annotations

import numpy as np

from irops.dialects.onnx.ops.cast import cast
from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import DYNAMIC, F32, Array, ElementType, element_type, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require

U8 = element_type("u8")


def _check(x: Fact, scale: Fact, zero: Fact | None, axis: int, block_size: int) -> Shape:
    """The shape of the output, which is that of x. Raises: Violation of C1 to C4"""
    if zero is not None and not (scale.shape.size == 1 and zero.shape.size == 1):
        unify_shapes(scale.shape, zero.shape, "C1")
    rank = x.shape.rank
    single = scale.shape.rank is None or all(size.can_be(1) for size in scale.shape)
    if rank is None or scale.shape.rank is None or (single and not block_size):
        return x.shape
    require(-rank <= axis < rank, "C2", f"axis {axis} at rank {rank}")
    along = axis % rank
    if not block_size:
        require(scale.shape.rank == 1, "C3", scale)
        return x.shape.with_dim(along, unify(x.shape[along], scale.shape[0], "C3"))
    require(scale.shape.rank == rank, "C4", scale)
    for place, (size, count) in enumerate(zip(x.shape, scale.shape)):
        unify(size.ceil_div(block_size) if place == along else size, count, "C4")
    return x.shape


def _spread(numbers: Array, x: Array, axis: int, block_size: int) -> Array:
    """Scales or zero points, one for each element of x."""
    if numbers.size == 1 and not block_size:
        return numbers.reshape(())
    along = axis % x.ndim
    if not block_size:
        return numbers.reshape(-1, *(1,) * (x.ndim - along - 1))
    return np.repeat(numbers, block_size, along)[(slice(None),) * along + (slice(x.shape[along]),)]


@shape("onnx:QuantizeLinear-10")
def quantize_shape(
    x: Fact,
    y_scale: Fact,
    y_zero_point: Fact | None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: ElementType | None = None,
) -> Fact:
    stated = None if output_dtype in (None, DYNAMIC) else output_dtype
    kind = U8 if stated is None else stated
    if y_zero_point is not None:
        kind = y_zero_point.element_type
        require(stated is None or kind in (stated, DYNAMIC), "C5", f"{stated} and {kind}")
    return Fact(kind, _check(x, y_scale, y_zero_point, axis, block_size))


@kernel("onnx:QuantizeLinear-10")
def quantize(
    x: Array,
    y_scale: Array,
    y_zero_point: Array | None,
    *,
    axis: int = 1,
    block_size: int = 0,
    saturate: bool = True,
    output_dtype: ElementType | None = None,
) -> Array:
    kind = U8 if output_dtype in (None, DYNAMIC) else output_dtype
    if y_zero_point is not None:
        kind = element_type_of(y_zero_point)
    assert kind is not None
    scale = as_numbers(_spread(y_scale, x, axis, block_size))
    wide = np.float64 if scale.dtype == np.float64 else np.float32
    scaled = np.asarray(as_numbers(x).astype(wide) / scale.astype(wide))
    if kind.floating:
        return cast(scaled, to=kind, saturate=saturate)
    zero = 0 if y_zero_point is None else as_numbers(_spread(y_zero_point, x, axis, block_size))
    low, high = kind.extent
    whole = np.rint(scaled).astype(np.float64) + zero
    return converted(np.clip(np.nan_to_num(whole, nan=0), low, high).astype(np.int64), kind)


@shape("onnx:DequantizeLinear-10")
def dequantize_shape(
    x: Fact,
    x_scale: Fact,
    x_zero_point: Fact | None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: ElementType | None = None,
) -> Fact:
    stated = None if output_dtype in (None, DYNAMIC) else output_dtype
    kind = _plain(x_scale.element_type) if stated is None else stated
    return Fact(kind, _check(x, x_scale, x_zero_point, axis, block_size))


def _plain(scale: ElementType) -> ElementType:
    """The type of results for scales of a type; powers of two scale numbers of 32 bits."""
    return F32 if scale.name == "f8e8m0" else scale


@kernel("onnx:DequantizeLinear-10")
def dequantize(
    x: Array,
    x_scale: Array,
    x_zero_point: Array | None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: ElementType | None = None,
) -> Array:
    kind = _plain(element_type_of(x_scale)) if output_dtype in (None, DYNAMIC) else output_dtype
    assert kind is not None
    numbers = as_numbers(x)
    if x_zero_point is not None:
        zero = as_numbers(_spread(x_zero_point, x, axis, block_size))
        exact = np.int64 if numbers.dtype.kind in "iu" else numbers.dtype
        numbers = numbers.astype(exact) - zero.astype(exact)
    scale = as_numbers(_spread(x_scale, x, axis, block_size))
    return converted(np.asarray(numbers.astype(scale.dtype) * scale), kind)
