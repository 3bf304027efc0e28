"""Concat: concatenate tensors along an axis."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate

import numpy as np

from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import ANY, Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require


@shape("Concat-1")
def concat_shape(*inputs: Fact, axis: int) -> Shape:
    ranks = {tensor.shape.rank for tensor in inputs} - {None}
    require(len(ranks) <= 1, "C1", *(tensor.shape for tensor in inputs if tensor.shape.dims is not None))
    total = sum((tensor.shape[axis] for tensor in inputs), Dim.of(0))
    others = (tensor.shape.with_dim(axis, ANY) for tensor in inputs)
    return reduce(lambda a, b: unify_shapes(a, b, "C2"), others).with_dim(axis, total)


@values("Concat-1")
@kernel("Concat-1")
def concat(*inputs: Array, axis: int) -> Array:
    return np.concatenate(inputs, axis)


@gradient("Concat-1")
def concat_gradient(d_output: Array, *, inputs_shape: tuple[Sizes, ...], axis: int) -> tuple[Array, ...]:
    ends = list(accumulate(shape[axis] for shape in inputs_shape))
    return tuple(np.split(d_output, ends[:-1], axis))
