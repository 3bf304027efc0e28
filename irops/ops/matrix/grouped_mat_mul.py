"""GroupedMatMul: matrix products of groups of rows, each group with a matrix of its own."""
from __future__ import annotations

from itertools import pairwise

import numpy as np

from irops.ops.contraction import product
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import advise, require


@shape("GroupedMatMul-17")
def grouped_mat_mul_shape(mat_a: Fact, mat_b: Fact, offsets: Fact | None) -> Shape:
    advise(offsets is None or mat_a.shape.rank != 3, "C4", offsets)
    if mat_a.shape.dims is None:
        return UNRANKED
    groups, columns, inner = mat_b.shape.of_rank(3, "C2")
    unify(mat_a.shape[-1], inner, "C1")
    if len(mat_a.shape) == 3:
        return Shape.of(unify(mat_a.shape[0], groups, "C2"), mat_a.shape[1], columns)
    require(offsets is not None, "C3")
    if offsets is not None:
        unify(offsets.shape[0], groups, "C5")
    return Shape.of(mat_a.shape[0], columns)


@kernel("GroupedMatMul-17", widen=True)
def grouped_mat_mul(mat_a: Array, mat_b: Array, offsets: Array | None) -> Array:
    columns = mat_b.swapaxes(-1, -2)
    if mat_a.ndim == 3:
        return product(mat_a, columns)
    require(offsets is not None, "C3")
    ends = [0, *(() if offsets is None else as_i64(offsets).tolist())]
    require(all(begin <= end for begin, end in pairwise(ends)) and ends[-1] <= len(mat_a), "C6", ends[1:], f"{len(mat_a)} rows")
    found = np.zeros((len(mat_a), mat_b.shape[1]), mat_a.dtype)
    for group, (begin, end) in enumerate(pairwise(ends)):
        found[begin:end] = product(mat_a[begin:end], columns[group])
    return found
