"""Logical ops: LogicalNot; LogicalAnd, LogicalOr, LogicalXor."""

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.elementwise import elementwise, elementwise_dims
from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim, maximum, minimum
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType, element_type_of
from irops.values.fact import Fact, each_dim
from irops.values.shape import Shape
from irops.values.violation import warn_unless


@shape("LogicalNot-1")
def logical_not_shape(data: Fact) -> Shape:
    warn_unless(data.element_type in (BOOLEAN, DYNAMIC), "C1", data)
    return data.shape


@kernel("LogicalNot-1")
def logical_not(data: Array) -> Array:
    return converted(np.asarray(as_numbers(data) == 0), element_type_of(data))


@values("LogicalNot-1")
def logical_not_dims(data: Array, *, result_type: ElementType) -> Array | None:
    return each_dim(lambda dim: 1 - dim, data) if result_type is BOOLEAN else None


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
