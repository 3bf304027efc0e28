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
def unsqueeze_any_shape(data: Fact, axes: Fact) -> Shape:
    """As unsqueeze_shape, but axes may name none."""
    return data.shape if axes.shape.size == 0 else unsqueeze_shape(data, axes)


@shape("onnx:Unsqueeze-1")
def unsqueeze_named_shape(data: Fact, *, axes: tuple[int, ...]) -> Shape:
    return unsqueeze_any_shape(data, Fact.of(np.array(axes, np.int64)))


@kernel("onnx:Unsqueeze-13")
def unsqueeze_any(data: Array, axes: Array) -> Array:
    """As unsqueeze, but axes may name none, and none of them twice."""
    rank, numbers = data.ndim + axes.size, as_i64(axes).ravel().tolist()
    require(len({axis % rank for axis in numbers}) == len(numbers), "C3", numbers)
    return unsqueeze(data, axes) if numbers else data


@kernel("onnx:Unsqueeze-1")
def unsqueeze_named(data: Array, *, axes: tuple[int, ...]) -> Array:
    return unsqueeze_any(data, np.array(axes, np.int64))
