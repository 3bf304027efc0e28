"""Logical ops on two boolean tensors: LogicalAnd, LogicalOr, LogicalXor, and Xor, its name in opset1."""

from __future__ import annotations

import numpy as np

from irops.ops.elementwise import elementwise, elementwise_dims
from irops.values.dim import Dim, maximum, minimum
from irops.values.element import Array


@elementwise("LogicalAnd-1")
def logical_and(a: Array, b: Array) -> Array:
    return np.logical_and(a, b)


@elementwise_dims("LogicalAnd-1")
def logical_and_dim(a: Dim, b: Dim) -> Dim:
    return minimum(a, b)


@elementwise("LogicalOr-1")
def logical_or(a: Array, b: Array) -> Array:
    return np.logical_or(a, b)


@elementwise_dims("LogicalOr-1")
def logical_or_dim(a: Dim, b: Dim) -> Dim:
    return maximum(a, b)


@elementwise("LogicalXor-2", "Xor-1")
def logical_xor(a: Array, b: Array) -> Array:
    return np.logical_xor(a, b)


@elementwise_dims("LogicalXor-2", "Xor-1")
def logical_xor_dim(a: Dim, b: Dim) -> Dim:
    return Dim.of(int(a != b)) if a.known and b.known else Dim(0, 1)
