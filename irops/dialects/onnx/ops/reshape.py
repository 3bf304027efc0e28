"""Reshape as ONNX has it: with allowzero, a zero in shape is a size."""

from __future__ import annotations

from irops.ops.shape.reshape import reshape, reshape_shape
from irops.spec.binding import kernel, values
from irops.spec.binding import shape as infers
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@infers("onnx:Reshape-5")
def reshape_by_allowzero_shape(data: Fact, shape: Fact, *, allowzero: bool = False) -> Shape:
    return reshape_shape(data, shape, special_zero=not allowzero)


@values("onnx:Reshape-5")
@kernel("onnx:Reshape-5")
def reshape_by_allowzero(data: Array, shape: Array, *, allowzero: bool = False) -> Array:
    require(not allowzero or not {0, -1} <= set(shape.tolist()), "C5", shape)
    return reshape(data, shape, special_zero=not allowzero)
