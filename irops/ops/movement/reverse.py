"""Reverse: reverse the order of the elements along the given axes."""

from typing import Any

import numpy as np

from irops.spec.binding import gradient, kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("Reverse-1")
def reverse_shape(data: Fact, axes: Fact, *, mode: str) -> Shape:
    kind, rank = axes.element_type, data.shape.rank
    if mode == "mask":
        require(kind.name in ("dynamic", "boolean"), "C2", axes)
        require(rank is None or axes.shape[0].can_be(rank), "C3", f"{axes.shape[0]} elements at rank {rank}")
        return data.shape
    require(kind.name == "dynamic" or kind.integral, "C1", axes)
    if axes.value is not None and rank is not None:
        check_axes(axes.value, rank)
    return data.shape


@kernel("Reverse-1")
def reverse(data: Array, axes: Array, *, mode: str) -> Array:
    if mode == "mask":
        require(axes.size == data.ndim, "C3", f"{axes.size} elements at rank {data.ndim}")
        reversed_axes = set(np.flatnonzero(axes).tolist())
    else:
        check_axes(axes, data.ndim)
        reversed_axes = {axis % data.ndim for axis in axes.tolist()}
    index: tuple[Any, ...] = tuple(
        slice(None, None, -1 if axis in reversed_axes else 1) for axis in range(data.ndim)
    )
    return data[(..., *index)]  # with the ellipsis, a scalar stays an array


@gradient("Reverse-1", by_kernel=True)
def reverse_gradient(d_output: Array, axes: Array, *, mode: str) -> Array:
    return reverse(d_output, axes, mode=mode)  # a permutation that is its own inverse and its own transpose


def check_axes(axes: Array, rank: int) -> None:
    """Require axes in [-rank, rank-1]; warn if one is negative or occurs twice."""
    numbers = [int(axis) for axis in axes.tolist()]
    for axis in numbers:
        require(-rank <= axis < rank, "C4", f"axis {axis} at rank {rank}")
    warn_unless(min(numbers, default=0) >= 0, "C5", numbers)
    warn_unless(len({axis % rank for axis in numbers}) == len(numbers), "C6", numbers)
