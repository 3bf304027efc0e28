"""Logical reductions: ReduceLogicalAnd, ReduceLogicalOr."""

from __future__ import annotations

import numpy as np

from irops.ops.reduction.axes import reduced_axes
from irops.spec.binding import kernel
from irops.values.element import Array


@kernel("ReduceLogicalAnd-1")
def reduce_logical_and(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    return np.asarray(np.all(data, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims))


@kernel("ReduceLogicalOr-1")
def reduce_logical_or(data: Array, axes: Array, *, keep_dims: bool) -> Array:
    return np.asarray(np.any(data, axis=reduced_axes(data.ndim, axes), keepdims=keep_dims))
