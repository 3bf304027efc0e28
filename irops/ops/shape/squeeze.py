"""Squeeze and Unsqueeze."""

from functools import reduce

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


@shape("Squeeze-1")
def squeeze_shape(data: Fact, axes: Fact | None) -> Shape:
    if axes is not None:
        warn_unless(not axes.element_type.floating, "C4", axes)
    sizes = data.shape.dims
    if sizes is None:
        return UNRANKED
    if axes is None or axes.shape.size == 0:
        others = [size for size in sizes if size != 1]
        return UNRANKED if any(size.can_be(1) for size in others) else Shape(others)
    if axes.value is not None:
        removed = _removed(axes.value, sizes)
        return Shape(size for axis, size in enumerate(sizes) if axis not in removed)
    ones = [axis for axis, size in enumerate(sizes) if size.can_be(1)]
    if not ones:
        return data.shape
    if axes.shape.size != 1:
        return UNRANKED
    return reduce(Shape.union, (data.shape.without([axis]) for axis in ones))


def _removed(axes: Array, sizes: tuple[Dim, ...]) -> set[int]:
    """The axes to remove: those in axes whose size may be 1."""
    rank = max(len(sizes), 1)  # a scalar is treated as having one axis
    numbers = as_i64(axes).ravel().tolist()
    for axis in numbers:
        require(-rank <= axis < rank, "C1", f"axis {axis} at rank {len(sizes)}")
    normalized = {axis % rank for axis in numbers}
    warn_unless(len(normalized) == len(numbers), "C2", numbers)
    kept = [axis for axis in normalized if axis < len(sizes) and not sizes[axis].can_be(1)]
    warn_unless(not kept, "C3", Shape(sizes), f"axis {kept[:1]}")
    return normalized - set(kept)


@shape("Squeeze-15")
def squeeze_15_shape(data: Fact, axes: Fact | None, *, allow_axis_skip: bool) -> Shape:
    inferred = squeeze_shape(data, axes)
    sizes = data.shape.dims
    if not allow_axis_skip or sizes is None or axes is None or axes.shape.size == 0:
        return inferred
    if axes.value is None:
        return inferred if not any(size.can_be(1) for size in sizes) else UNRANKED
    removed = [axis for axis in _removed(axes.value, sizes) if axis < len(sizes)]
    return UNRANKED if any(not sizes[axis].known for axis in removed) else inferred


@values("Squeeze-1", "Squeeze-15")
@kernel("Squeeze-1", "Squeeze-15")
def squeeze(data: Array, axes: Array | None) -> Array:
    return data.reshape(squeeze_shape(Fact.of(data), None if axes is None else Fact.of(axes)).to_tuple())


@gradient("Squeeze-1")
def squeeze_gradient(d_output: Array, *, data_shape: Sizes) -> Array:
    return d_output.reshape(data_shape)
