"""Unsqueeze as ONNX has it: axes may name none, and none of them twice."""

from __future__ import annotations

import numpy as np

from irops.ops.shape.unsqueeze import unsqueeze, unsqueeze_shape
from irops.spec.binding import kernel, shape
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("onnx:Unsqueeze-13")
def unsqueeze_onnx_13_shape(data: Fact, axes: Fact) -> Shape:
    """Like unsqueeze_shape, but axes may be empty."""
    return data.shape if axes.shape.size == 0 else unsqueeze_shape(data, axes)


@shape("onnx:Unsqueeze-1")
def unsqueeze_onnx_1_shape(data: Fact, *, axes: tuple[int, ...]) -> Shape:
    return unsqueeze_onnx_13_shape(data, Fact.of(np.array(axes, np.int64)))


@kernel("onnx:Unsqueeze-13")
def unsqueeze_onnx_13(data: Array, axes: Array) -> Array:
    """Like unsqueeze, but axes may be empty and must not contain duplicates."""
    rank, numbers = data.ndim + axes.size, as_i64(axes).ravel().tolist()
    require(len({axis % rank for axis in numbers}) == len(numbers), "C3", numbers)
    return unsqueeze(data, axes) if numbers else data


@kernel("onnx:Unsqueeze-1")
def unsqueeze_onnx_1(data: Array, *, axes: tuple[int, ...]) -> Array:
    return unsqueeze_onnx_13(data, np.array(axes, np.int64))
