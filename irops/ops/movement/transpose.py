"""Transpose: permute the axes of a tensor."""

from __future__ import annotations

from functools import reduce

import numpy as np

from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import Array
from irops.values.fact import Fact, holds_dims
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require


@shape("Transpose-1")
def transpose_shape(arg: Fact, input_order: Fact) -> Shape:
    length, order = input_order.shape[0], input_order.dims
    if arg.shape.dims is None:
        check_order(order or (), len(order or ()))
        return Shape([ANY] * len(order)) if order else UNRANKED
    rank = len(arg.shape)
    require(length.can_be(rank) or length.can_be(0), "C1", f"{length} elements at rank {rank}")
    if length == 0 or not length.can_be(rank):
        return arg.shape[::-1]
    order = order or (UNKNOWN,) * rank
    check_order(order, rank)
    return Shape(_one_of(arg.shape, axis) for axis in order)


def _one_of(shape: Shape, axis: Dim) -> Dim:
    """The size of shape along an axis that may be only partially known."""
    return reduce(Dim.union, (size for number, size in enumerate(shape) if axis.can_be(number)))


def check_order(order: tuple[Dim, ...], rank: int) -> None:
    """Require that order contains only axes of the rank, and none twice."""
    for axis in order:
        require(axis >= 0 and axis < rank, "C2", f"axis {axis} at rank {rank}")
    known = [int(axis) for axis in order if axis.known]
    require(len(set(known)) == len(known), "C3", known)


@values("Transpose-1")
def transpose_values(arg: Array, input_order: Array) -> Array | None:
    return None if holds_dims(input_order) else transpose(arg, input_order)


@kernel("Transpose-1")
def transpose(arg: Array, input_order: Array) -> Array:
    order = tuple(Dim.of(int(axis)) for axis in input_order)
    require(len(order) in (0, arg.ndim), "C1", f"{len(order)} elements at rank {arg.ndim}")
    check_order(order, len(order))
    return np.transpose(arg, [int(axis) for axis in order] or None)


@gradient("Transpose-1")
def transpose_gradient(d_output: Array, input_order: Array) -> Array:
    return np.transpose(d_output, np.argsort(input_order) if input_order.size else None)
