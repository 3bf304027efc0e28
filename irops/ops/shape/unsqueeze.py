"""Unsqueeze: insert axes of size 1."""

from __future__ import annotations

from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless

ONE = Dim.of(1)


@shape("Unsqueeze-1")
def unsqueeze_shape(data: Fact, axes: Fact) -> Shape:
    require(axes.shape.size >= 1, "C1", axes)
    warn_unless(not axes.element_type.floating, "C4", axes)
    sizes = data.shape.dims
    if sizes is None:
        return UNRANKED
    if axes.value is None:
        return _with_axis_anywhere(sizes) if axes.shape.size == 1 else UNRANKED
    output: list[Dim] = []
    remaining = list(sizes[::-1])
    for position in _positions(as_i64(axes.value).ravel().tolist(), len(sizes)):
        while remaining and len(output) < position:
            output.append(remaining.pop())
        output.append(ONE)  # a position beyond the end is at the end
    return Shape(output + remaining[::-1])


def _positions(axes: list[int], rank: int) -> list[int]:
    """The new axes of the output, counted from 0, in ascending order.

    Equal elements of axes count once, as in OpenVINO, also for the rank of the output.
    """
    warn_unless(len(set(axes)) == len(axes), "C3", axes)
    rank += len(set(axes))
    for axis in axes:
        require(-rank <= axis < rank, "C2", f"axis {axis} at rank {rank}")
    positions = {axis % rank for axis in axes}
    warn_unless(len(positions) == len(set(axes)), "C3", axes)
    return sorted(positions)


def _with_axis_anywhere(sizes: tuple[Dim, ...]) -> Shape:
    """The shape with one more axis at an unknown position.

    Each size of the output is that of data on the same axis or on the axis before, or the new 1.
    """
    before, after = (ONE, *sizes), (*sizes, ONE)
    return Shape(a.union(b).union(ONE) for a, b in zip(before, after))


@values("Unsqueeze-1")
@kernel("Unsqueeze-1")
def unsqueeze(data: Array, axes: Array) -> Array:
    return data.reshape(unsqueeze_shape(Fact.of(data), Fact.of(axes)).to_tuple())


@gradient("Unsqueeze-1")
def unsqueeze_gradient(d_output: Array, *, data_shape: Sizes) -> Array:
    return d_output.reshape(data_shape)
