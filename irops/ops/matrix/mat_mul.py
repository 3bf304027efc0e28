"""MatMul, GroupedMatMul and Inverse."""

from itertools import pairwise
from math import prod

import numpy as np

from irops.ops.contraction import product
from irops.ops.conversion import converted
from irops.ops.unbroadcast import Sizes, unbroadcast
from irops.spec.binding import gradient, kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, broadcast_shapes
from irops.values.violation import Violation, require, warn_unless


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
    left = _swapped(a, transpose_a and a.ndim > 1)
    right = _swapped(b, transpose_b and b.ndim > 1)
    if left.ndim > 2 and right.ndim == 2 and left.flags.c_contiguous:
        # One large product of all rows is faster than many small ones.
        *counts, inner = left.shape
        return product(left.reshape(prod(counts), inner), right).reshape(*counts, right.shape[-1])
    return product(left, right)


@gradient("MatMul-1", of="a", widen=True)
def mat_mul_gradient_of_a(
    d_output: Array, b: Array, *, a_shape: Sizes, transpose_a: bool, transpose_b: bool
) -> Array:
    right = _swapped(b, transpose_b) if b.ndim > 1 else b[:, np.newaxis]
    gradient_of_operand = product(_as_matrices(d_output, a_shape, b.shape), right.swapaxes(-1, -2))
    if len(a_shape) > 1:
        return unbroadcast(_swapped(gradient_of_operand, transpose_a), a_shape)
    return unbroadcast(gradient_of_operand, (1, *a_shape)).reshape(a_shape)


@gradient("MatMul-1", of="b", widen=True)
def mat_mul_gradient_of_b(
    d_output: Array, a: Array, *, b_shape: Sizes, transpose_a: bool, transpose_b: bool
) -> Array:
    left = _swapped(a, transpose_a) if a.ndim > 1 else a[np.newaxis]
    gradients = _as_matrices(d_output, a.shape, b_shape)
    if len(b_shape) < 3:  # one product that sums over all rows, instead of one product for each matrix
        left, gradients = (rows.reshape(prod(rows.shape[:-1]), rows.shape[-1]) for rows in (left, gradients))
    gradient_of_operand = product(left.swapaxes(-1, -2), gradients)
    if len(b_shape) > 1:
        return unbroadcast(_swapped(gradient_of_operand, transpose_b), b_shape)
    return unbroadcast(gradient_of_operand, (*b_shape, 1)).reshape(b_shape)


def _as_matrices(d_output: Array, a_shape: Sizes, b_shape: Sizes) -> Array:
    """The gradient of the product, with the axes that were removed because a or b is a vector."""
    removed = (-2,) * (len(a_shape) == 1) + (-1,) * (len(b_shape) == 1)
    return np.expand_dims(d_output, removed)


def _swapped(matrices: Array, flag: bool) -> Array:
    return matrices.swapaxes(-1, -2) if flag else matrices


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


@shape("Inverse-14")
def inverse_shape(data: Fact) -> Shape:
    if data.shape.dims is None:
        return data.shape
    size = unify(data.shape[-2], data.shape[-1], "C1")
    return data.shape[:-2] + Shape.of(size, size)


@kernel("Inverse-14")
def inverse(data: Array, *, adjoint: bool) -> Array:
    try:
        inverses = np.linalg.inv(data.astype(np.float64))
    except np.linalg.LinAlgError:
        raise Violation("C2", "got a singular matrix") from None
    return converted(inverses.swapaxes(-1, -2) if adjoint else inverses, element_type_of(data))
