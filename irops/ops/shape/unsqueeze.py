"""Unsqueeze: put axes of size 1 in."""

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
        return _somewhere(sizes) if axes.shape.size == 1 else UNRANKED
    found: list[Dim] = []
    left = list(sizes[::-1])
    for place in _places(as_i64(axes.value).ravel().tolist(), len(sizes)):
        while left and len(found) < place:
            found.append(left.pop())
        found.append(ONE)  # a place beyond the end is at the end
    return Shape(found + left[::-1])


def _places(axes: list[int], rank: int) -> list[int]:
    """Axes of the output, counted from 0, in order. Each number counts once, as in OpenVINO, also toward the
    output's rank.
    """
    warn_unless(len(set(axes)) == len(axes), "C3", axes)
    rank += len(set(axes))
    for axis in axes:
        require(-rank <= axis < rank, "C2", f"axis {axis} at rank {rank}")
    places = {axis % rank for axis in axes}
    warn_unless(len(places) == len(set(axes)), "C3", axes)
    return sorted(places)


def _somewhere(sizes: tuple[Dim, ...]) -> Shape:
    """The shape with one more axis, it is not known where: each size may have moved on by one, or be the new
    one.
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
