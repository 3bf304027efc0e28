"""MatMul: the matrix product over the last two axes, the others broadcast."""
from __future__ import annotations

from math import prod

from irops.ops.contraction import product
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, broadcast_shapes


@shape("MatMul-1")
def mat_mul_shape(a: Fact, b: Fact, *, transpose_a: bool, transpose_b: bool) -> Shape:
    if a.shape.dims is None or b.shape.dims is None:
        return UNRANKED
    left = Shape.of(1, *a.shape) if a.shape.rank == 1 else _transposed(a.shape, transpose_a)
    right = Shape.of(*b.shape, 1) if b.shape.rank == 1 else _transposed(b.shape, transpose_b)
    unify(left[-1], right[-2], "C1")
    rows = left[-2:-1] if a.shape.rank != 1 else Shape.of()
    columns = right[-1:] if b.shape.rank != 1 else Shape.of()
    return broadcast_shapes(left[:-2], right[:-2], "C2") + rows + columns


def _transposed(matrices: Shape, flag: bool) -> Shape:
    return matrices[:-2] + Shape.of(matrices[-1], matrices[-2]) if flag else matrices


@kernel("MatMul-1", widen=True)
def mat_mul(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    left = a.swapaxes(-1, -2) if transpose_a and a.ndim > 1 else a
    right = b.swapaxes(-1, -2) if transpose_b and b.ndim > 1 else b
    if left.ndim > 2 and right.ndim == 2 and left.flags.c_contiguous:          # all rows at once: one large product, not many small ones
        *counts, inner = left.shape
        return product(left.reshape(prod(counts), inner), right).reshape(*counts, right.shape[-1])
    return product(left, right)
