"""GroupedMatMul: matrix products of groups of rows, with a different matrix for each group."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from irops.ops.contraction import product
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


@shape("GroupedMatMul-17")
def grouped_mat_mul_shape(mat_a: Fact, mat_b: Fact, offsets: Fact | None) -> Shape:
    warn_unless(offsets is None or mat_a.shape.rank != 3, "C4", offsets)
    if mat_a.shape.dims is None:
        return UNRANKED
    groups, columns, inner = mat_b.shape.of_rank(3, "C2")
    unify(mat_a.shape[-1], inner, "C1")
    if len(mat_a.shape) == 3:
        return Shape.of(unify(mat_a.shape[0], groups, "C2"), mat_a.shape[1], columns)
    require(offsets is not None, "C3")
    if offsets is not None:
        unify(offsets.shape[0], groups, "C5")
        if offsets.value is not None:
            check_offsets(as_i64(offsets.value).tolist(), mat_a.shape[0])
    return Shape.of(mat_a.shape[0], columns)


def check_offsets(offsets: list[int], rows: Dim) -> None:
    """Check that offsets ascend from at least 0 to at most the number of rows."""
    ascends = all(begin <= end for begin, end in pairwise([0, *offsets]))
    require(ascends and (not offsets or offsets[-1] <= rows), "C6", offsets, f"{rows} rows")


@kernel("GroupedMatMul-17", widen=True)
def grouped_mat_mul(mat_a: Array, mat_b: Array, offsets: Array | None) -> Array:
    columns = mat_b.swapaxes(-1, -2)
    if mat_a.ndim == 3:
        return product(mat_a, columns)
    require(offsets is not None, "C3")
    ends = [0, *(() if offsets is None else as_i64(offsets).tolist())]
    check_offsets(ends[1:], Dim.of(len(mat_a)))
    output = np.zeros((len(mat_a), mat_b.shape[1]), mat_a.dtype)
    for group, (begin, end) in enumerate(pairwise(ends)):
        output[begin:end] = product(mat_a[begin:end], columns[group])
    return output
