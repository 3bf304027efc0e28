"""Gather, Reshape, Shape, Slice, Squeeze and Unsqueeze as ONNX has them."""

import numpy as np

from irops.ops.movement.gather import gather
from irops.ops.movement.slice import slice_gradient, slice_kernel, slice_shape
from irops.ops.shape import reshape
from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.element import I64, Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@kernel("onnx:Gather-1")
def gather_in_range(data: Array, indices: Array, *, axis: int) -> Array:
    """As gather, but every index must lie inside the axis."""
    size, numbers = data.shape[normal_axes([axis], data.ndim, "C2")[0]], as_i64(indices)
    outside = (numbers >= size) | (numbers < -size)
    require(not outside.any(), "C6", f"{numbers[outside][:1].tolist()} on {size} elements")
    return gather(data, indices, np.array(axis), batch_dims=0)


@shape("onnx:Reshape-5")
def reshape_by_allowzero_shape(data: Fact, shape: Fact, *, allowzero: bool = False) -> Shape:
    return reshape.reshape_shape(data, shape, special_zero=not allowzero)


@values("onnx:Reshape-5")
@kernel("onnx:Reshape-5")
def reshape_by_allowzero(data: Array, shape: Array, *, allowzero: bool = False) -> Array:
    require(not allowzero or not {0, -1} <= set(shape.tolist()), "C5", shape)
    return reshape.reshape(data, shape, special_zero=not allowzero)


@shape("onnx:Shape-1")
def shape_shape(data: Fact, *, start: int = 0, end: int | None = None) -> Fact:
    selected = Shape(data.shape.dims[start:end]) if data.shape.dims is not None else data.shape
    return reshape.shape_of_shape(Fact(data.element_type, selected), output_type=I64)


@kernel("onnx:Shape-1")
def shape_kernel(data: Array, *, start: int = 0, end: int | None = None) -> Array:
    return np.array(data.shape[start:end], np.int64)


@shape("onnx:Slice-10")
def slice_by_inputs_shape(
    data: Fact, starts: Fact, ends: Fact, axes: Fact | None, steps: Fact | None
) -> Shape:
    return slice_shape(data, starts, ends, _ones(starts) if steps is None else steps, axes)


def _ones(starts: Fact) -> Fact:
    """The default steps: one 1 per element of starts."""
    count = starts.shape[0]
    return Fact(starts.element_type, Shape.of(count), np.ones(int(count), np.int64) if count.known else None)


@kernel("onnx:Slice-10", moves=("data",))
def slice_by_inputs(
    data: Array, starts: Array, ends: Array, axes: Array | None, steps: Array | None
) -> Array:
    return slice_kernel(data, starts, ends, steps, axes)


@gradient("onnx:Slice-10")
def slice_by_inputs_gradient(
    d_output: Array, starts: Array, ends: Array, axes: Array | None, steps: Array | None, *, data_shape: Sizes
) -> Array:
    return slice_gradient(d_output, starts, ends, steps, axes, data_shape=data_shape)


@shape("onnx:Slice-1")
def slice_by_attributes_shape(
    data: Fact, *, starts: tuple[int, ...], ends: tuple[int, ...], axes: tuple[int, ...] | None
) -> Shape:
    first, last = (Fact.of(np.array(bound, np.int64)) for bound in (starts, ends))
    return slice_by_inputs_shape(
        data, first, last, None if axes is None else Fact.of(np.array(axes, np.int64)), None
    )


@values("onnx:Slice-1")
@kernel("onnx:Slice-1")
def slice_by_attributes(
    data: Array, *, starts: tuple[int, ...], ends: tuple[int, ...], axes: tuple[int, ...] | None
) -> Array:
    first, last = (np.array(bound, np.int64) for bound in (starts, ends))
    return slice_by_inputs(data, first, last, None if axes is None else np.array(axes, np.int64), None)


@gradient("onnx:Slice-1")
def slice_by_attributes_gradient(
    d_output: Array,
    *,
    starts: tuple[int, ...],
    ends: tuple[int, ...],
    axes: tuple[int, ...] | None,
    data_shape: Sizes,
) -> Array:
    first, last = (np.array(bound, np.int64) for bound in (starts, ends))
    sliced_axes = None if axes is None else np.array(axes, np.int64)
    return slice_by_inputs_gradient(d_output, first, last, sliced_axes, None, data_shape=data_shape)


@kernel("onnx:Squeeze-13")
def squeeze_onnx_13(data: Array, axes: Array | None) -> Array:
    """Like squeeze, but every axis in axes must have size 1."""
    for axis in () if axes is None else as_i64(axes).ravel().tolist():
        require(-data.ndim <= axis < data.ndim, "C1", f"axis {axis} at rank {data.ndim}")
        require(data.shape[axis] == 1, "C3", Shape(data.shape), f"axis {axis}")
    return reshape.squeeze(data, axes)


@kernel("onnx:Squeeze-1")
def squeeze_onnx_1(data: Array, *, axes: tuple[int, ...] | None) -> Array:
    return squeeze_onnx_13(data, None if axes is None else np.array(axes, np.int64))


@shape("onnx:Unsqueeze-13")
def unsqueeze_onnx_13_shape(data: Fact, axes: Fact) -> Shape:
    """Like unsqueeze_shape, but axes may be empty."""
    return data.shape if axes.shape.size == 0 else reshape.unsqueeze_shape(data, axes)


@shape("onnx:Unsqueeze-1")
def unsqueeze_onnx_1_shape(data: Fact, *, axes: tuple[int, ...]) -> Shape:
    return unsqueeze_onnx_13_shape(data, Fact.of(np.array(axes, np.int64)))


@kernel("onnx:Unsqueeze-13")
def unsqueeze_onnx_13(data: Array, axes: Array) -> Array:
    """Like unsqueeze, but axes may be empty and must not contain duplicates."""
    rank, numbers = data.ndim + axes.size, as_i64(axes).ravel().tolist()
    require(len({axis % rank for axis in numbers}) == len(numbers), "C3", numbers)
    return reshape.unsqueeze(data, axes) if numbers else data


@kernel("onnx:Unsqueeze-1")
def unsqueeze_onnx_1(data: Array, *, axes: tuple[int, ...]) -> Array:
    return unsqueeze_onnx_13(data, np.array(axes, np.int64))
