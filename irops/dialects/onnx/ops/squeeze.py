"""Squeeze as ONNX has it: an axis that is named must have size 1."""

from __future__ import annotations

import numpy as np

from irops.ops.shape.squeeze import squeeze
from irops.spec.binding import kernel
from irops.values.element import Array, as_i64
from irops.values.shape import Shape
from irops.values.violation import require


@kernel("onnx:Squeeze-13")
def squeeze_onnx_13(data: Array, axes: Array | None) -> Array:
    """Like squeeze, but every axis in axes must have size 1."""
    for axis in () if axes is None else as_i64(axes).ravel().tolist():
        require(-data.ndim <= axis < data.ndim, "C1", f"axis {axis} at rank {data.ndim}")
        require(data.shape[axis] == 1, "C3", Shape(data.shape), f"axis {axis}")
    return squeeze(data, axes)


@kernel("onnx:Squeeze-1")
def squeeze_onnx_1(data: Array, *, axes: tuple[int, ...] | None) -> Array:
    return squeeze_onnx_13(data, None if axes is None else np.array(axes, np.int64))
