"""Broadcast: broadcast a tensor to a target shape."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from irops.ops.unbroadcast import Sizes, unbroadcast
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, broadcast_shapes
from irops.values.violation import require, warn_unless


@shape("Broadcast-3")
def broadcast_shape(data: Fact, target_shape: Fact, axes_mapping: Fact | None, *, mode: str) -> Shape:
    is_given = axes_mapping is not None
    require(is_given == (mode == "explicit"), "C1", f"{'no ' * (not is_given)}axes_mapping in {mode} mode")
    if axes_mapping is not None and data.shape.rank is not None:
        count, rank = axes_mapping.shape[0], data.shape.rank
        require(count.can_be(rank), "C5", f"{count} axes at rank {rank}")
    sizes = target_shape.dims
    if sizes is None:
        return UNRANKED
    require(all(size >= 0 for size in sizes), "C2", Shape(sizes))
    target = Shape(size.at_least(0) for size in sizes)
    if mode == "bidirectional":
        return broadcast_shapes(data.shape, target, "C3")
    if data.shape.dims is None:
        return target
    if axes_mapping is not None:
        mapping = axes_mapping.value
        if mapping is None:
            return target
        return narrowed_target(target, data.shape, check_mapping(mapping, len(target)))
    require(len(data.shape) <= len(target), "C4", data.shape, target)
    return narrowed_target(target, data.shape, range(len(target) - len(data.shape), len(target)))


@shape("Broadcast-1")
def broadcast_1_shape(data: Fact, target_shape: Fact, axes_mapping: Fact | None, *, mode: str) -> Shape:
    mapping = axes_mapping if mode == "explicit" else None
    warn_unless(mode != "explicit" or mapping is not None, "C1")
    require(mapping is None or mapping.shape.rank in (None, 1), "C8", mapping)
    return broadcast_shape(data, target_shape, mapping, mode="numpy" if mapping is None else mode)


@values("Broadcast-1")
@kernel("Broadcast-1")
def broadcast_1(data: Array, target_shape: Array, axes_mapping: Array | None, *, mode: str) -> Array:
    mapping = axes_mapping if mode == "explicit" else None
    return broadcast(data, target_shape, mapping, mode="numpy" if mapping is None else mode)


def check_mapping(axes_mapping: Array, rank: int) -> list[int]:
    """The output axis of each axis of data. Raises Violation("C6") or Violation("C7") if it is invalid."""
    axes = [int(axis) for axis in axes_mapping]
    require(all(0 <= axis < rank for axis in axes), "C6", f"{axes} at rank {rank}")
    require(all(a < b for a, b in pairwise(axes)), "C7", axes)
    return axes


def narrowed_target(target: Shape, data: Shape, axes: Sequence[int]) -> Shape:
    """The target shape, narrowed by those sizes of data that cannot be 1. axes: the output axes of data."""
    sizes = list(target)
    for axis, size in zip(axes, data):
        fits = size.can_be(1) or size.can_be(sizes[axis])
        warn_unless(fits, "C3", data, target)  # not raised, because the output shape is known nevertheless
        if fits and not size.can_be(1):
            sizes[axis] = unify(sizes[axis], size, "C3")
    return Shape(sizes)


@values("Broadcast-3")
@kernel("Broadcast-3")
def broadcast(data: Array, target_shape: Array, axes_mapping: Array | None, *, mode: str) -> Array:
    mapping = None if axes_mapping is None else Fact.of(axes_mapping)
    target = broadcast_shape(Fact.of(data), Fact.of(target_shape), mapping, mode=mode).to_tuple()
    if axes_mapping is not None:
        mapped = {int(axis) for axis in axes_mapping}
        data = np.expand_dims(data, tuple(axis for axis in range(len(target)) if axis not in mapped))
    fits = all(size in (1, wanted) for size, wanted in zip(data.shape[::-1], target[::-1]))
    require(fits, "C3", Shape(data.shape), Shape(target))
    return np.broadcast_to(data, target)


@gradient("Broadcast-3")
def broadcast_gradient(d_output: Array, axes_mapping: Array | None, *, data_shape: Sizes) -> Array:
    if axes_mapping is None:
        return unbroadcast(d_output, data_shape)
    aligned = [1] * d_output.ndim
    for axis, size in zip(axes_mapping.tolist(), data_shape):
        aligned[axis] = size
    return unbroadcast(d_output, tuple(aligned)).reshape(data_shape)
