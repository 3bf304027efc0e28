"""OneHot: indices as one-hot vectors along a new axis."""

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require


@shape("OneHot-1", "OneHot-16")
def one_hot_shape(
    indices: Fact,
    depth: Fact,
    on_value: Fact,  # noqa: ARG001
    off_value: Fact,  # noqa: ARG001
    *,
    axis: int,
) -> Shape:
    size = (depth.dims or (UNKNOWN,))[0]
    require(size >= 0, "C2", size)
    if indices.shape.dims is None:
        return UNRANKED
    at = new_axis(axis, len(indices.shape))
    return indices.shape[:at] + Shape.of(size.at_least(0)) + indices.shape[at:]


def new_axis(axis: int, rank: int) -> int:
    """The new axis, counted from 0. Raises Violation("C1") if the output has no such axis."""
    require(-rank - 1 <= axis <= rank, "C1", f"axis {axis} for indices of rank {rank}")
    return axis % (rank + 1)


@kernel("OneHot-1", "OneHot-16", moves=("on_value", "off_value"))
def one_hot(
    indices: Array,
    depth: Array,
    on_value: Array,
    off_value: Array,
    *,
    axis: int,
    negative_indices_mode: str = "ignore_negative",
) -> Array:
    size, at, hot = int(as_i64(depth)), new_axis(axis, indices.ndim), as_i64(indices)
    if negative_indices_mode == "normalize":
        hot = np.where(hot < 0, hot + size, hot)
    require(Dim.of(size) >= 0, "C2", size)
    if not indices.size:
        return np.empty((*indices.shape[:at], size, *indices.shape[at:]), on_value.dtype)
    positions = np.arange(size).reshape(-1, *(1,) * (indices.ndim - at))
    return np.where(np.expand_dims(hot, at) == positions, on_value, off_value).astype(on_value.dtype)
