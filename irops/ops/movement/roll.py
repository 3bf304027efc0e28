"""Roll: shift elements cyclically along axes."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape, values
from irops.values.dim import unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import Shape
from irops.values.violation import require


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


@kernel("Roll-7")
def roll(data: Array, shift: Array, axes: Array) -> Array:
    along = normal(axes, data.ndim)
    steps = np.broadcast_to(as_i64(shift), len(along)).tolist()
    for axis, step in zip(along, steps) if data.ndim else ():
        data = np.roll(data, step % max(data.shape[axis], 1), axis)
    return data


@values("Roll-7")
def roll_values(data: Array, shift: Array, axes: Array) -> Array | None:
    return None if holds_dims(shift) or holds_dims(axes) else roll(data, shift, axes)
