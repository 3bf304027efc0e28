"""Transpose, Roll and Tile."""

from functools import reduce

import numpy as np

from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


@shape("Transpose-1")
def transpose_shape(arg: Fact, input_order: Fact) -> Shape:
    length, order = input_order.shape[0], input_order.dims
    if arg.shape.dims is None:
        check_order(order or (), len(order or ()))
        return Shape([ANY] * len(order)) if order else UNRANKED
    rank = len(arg.shape)
    require(length.can_be(rank) or length == 0, "C1", f"{length} elements at rank {rank}")
    if length == 0:
        return arg.shape[::-1]
    order = order or (UNKNOWN,) * rank
    check_order(order, rank)
    return Shape(
        reduce(Dim.union, (size for number, size in enumerate(arg.shape) if axis.can_be(number)))
        for axis in order
    )


def check_order(order: tuple[Dim, ...], rank: int) -> None:
    """Require that order contains only axes of the rank, and none twice."""
    for axis in order:
        require(axis >= 0 and axis < rank, "C2", f"axis {axis} at rank {rank}")
    known = [int(axis) for axis in order if axis.known]
    require(len(set(known)) == len(known), "C3", known)


@kernel("Transpose-1", moves=("arg",))
def transpose(arg: Array, input_order: Array) -> Array:
    order = tuple(Dim.of(int(axis)) for axis in input_order)
    require(len(order) in (0, arg.ndim), "C1", f"{len(order)} elements at rank {arg.ndim}")
    check_order(order, len(order))
    return np.transpose(arg, [int(axis) for axis in order] or None)


@gradient("Transpose-1")
def transpose_gradient(d_output: Array, input_order: Array) -> Array:
    return np.transpose(d_output, np.argsort(input_order) if input_order.size else None)


@shape("Roll-7")
def roll_shape(data: Fact, shift: Fact, axes: Fact) -> Shape:
    if shift.shape.rank == 1:
        require(axes.shape.rank in (None, 1), "C1", shift.shape, axes.shape)
        unify(shift.shape[0], axes.shape[0], "C1")
    if data.shape.rank is not None and axes.value is not None:
        normal(axes.value, data.shape.rank)
    return data.shape


def normal(axes: Array, rank: int) -> list[int]:
    """axes counted from 0. A scalar counts as having one axis, as in OpenVINO."""
    span, numbers = max(rank, 1), as_i64(axes).ravel().tolist()
    for axis in numbers:
        require(-span <= axis < span, "C2", f"axis {axis} at rank {rank}")
    return [axis % span for axis in numbers]


@kernel("Roll-7", moves=("data",))
def roll(data: Array, shift: Array, axes: Array) -> Array:
    along = normal(axes, data.ndim)
    steps = np.broadcast_to(as_i64(shift), len(along)).tolist()
    for axis, step in zip(along, steps) if data.ndim else ():
        data = np.roll(data, step % max(data.shape[axis], 1), axis)
    return data


ONE = Dim.of(1)


@shape("Tile-1")
def tile_shape(data: Fact, repeats: Fact) -> Shape:
    sizes, times = data.shape.dims, repeats.dims
    if sizes is None or times is None:
        return UNRANKED
    warn_unless(all(n >= 0 for n in times), "C1", Shape(times))
    rank = max(len(sizes), len(times))
    sizes, times = (((ONE,) * rank + dims)[len(dims) :] for dims in (sizes, times))
    return Shape(size * n.at_least(0) for size, n in zip(sizes, times))


@values("Tile-1")
@kernel("Tile-1")
def tile(data: Array, repeats: Array) -> Array:
    times = [max(int(n), 0) for n in repeats]
    warn_unless(all(n >= 0 for n in repeats), "C1", repeats.tolist())
    return np.tile(data, times)
