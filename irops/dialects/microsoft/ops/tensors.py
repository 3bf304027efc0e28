"""Ops of ONNX Runtime on tensors: ranges, distances, axes of size 1."""

from __future__ import annotations

from math import ceil

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require


@shape("microsoft:Range-1")
def range_shape(start: Fact, limit: Fact, delta: Fact | None) -> Shape:
    values = [fact.value for fact in (start, limit) if fact.value is not None]
    step = np.array(1) if delta is None else delta.value
    if len(values) < 2 or step is None:
        return Shape.of(ANY)
    first, last, width = (float(np.asarray(item).reshape(())) for item in (*values, step))
    require(width != 0, "C1")
    return Shape.of(max(ceil((last - first) / width), 0))


@kernel("microsoft:Range-1")
def numbers_in_range(start: Array, limit: Array, delta: Array | None) -> Array:
    step = start.dtype.type(1) if delta is None else delta.reshape(())
    require(step != 0, "C1")
    count = max(ceil((float(limit.reshape(())) - float(start.reshape(()))) / float(step)), 0)
    return np.asarray(start.reshape(()) + np.arange(count).astype(start.dtype) * step, start.dtype)


@shape("microsoft:CDist-1")
def distances_shape(A: Fact, B: Fact) -> Shape:
    unify(A.shape[1], B.shape[1], "C1")
    return Shape.of(A.shape[0], B.shape[0])


@kernel("microsoft:CDist-1")
def distances(A: Array, B: Array, *, metric: str) -> Array:
    squares = np.square(A).sum(1)[:, np.newaxis] + np.square(B).sum(1) - 2 * A @ B.T
    positive = np.maximum(squares, 0)
    return np.asarray(np.sqrt(positive) if metric == "euclidean" else positive, A.dtype)


@shape("microsoft:ExpandDims-1")
def expand_dims_shape(X: Fact, axis: Fact) -> Shape:
    if X.shape.dims is None or axis.value is None:
        return UNRANKED
    rank, place = len(X.shape.dims) + 1, int(axis.value.reshape(()))
    require(-rank <= place < rank, "C1", place)
    dims = list(X.shape.dims)
    dims.insert(place % rank, Dim.of(1))
    return Shape(dims)


@kernel("microsoft:ExpandDims-1")
def expand_dims(X: Array, axis: Array) -> Array:
    return np.expand_dims(X, int(axis.reshape(())))
