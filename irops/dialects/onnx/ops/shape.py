"""Shape: the sizes of a tensor's axes from start to end, as a tensor."""

from __future__ import annotations

import numpy as np

from irops.ops.shape.shape_of import shape_of_shape
from irops.spec.binding import kernel, shape
from irops.values.element import I64, Array
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("onnx:Shape-1")
def shape_shape(data: Fact, *, start: int = 0, end: int | None = None) -> Fact:
    selected = Shape(data.shape.dims[start:end]) if data.shape.dims is not None else data.shape
    return shape_of_shape(Fact(data.element_type, selected), output_type=I64)


@kernel("onnx:Shape-1")
def shape_kernel(data: Array, *, start: int = 0, end: int | None = None) -> Array:
    return np.array(data.shape[start:end], np.int64)
