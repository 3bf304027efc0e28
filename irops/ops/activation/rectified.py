"""Activations that are linear for positive numbers: Elu, Selu, PReLU."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import on_numbers, on_reals
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes
from irops.values.violation import require, warn_unless


@shape("Elu-1")
def elu_shape(data: Fact, *, alpha: float) -> Shape:
    warn_unless(alpha >= 0, "C1", f"{alpha:g}")
    warn_unless(not data.element_type.integral, "C2", data)
    return data.shape


@kernel("Elu-1", widen=True)
def elu(data: Array, *, alpha: float) -> Array:
    return on_reals(lambda x: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x).astype(x.dtype), data)


@shape("Selu-1")
def selu_shape(data: Fact, alpha: Fact, lambda_: Fact) -> Shape:
    for single in (alpha, lambda_):
        require(single.shape.size.can_be(1), "C1", single)
    return data.shape


@kernel("Selu-1", widen=True)
def selu(data: Array, alpha: Array, lambda_: Array) -> Array:
    low = alpha.reshape(()) * np.expm1(np.minimum(data, 0))
    result: Array = lambda_.reshape(()) * np.where(data > 0, data, low)
    return result


@shape("PReLU-1")
def prelu_shape(data: Fact, slope: Fact) -> Shape:
    return (
        data.shape
        if data.shape.dims is None or slope.shape.dims is None
        else _checked(data.shape, slope.shape)
    )


def _checked(data: Shape, slope: Shape) -> Shape:
    """The shape of data, after a check that slope fits."""
    if len(slope) == 1 and len(data) > 1 and slope[0].can_be(data[1]):
        return data
    require(len(slope) <= len(data), "C1", data, slope)
    both = broadcast_shapes(data, slope, "C1")
    require(all(size.can_be(whole) for size, whole in zip(data, both)), "C1", data, slope)
    return data


@kernel("PReLU-1", widen=True)
def prelu(data: Array, slope: Array) -> Array:
    prelu_shape(Fact(shape=Shape(map(Dim.of, data.shape))), Fact(shape=Shape(map(Dim.of, slope.shape))))
    channels = slope.ndim == 1 and data.ndim > 1 and len(slope) == data.shape[1]
    slopes = slope.reshape(-1, *(1,) * (data.ndim - 2)) if channels else slope
    return on_numbers(lambda x: np.where(x < 0, x * slopes.astype(x.dtype), x), data)
