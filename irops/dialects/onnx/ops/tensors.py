"""Ops of ONNX that move, select and generate elements, where they differ from those of OpenVINO."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from irops.dialects.onnx.ops.cast import cast, cast_dims
from irops.ops.condition.non_zero import non_zero as non_zero_of
from irops.ops.condition.non_zero import non_zero_count
from irops.ops.conversion import converted
from irops.ops.generation.range import range_1_shape
from irops.ops.movement.scatter import scatter_nd_update_shape
from irops.ops.movement.tile import tile, tile_shape
from irops.ops.movement.unique import unique_parts, unique_shape
from irops.ops.partial import entries
from irops.ops.sequence.one_hot import new_axis
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, values
from irops.spec.binding import shape as infers
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import (
    BOOLEAN,
    I64,
    STRING,
    Array,
    ElementType,
    as_i64,
    element_type,
    element_type_of,
    zeros,
)
from irops.values.fact import Fact, dims_array, holds_dims
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import require

# Tile, GatherElements and Pad.


@infers("onnx:Tile-6")
def tile_of_rank_shape(input: Fact, repeats: Fact) -> Shape:
    if input.shape.rank is not None:
        unify(repeats.shape[0], input.shape.rank, "C1")
    require(all(count >= 0 for count in repeats.dims or ()), "C2", repeats)
    return tile_shape(input, repeats)


@values("onnx:Tile-6")
@kernel("onnx:Tile-6")
def tile_of_rank(input: Array, repeats: Array) -> Array:
    return tile(input, repeats)


@infers("onnx:GatherElements-11")
def gather_elements_shape(data: Fact, indices: Fact, *, axis: int) -> Shape:
    rank, other = data.shape.rank, indices.shape.rank
    require(rank is None or other is None or rank == other, "C1", data.shape, indices.shape)
    if rank is not None and other is not None:
        for place, (size, count) in enumerate(zip(data.shape, indices.shape)):
            require(place == axis or count.low <= size.high, "C2", data.shape, indices.shape)
    return indices.shape


@values("onnx:GatherElements-11")
@kernel("onnx:GatherElements-11")
def gather_elements(data: Array, indices: Array, *, axis: int) -> Array | None:
    if holds_dims(indices):
        return None
    numbers, size = as_i64(indices), data.shape[axis]
    outside = (numbers < -size) | (numbers >= size)
    require(not outside.any(), "C3", f"{numbers[outside][:1].tolist()} on {size} elements")
    covered = tuple(slice(None) if k == axis else slice(count) for k, count in enumerate(indices.shape))
    return np.take_along_axis(data[covered], numbers % max(size, 1), axis)


@infers("onnx:Pad-1")
def pad_shape(
    data: Fact, pads: Fact, constant_value: Fact | None, axes: Fact | None = None, *, mode: str
) -> Shape:
    del constant_value
    rank = data.shape.rank
    if rank is None:
        return UNRANKED
    if axes is not None and axes.value is None:
        return Shape(ANY for _ in data.shape)
    along = _padded_axes(rank, None if axes is None else axes.value)
    unify(pads.shape[0], 2 * len(along), "C1")
    amounts, sizes = entries(pads, 2 * len(along), 0), list(data.shape)
    for place, axis in enumerate(along):
        begin, end = amounts[place], amounts[place + len(along)]
        if pads.dims is None:
            sizes[axis] = ANY
            continue
        total = sizes[axis] + begin + end
        require(total >= 0, "C3", f"{begin} and {end} on {sizes[axis]} elements")
        require(mode == "constant" or sizes[axis].high > 0 or total.can_be(0), "C4", mode)
        sizes[axis] = total.at_least(0)
    return Shape(sizes)


def _padded_axes(rank: int, axes: Array | None) -> Sequence[int]:
    return range(rank) if axes is None else normal_axes(map(int, axes.ravel()), rank, "C2")


@values("onnx:Pad-1")
@kernel("onnx:Pad-1")
def pad(
    data: Array, pads: Array, constant_value: Array | None, axes: Array | None = None, *, mode: str
) -> Array | None:
    if holds_dims(pads) or (axes is not None and holds_dims(axes)):
        return None
    along = _padded_axes(data.ndim, axes)
    begin, end = as_i64(pads).reshape(2, len(along)).tolist()
    for axis, first, last in zip(along, begin, end):
        size = data.shape[axis]
        require(size + first + last >= 0, "C3", f"{first} and {last} on {size} elements")
        places = np.arange(-first, size + last)
        inside = (places >= 0) & (places < size)
        require(mode == "constant" or inside.all() or size > 0, "C4", mode)
        elements = np.take(data, _sources(places, size, mode), axis) if size else None
        fill = _nothing(data) if constant_value is None else constant_value
        fill = np.asarray(fill.reshape(()).astype(data.dtype))
        if elements is None:
            data = np.full((*data.shape[:axis], len(places), *data.shape[axis + 1 :]), fill, data.dtype)
        elif mode == "constant" and not inside.all():
            elements[(slice(None),) * axis + (~inside,)] = fill
            data = elements
        else:
            data = elements
    return data


def _nothing(data: Array) -> Array:
    """The zero of a tensor's type, or of partly known elements."""
    return np.array(0, object) if holds_dims(data) else zeros((), element_type_of(data))


def _sources(places: Array, size: int, mode: str) -> Array:
    """The elements of an axis that lie at places before, in and after it."""
    if mode == "wrap":
        return places % size
    if mode == "reflect" and size > 1:
        turn = places % (2 * size - 2)
        return np.asarray(np.minimum(turn, 2 * size - 2 - turn))
    return np.clip(places, 0, size - 1)


# Range, whose inputs may have an axis of one element.


@infers("onnx:Range-11")
def range_of_elements_shape(start: Fact, limit: Fact, delta: Fact) -> Shape:
    for fact in (start, limit, delta):
        require(fact.shape.size.can_be(1), "C3", fact)
    return range_1_shape(start, limit, delta)


# Split.


@infers("onnx:Split-2")
def split_shape(
    input: Fact, split: Fact | None, *, axis: int, num_outputs: int | None = None, output_count: int = 0
) -> tuple[Shape, ...]:
    require(split is None or num_outputs is None, "C2", num_outputs)
    count = output_count or num_outputs or 1
    if split is not None:
        count = output_count or max(int(split.shape[0].low), 1)
        unify(split.shape[0], count, "C3")
    require(num_outputs in (None, count), "C3", num_outputs, f"{count} outputs")
    if split is None:
        return tuple(input.shape.with_dim(axis, size) for size in _even(input.shape[axis], count))
    lengths = split.dims or (ANY,) * count
    require(all(length >= 0 for length in lengths), "C3", Shape(lengths))
    if all(length.known for length in lengths):
        require(input.shape[axis].can_be(sum(map(int, lengths))), "C3", Shape(lengths), input.shape[axis])
    return tuple(input.shape.with_dim(axis, length.at_least(0)) for length in lengths)


def _even(size: Dim, count: int) -> list[Dim]:
    """The sizes of equal parts, of which the last is smaller if the size is not a multiple."""
    part = size.ceil_div(count)
    if count == 1:
        return [size]
    if not size.known:
        return [part] * (count - 1) + [Dim(0, part.high)]
    last = int(size) - int(part) * (count - 1)
    require(last >= 0, "C3", size, f"{count} parts")
    return [part] * (count - 1) + [Dim.of(last)]


@kernel("onnx:Split-2")
def split_of(
    input: Array,
    split: Array | None,
    *,
    axis: int,
    num_outputs: int | None = None,
    output_count: int = 0,
) -> tuple[Array, ...]:
    size = input.shape[axis]
    parts = _even(Dim.of(size), output_count or num_outputs or 1) if split is None else split
    lengths = [int(part) for part in parts]
    require(sum(lengths) == size and min(lengths, default=0) >= 0, "C3", lengths, f"{size} elements")
    return tuple(np.split(input, np.cumsum(lengths)[:-1], axis))


# Flatten, Size, EyeLike, Trilu and OneHot.


@infers("onnx:Flatten-1")
def flatten_shape(input: Fact, *, axis: int) -> Shape:
    rank = input.shape.rank
    if rank is None:
        return Shape.of(ANY, ANY)
    require(-rank <= axis <= rank, "C1", f"axis {axis} at rank {rank}")
    at = axis + rank if axis < 0 else axis
    return Shape.of(input.shape[:at].size, input.shape[at:].size)


@kernel("onnx:Flatten-1")
def flatten(input: Array, *, axis: int) -> Array:
    at = axis + input.ndim if axis < 0 else axis
    return input.reshape(prod(input.shape[:at]), prod(input.shape[at:]))


@infers("onnx:Size-1")
def size_shape(data: Fact) -> Fact:
    return Fact(I64, Shape(()), dims_array(data.shape.size).reshape(()))


@kernel("onnx:Size-1")
def size_of(data: Array) -> Array:
    return np.array(data.size, np.int64)


@infers("onnx:EyeLike-9")
def eye_like_shape(input: Fact, *, dtype: ElementType | None) -> Fact:
    return Fact(dtype or input.element_type, input.shape)


@kernel("onnx:EyeLike-9")
def eye_like(input: Array, *, k: int, dtype: ElementType | None) -> Array:
    rows, columns = input.shape
    return np.eye(rows, columns, k, dtype=np.int8).astype((dtype or element_type_of(input)).dtype)


@values("onnx:Trilu-14")
@kernel("onnx:Trilu-14")
def triangle(input: Array, k: Array | None, *, upper: bool) -> Array | None:
    if k is not None and holds_dims(k):
        return None
    diagonal = 0 if k is None else int(as_i64(k).item())
    places = np.arange(input.shape[-1]) - np.arange(input.shape[-2])[:, np.newaxis]
    kept = places >= diagonal if upper else places <= diagonal
    return np.where(kept, input, _nothing(input))


@infers("onnx:OneHot-9")
def one_hot_shape(indices: Fact, depth: Fact, values: Fact, *, axis: int) -> Shape:
    size = (depth.dims or (UNKNOWN,))[0]
    require(size >= 0, "C2", size)
    unify(values.shape[0], 2, "C3")
    if indices.shape.dims is None:
        return UNRANKED
    at = new_axis(axis, len(indices.shape))
    return indices.shape[:at] + Shape.of(size.at_least(0)) + indices.shape[at:]


@kernel("onnx:OneHot-9")
def one_hot(indices: Array, depth: Array, values: Array, *, axis: int) -> Array:
    """Negative indices count from depth; an index out of range gives a row of the first value."""
    size, at = int(as_i64(depth).item()), new_axis(axis, indices.ndim)
    require(size >= 0, "C2", size)
    places = np.arange(size).reshape(-1, *(1,) * (indices.ndim - at))
    chosen = np.expand_dims(as_i64(indices), at)
    return np.asarray(np.where(np.where(chosen < 0, chosen + size, chosen) == places, values[1], values[0]))


# DepthToSpace and SpaceToDepth.


@infers("onnx:DepthToSpace-1")
def depth_to_space_shape(input: Fact, *, blocksize: int) -> Shape:
    batch, channels, height, width = input.shape.of_rank(4, "C1")
    require((channels % blocksize**2).can_be(0), "C1", channels)
    return Shape.of(batch, channels // blocksize**2, height * blocksize, width * blocksize)


@kernel("onnx:DepthToSpace-1")
def depth_to_space(input: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    n, c, h, w = input.shape
    depth = c // blocksize**2
    if mode == "DCR":
        parts = input.reshape(n, blocksize, blocksize, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = input.reshape(n, depth, blocksize, blocksize, h, w).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(n, depth, h * blocksize, w * blocksize)


@infers("onnx:SpaceToDepth-1")
def space_to_depth_shape(input: Fact, *, blocksize: int) -> Shape:
    batch, channels, height, width = input.shape.of_rank(4, "C1")
    require((height % blocksize).can_be(0) and (width % blocksize).can_be(0), "C1", height, width)
    return Shape.of(batch, channels * blocksize**2, height // blocksize, width // blocksize)


@kernel("onnx:SpaceToDepth-1")
def space_to_depth(input: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    n, c, h, w = input.shape
    high, wide = h // blocksize, w // blocksize
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    parts = input.reshape(n, c, high, blocksize, wide, blocksize).transpose(order)
    return parts.reshape(n, c * blocksize**2, high, wide)


# Col2Im: the sum of all blocks that cover each element of an image with any number of axes.

Numbers = tuple[int, ...]


def _sliding(count: int, *attributes: Numbers | None) -> tuple[Numbers, Numbers, Numbers]:
    """strides, dilations and pads for a number of axes, where each may be missing. Raises: Violation(C2)"""
    strides, dilations, pads = attributes
    ones = (1,) * count
    lists = strides or ones, dilations or ones, pads or (0,) * (2 * count)
    fits = len(lists[0]) == len(lists[1]) == count and len(lists[2]) == 2 * count
    require(fits, "C2", *map(len, lists))
    return lists


@infers("onnx:Col2Im-18")
def col2im_shape(
    input: Fact,
    image_shape: Fact,
    block_shape: Fact,
    *,
    strides: Numbers | None,
    dilations: Numbers | None,
    pads: Numbers | None,
) -> Shape:
    count = unify(image_shape.shape[0], block_shape.shape[0], "C1")
    if not count.known:
        return UNRANKED
    axes = int(count)
    steps, gaps, around = _sliding(axes, strides, dilations, pads)
    sizes, taps = entries(image_shape, axes, 0), entries(block_shape, axes, 0)
    if image_shape.dims is None or block_shape.dims is None:
        return Shape.of(input.shape[0], ANY, *(ANY for _ in range(axes)))
    batch, rows, columns = input.shape.of_rank(3, "C5")
    positions = Dim.of(1)
    for k, (size, tap) in enumerate(zip(sizes, taps)):
        span = size + around[k] + around[k + axes] - (tap - 1) * gaps[k] - 1
        require(span >= 0, "C4", size, tap)
        positions = positions * (span.at_least(0) // steps[k] + 1)
    unify(columns, positions, "C5")
    block = prod(taps, start=Dim.of(1))
    require((rows % block).can_be(0) if block.known else True, "C6", rows, block)
    return Shape.of(batch, rows // block, *(size.at_least(0) for size in sizes))


@kernel("onnx:Col2Im-18", widen=True)
def col2im(
    input: Array,
    image_shape: Array,
    block_shape: Array,
    *,
    strides: Numbers | None,
    dilations: Numbers | None,
    pads: Numbers | None,
) -> Array:
    sizes, taps = as_i64(image_shape).tolist(), as_i64(block_shape).tolist()
    steps, gaps, around = _sliding(len(sizes), strides, dilations, pads)
    counts = [
        (size + around[k] + around[k + len(sizes)] - gaps[k] * (taps[k] - 1) - 1) // steps[k] + 1
        for k, size in enumerate(sizes)
    ]
    blocks = input.reshape(len(input), input.shape[1] // prod(taps), *taps, *counts)
    image = np.zeros((*blocks.shape[:2], *sizes), input.dtype)
    for tap in np.ndindex(*taps):
        places = [np.arange(n) * steps[k] + tap[k] * gaps[k] - around[k] for k, n in enumerate(counts)]
        inside = [np.flatnonzero((at >= 0) & (at < size)) for at, size in zip(places, sizes)]
        target: Any = (..., *np.ix_(*(at[chosen] for at, chosen in zip(places, inside))))
        source: Any = (slice(None), slice(None), *tap)
        covered: Any = (..., *np.ix_(*inside))
        image[target] += blocks[source][covered]
    return image


# Unique.


@infers("onnx:Unique-11")
def unique_of_shape(X: Fact, *, axis: int | None, sorted: bool) -> tuple[Shape | Fact, ...]:
    along = None if axis is None else Fact.of(np.array(axis))
    first, *others = unique_shape(X, along, sorted=sorted)
    return first, *(Fact(I64, other) for other in others)


@kernel("onnx:Unique-11")
def unique_of(X: Array, *, axis: int | None, sorted: bool) -> tuple[Array, ...]:
    first, *others = unique_parts(X, None if axis is None else np.array(axis), sorted)
    return first, *(other.astype(np.int64) for other in others)


# CastLike.


@infers("onnx:CastLike-15")
def cast_like_shape(input: Fact, target_type: Fact) -> Fact:
    return Fact(target_type.element_type, input.shape)


@kernel("onnx:CastLike-15")
def cast_like(input: Array, target_type: Array, *, saturate: bool = True, round_mode: str = "up") -> Array:
    return cast(input, to=element_type_of(target_type), saturate=saturate, round_mode=round_mode)


@values("onnx:CastLike-15")
def cast_like_dims(input: Array, target_type: Array, *, result_type: ElementType) -> Array | None:
    del target_type
    return None if result_type is STRING else cast_dims(input, to=result_type)


# Upsample: nearest or linear, with asymmetric coordinates.


@infers("onnx:Upsample-7")
def upsample_shape(X: Fact, scales: Fact) -> Shape:
    if X.shape.rank is None:
        return UNRANKED
    unify(scales.shape[0], X.shape.rank, "C1")
    factors = scales.value
    if factors is None:
        return Shape(ANY for _ in X.shape)
    require((factors > 0).all(), "C2", factors)
    return Shape(_scaled(size, float(factor)) for size, factor in zip(X.shape, factors))


def _scaled(size: Dim, factor: float) -> Dim:
    if factor == int(factor):
        return size * int(factor)
    return Dim.of(int(size.low * factor)) if size.known else ANY


@kernel("onnx:Upsample-7")
def upsample(X: Array, scales: Array, *, mode: str) -> Array:
    data = X
    for axis, factor in enumerate(scales.tolist()):
        size = data.shape[axis]
        places = np.arange(int(size * factor)) / factor
        low = np.clip(np.floor(places).astype(np.int64), 0, max(size - 1, 0))
        if mode == "nearest" or factor == 1:
            data = np.take(data, low, axis)
            continue
        weight = np.clip(places - low, 0, 1).reshape(-1, *(1,) * (data.ndim - axis - 1))
        high = np.minimum(low + 1, size - 1)
        data = np.take(data, low, axis) * (1 - weight) + np.take(data, high, axis) * weight
    return data.astype(X.dtype)


# Tile before opset 6: along one axis.


@infers("onnx:Tile-1")
def tile_axis_shape(input: Fact, tiles: Fact, axis: Fact) -> Shape:
    if input.shape.rank is None or axis.value is None or tiles.value is None:
        return UNRANKED if input.shape.rank is None else Shape(ANY for _ in input.shape)
    along = normal_axes([int(axis.value.item())], input.shape.rank, "C1")[0]
    return input.shape.with_dim(along, input.shape[along] * int(tiles.value.item()))


@kernel("onnx:Tile-1")
def tile_axis(input: Array, tiles: Array, axis: Array) -> Array:
    along = normal_axes([int(axis.item())], input.ndim, "C1")[0]
    return np.tile(input, [int(tiles.item()) if k == along else 1 for k in range(input.ndim)])


# NonZero and ScatterND.


@infers("onnx:NonZero-9")
def non_zero_shape(X: Fact) -> Shape:
    """A scalar has one index, as a vector of one element has."""
    return Shape.of(max(X.shape.rank, 1) if X.shape.rank is not None else ANY, non_zero_count(X))


@kernel("onnx:NonZero-9")
def non_zero(X: Array) -> Array:
    return non_zero_of(np.atleast_1d(X), output_type=I64)


@infers("onnx:ScatterND-11")
def scatter_nd_shape(data: Fact, indices: Fact, updates: Fact) -> Shape:
    shape = scatter_nd_update_shape(data, indices, updates)
    length = indices.shape[-1]
    if data.shape.dims is not None and indices.shape.dims is not None and length.known:
        wanted = indices.shape[:-1] + data.shape[int(length) :]
        unify_shapes(wanted, updates.shape, "C2")
    return shape


# ConstantOfShape.


@infers("onnx:ConstantOfShape-9")
def constant_of_shape(input: Fact, *, value: str | None) -> Fact:
    sizes = input.dims
    require(all(size >= 0 for size in sizes or ()), "C1", input)
    kind = _fill(value)[0]
    if sizes is None:
        rank = input.shape[0]
        return Fact(kind, Shape(ANY for _ in range(int(rank))) if rank.known and rank <= 64 else UNRANKED)
    return Fact(kind, Shape(size.at_least(0) for size in sizes))


def _fill(value: str | None) -> tuple[ElementType, Array]:
    """The type and the number that the text of a tensor with one element states; 0 in f32 by default."""
    name, _, number = (value or "f32 0").partition(" ")
    kind = element_type(name, foreign=True)
    exact = int(number) if kind.integral or kind is BOOLEAN else float(number)
    return kind, converted(np.array(exact), kind) if kind is not BOOLEAN else np.array(bool(exact))


@kernel("onnx:ConstantOfShape-9")
def filled(input: Array, *, value: str | None) -> Array:
    number = _fill(value)[1]
    return np.full(as_i64(input).tolist(), number, number.dtype)
