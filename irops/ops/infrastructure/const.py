"""Const: a tensor that is part of the model."""

from __future__ import annotations

from irops.spec.binding import kernel
from irops.spec.binding import shape as infers
from irops.values.element import Array
from irops.values.shape import Shape


@infers("Const-1")
def const_shape(*, shape: tuple[int, ...]) -> Shape:
    return Shape(shape)


@kernel("Const-1")
def const(*, value: Array) -> Array:
    return value
