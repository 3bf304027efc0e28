"""DepthToSpace and SpaceToDepth: rearrange channels into spatial blocks, and back."""

from __future__ import annotations

from math import inf, prod

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import MAX_DIM, UNRANKED, Shape
from irops.values.violation import require


def divided(size: Dim, parts: Dim, constraint: str) -> Dim:
    """The size of each of several equal parts; parts is 1 or more, size at most MAX_DIM.

    Raises:  Violation(constraint) if size cannot be a multiple of parts
    """
    part, low = size // parts, size.ceil_div(parts).low
    require(low <= part.high, constraint, size, f"{parts} parts")
    high = -(-MAX_DIM // int(parts.low)) if part.high == inf and parts.low > 1 else part.high
    return Dim(max(low, part.low), high, part.symbol)


@shape("DepthToSpace-1")
def depth_to_space_shape(data: Fact, *, block_size: int) -> Shape:
    require(block_size >= 1, "C2", block_size)
    if data.shape.dims is None:
        return UNRANKED
    batch, channels, *sizes = data.shape
    return Shape.of(
        batch,
        divided(channels, Dim.of(block_size ** len(sizes)), "C1"),
        *(size * block_size for size in sizes),
    )


@shape("SpaceToDepth-1")
def space_to_depth_shape(data: Fact, *, block_size: int) -> Shape:
    require(block_size >= 1, "C2", block_size)
    if data.shape.dims is None:
        return UNRANKED
    batch, channels, *sizes = data.shape
    return Shape.of(
        batch,
        channels * block_size ** len(sizes),
        *(divided(size, Dim.of(block_size), "C1") for size in sizes),
    )


@kernel("DepthToSpace-1")
def depth_to_space(data: Array, *, mode: str, block_size: int) -> Array:
    batch, channels, *sizes = data.shape
    axes, depth = len(sizes), channels // block_size ** len(sizes)
    blocks, first = (block_size,) * axes, mode == "blocks_first"
    split = (
        data.reshape(batch, *blocks, depth, *sizes) if first else data.reshape(batch, depth, *blocks, *sizes)
    )
    places = range(1, axes + 1) if first else range(2, axes + 2)
    pairs = [axis for number, place in enumerate(places) for axis in (axes + 2 + number, place)]
    return split.transpose(0, axes + 1 if first else 1, *pairs).reshape(
        batch, depth, *(size * block_size for size in sizes)
    )


@kernel("SpaceToDepth-1")
def space_to_depth(data: Array, *, mode: str, block_size: int) -> Array:
    batch, channels, *sizes = data.shape
    axes, outer = len(sizes), [size // block_size for size in sizes]
    split = data.reshape(batch, channels, *(part for size in outer for part in (size, block_size)))
    kept, within = range(2, 2 * axes + 2, 2), range(3, 2 * axes + 2, 2)
    order = (0, *within, 1, *kept) if mode == "blocks_first" else (0, 1, *within, *kept)
    return split.transpose(order).reshape(batch, channels * prod((block_size,) * axes), *outer)
