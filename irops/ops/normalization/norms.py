"""NormalizeL2 and GRN: divide by the L2 norm over given axes."""

from __future__ import annotations

import numpy as np

from irops.ops.normalization.mvn import canonical_axes
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("NormalizeL2-1")
def normalize_l2_shape(data: Fact, axes: Fact) -> Shape:
    if data.shape.rank is not None and axes.value is not None:
        canonical_axes(axes.value.reshape(-1), data.shape.rank)
    return data.shape


@kernel("NormalizeL2-1", widen=True)
def normalize_l2(data: Array, axes: Array, *, eps: float, eps_mode: str) -> Array:
    if not axes.size:
        return np.asarray(data != 0).astype(data.dtype)
    squares = sum_of_squares(data, canonical_axes(axes.reshape(-1), data.ndim))
    epsilon = data.dtype.type(eps)
    return np.asarray(
        data / np.sqrt(squares + epsilon if eps_mode == "add" else np.maximum(squares, epsilon))
    )


@kernel("GRN-1", widen=True)
def grn(data: Array, *, bias: float) -> Array:
    return np.asarray(data / np.sqrt(sum_of_squares(data, (1,)) + data.dtype.type(bias)))


def sum_of_squares(data: Array, axes: tuple[int, ...]) -> Array:
    """The sum of squares over axes, which are kept with size 1."""
    return np.asarray(np.add.reduce(np.square(data), axis=axes, keepdims=True))
