"""Matrices: the general product, and the determinant."""

from __future__ import annotations

import numpy as np

from irops.ops.contraction import product
from irops.ops.conversion import converted
from irops.ops.stock import pdpd
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes


def product_shape(A: Fact, B: Fact, transA: bool, transB: bool) -> Shape:
    """The shape of A B, either of which may be transposed."""
    unify(A.shape[1 - transA], B.shape[int(transB)], "C1")
    return Shape.of(A.shape[int(transA)], B.shape[1 - transB])


@shape("onnx:Gemm-1")
def gemm_by_attribute_shape(
    A: Fact, B: Fact, C: Fact, *, broadcast: bool, transA: bool, transB: bool
) -> Shape:
    result = product_shape(A, B, transA, transB)
    return pdpd(result, C.shape, -1, "C2") if broadcast else unify_shapes(result, C.shape, "C2")


@shape("onnx:Gemm-7", "onnx:Gemm-11")
def gemm_shape(A: Fact, B: Fact, C: Fact | None, *, transA: bool, transB: bool) -> Shape:
    result = product_shape(A, B, transA, transB)
    return result if C is None else pdpd(result, C.shape, -1, "C2")


@kernel("onnx:Gemm-1", "onnx:Gemm-7", "onnx:Gemm-11", widen=True)
def gemm(
    A: Array, B: Array, C: Array | None, *, alpha: float, beta: float, transA: bool, transB: bool
) -> Array:
    matrix = product(A.T if transA else A, B.T if transB else B)
    terms = [(alpha, matrix)] if C is None or beta == 0 else [(alpha, matrix), (beta, C)]
    kind = element_type_of(A)
    if kind.integral and any(factor != 1 for factor, _ in terms):
        return converted(np.asarray(sum(f * term.astype(np.float64) for f, term in terms)), kind)
    scaled = [term if factor == 1 else term * A.dtype.type(factor) for factor, term in terms]
    return scaled[0] if len(scaled) == 1 else scaled[0] + scaled[1]


@shape("onnx:Det-11")
def det_shape(X: Fact) -> Shape:
    if X.shape.dims is not None:
        unify(X.shape[-1], X.shape[-2], "C1")
    return X.shape[:-2]


@kernel("onnx:Det-11", widen=True)
def det(X: Array) -> Array:
    return np.asarray(np.linalg.det(X), X.dtype)
