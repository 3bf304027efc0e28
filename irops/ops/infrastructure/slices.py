"""How tensors are cut into the parts of iterations, and joined from their pieces: what Loop and
TensorIterator share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irops.spec.body import BodyInput, Cut
from irops.values.dim import ANY, Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import violations_at, require, warn_unless


def part_count(entry: BodyInput, shape: Shape, hold: Callable[..., None] = warn_unless) -> Dim:
    """How many parts a tensor is cut into; with a remainder, how many are whole.

    hold: warn_unless to go on where parts do not fill the way, or require
    """
    assert entry.cut is not None
    if shape.dims is None:
        return ANY
    with violations_at(entry.at):
        return _parts(entry.cut, shape[axis_of(entry.cut, len(shape))], hold)


def axis_of(cut: Cut, rank: int) -> int:
    """The axis that is cut, counted from 0."""
    require(-rank <= cut.axis < rank, "C1", f"axis {cut.axis} at rank {rank}")
    warn_unless(cut.axis >= 0, "C7", cut.axis)
    return cut.axis % rank


def _parts(cut: Cut, size: Dim, hold: Callable[..., None]) -> Dim:
    said = f"start {cut.start}, end {cut.end}, stride {cut.stride} on {size} elements"
    first, last = (cut.start, cut.end) if cut.stride > 0 else (cut.end, cut.start)
    require(_within(first, size) and _within(last, size), "C2", said)
    way = _way(first, last, size)
    require(way >= (0 if size.can_be(0) else 1), "C2", said)
    way = way.at_least(0)
    least, most = way.ceil_div(cut.part_size).low, (way // cut.part_size).high
    hold(abs(cut.stride) == cut.part_size and least <= most, "C3", f"part_size {cut.part_size}, {said}")
    return Dim(min(least, most), most)


def _within(index: int, size: Dim) -> bool:
    """Whether an index can lie within an axis. An axis of no elements has a first and a last one of which
    nothing is between.
    """
    return (size > index if index >= 0 else size >= -index) or (index in (0, -1) and size.can_be(0))


def _way(first: int, last: int, size: Dim) -> Dim:
    """How many elements there are from one index to another, both counted; negative indices count from the
    end.
    """
    if (first < 0) == (last < 0):
        return Dim.of(last - first + 1)
    return size + (last - first + 1) if last < 0 else (last - first + 1) - size


def part_shape(entry: BodyInput, shape: Shape) -> Shape:
    """The shape of a part."""
    assert entry.cut is not None
    return shape if shape.dims is None else shape.with_dim(entry.cut.axis, entry.cut.part_size)


def part(array: Array, cut: Cut, turn: int) -> Array:
    """The part of an iteration. With a negative stride parts are taken from the end; the elements of each
    stay in their order.
    """
    axis = cut.axis % array.ndim
    start = cut.start if cut.start >= 0 else cut.start + array.shape[axis]
    low = start + turn * cut.stride - (cut.part_size - 1 if cut.stride < 0 else 0)
    view: Array = array[(slice(None),) * axis + (slice(low, low + cut.part_size),)]
    return view


def joined_shape(cut: Cut, piece: Shape, count: Dim) -> Shape:
    """The shape of the pieces of so many iterations, joined; pieces without axes are joined along a
    new one.
    """
    if piece.dims is None:
        return UNRANKED
    pieces = piece if piece.dims else Shape.of(1)
    axis = axis_of(cut, len(pieces))
    return pieces.with_dim(axis, pieces[axis].named(None) * count)  # each piece may have a size of its own


def joined(pieces: Sequence[Array], cut: Cut, promised: Fact) -> Array:
    """The pieces of all iterations in order, in reverse with a negative stride. promised: what is known of
    one, where there is none.
    """
    if not pieces:
        return _no_pieces(cut, promised)
    arrays = [piece if piece.ndim else piece.reshape(1) for piece in pieces]
    axis = axis_of(cut, arrays[0].ndim)
    shapes = {(*array.shape[:axis], 0, *array.shape[axis + 1 :]): array for array in arrays}
    require(len(shapes) == 1, "C8", *(Shape(array.shape) for array in list(shapes.values())[:2]))
    return np.concatenate(arrays[::-1] if cut.stride < 0 else arrays, axis=axis)


def _no_pieces(cut: Cut, promised: Fact) -> Array:
    """A tensor of no pieces; what is not known of their other axes is the least that may be."""
    shape = joined_shape(cut, promised.shape, Dim.of(0))
    sizes = (0,) if shape.dims is None else tuple(int(dim.low) for dim in shape.dims)
    return np.empty(sizes, promised.element_type.dtype)
