"""The slices that port maps of loops take and join; warnings where OpenVINO's CPU plug-in does otherwise.

The plug-in takes start and end of a TensorIterator for positions between elements, of which -1 is the end of
the axis, and counts iterations along sliced inputs and, if all shapes are static, along concatenated outputs.
"""

from collections.abc import Callable, Sequence

import numpy as np

from irops.spec.body import BodyFunction, BodyInput, Cut
from irops.values.dim import ANY, Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, violations_at, warn_unless


def part_count(entry: BodyInput, shape: Shape, check: Callable[..., None] = warn_unless) -> Dim:
    """The number of parts of a sliced input, without a remainder.

    check: warn_unless to continue if there is a remainder, or require
    """
    assert entry.cut is not None
    cut = entry.cut
    if shape.dims is None:
        return ANY
    with violations_at(entry.at):
        size = shape[axis_of(cut, len(shape))]
        values = f"start {cut.start}, end {cut.end}, stride {cut.stride} on {size} elements"
        first, last = (cut.start, cut.end) if cut.stride > 0 else (cut.end, cut.start)
        whole = (first, last) == (0, -1)  # an axis of size 0 can only be sliced as a whole, into no parts
        lowest = 0 if whole else max(_elements_up_to(first), _elements_up_to(last))
        require(size >= lowest, "C2", values)
        length = _length(first, last, Dim(max(size.low, lowest), max(size.high, lowest), size.symbol))
        require(whole or length >= 1, "C2", values)
        length = length.at_least(0 if whole else 1)
        low, high = length.ceil_div(cut.part_size).low, (length // cut.part_size).high
        check(abs(cut.stride) == cut.part_size and low <= high, "C3", f"part_size {cut.part_size}, {values}")
        return Dim(min(low, high), high).named((length // cut.part_size).symbol)


def axis_of(cut: Cut, rank: int) -> int:
    """The sliced or concatenated axis, counted from 0."""
    require(-rank <= cut.axis < rank, "C1", f"axis {cut.axis} at rank {rank}")
    warn_unless(cut.axis >= 0, "C7", cut.axis)
    return cut.axis % rank


def _elements_up_to(index: int) -> int:
    """The smallest size of an axis that has an index."""
    return index + 1 if index >= 0 else -index


def _length(first: int, last: int, size: Dim) -> Dim:
    """The number of elements from index first to index last, both inclusive. Negative indices count from the
    end.
    """
    if (first < 0) == (last < 0):
        return Dim.of(last - first + 1)
    return size + (last - first + 1) if last < 0 else (last - first + 1) - size


def part_shape(entry: BodyInput, shape: Shape) -> Shape:
    """The shape of a part of a sliced input."""
    assert entry.cut is not None
    return shape if shape.dims is None else shape.with_dim(entry.cut.axis, entry.cut.part_size)


def part(array: Array, cut: Cut, iteration: int) -> Array:
    """The part for an iteration. With a negative stride the parts are taken from the end; the elements of a
    part keep their order.
    """
    axis = cut.axis % array.ndim
    start = cut.start if cut.start >= 0 else cut.start + array.shape[axis]
    low = start + iteration * cut.stride - (cut.part_size - 1 if cut.stride < 0 else 0)
    view: Array = array[(slice(None),) * axis + (slice(low, low + cut.part_size),)]
    return view


def concatenated_shape(cut: Cut, piece: Shape, count: Dim) -> Shape:
    """The shape of count concatenated pieces. Scalar pieces are concatenated along a new axis."""
    if piece.dims is None:
        return UNRANKED
    pieces = piece if piece.dims else Shape.of(1)
    axis = axis_of(cut, len(pieces))
    size = pieces[axis].named(None)  # pieces may differ in size, so a symbol would be wrong for some
    return pieces.with_dim(axis, size * count)


def concatenated(pieces: Sequence[Array], cut: Cut, inferred: Fact) -> Array:
    """The concatenated pieces of all iterations, in reverse order with a negative stride.

    inferred: the fact of a piece, used if there are none
    """
    if not pieces:
        # unknown sizes of the other axes are replaced with their lower bounds
        shape = concatenated_shape(cut, inferred.shape, Dim.of(0))
        sizes = (0,) if shape.dims is None else tuple(int(dim.low) for dim in shape.dims)
        return np.empty(sizes, inferred.element_type.dtype)
    arrays = [piece if piece.ndim else piece.reshape(1) for piece in pieces]
    axis = axis_of(cut, arrays[0].ndim)
    shapes = {(*array.shape[:axis], 0, *array.shape[axis + 1 :]): array for array in arrays}
    require(len(shapes) == 1, "C8", *(Shape(array.shape) for array in list(shapes.values())[:2]))
    return np.concatenate(arrays[::-1] if cut.stride < 0 else arrays, axis=axis)


def check_slices(body: BodyFunction, shapes: Sequence[Shape]) -> None:
    """Warn about sliced inputs of which the plug-in takes other parts, or none."""
    for entry in body.inputs:
        if entry.cut is None or entry.port is None:
            continue
        cut, shape = entry.cut, shapes[entry.port]
        with violations_at(entry.at):
            ends = f"start {cut.start}, end {cut.end}, stride {cut.stride}"
            warn_unless(_counted_alike(cut), "C12", ends)
            if shape.dims is not None and -len(shape) <= cut.axis < len(shape):
                warn_unless(shape[cut.axis] > 0, "C14", shape)


def _counted_alike(cut: Cut) -> bool:
    if cut.stride > 0:
        return cut.start == 0 and cut.end < 0
    return cut.start == -1 and cut.end >= 0


def check_concatenations(body: BodyFunction, results: Sequence[Fact], count: Dim) -> None:
    """Warn about concatenated outputs for which the plug-in counts another number of iterations."""
    for entry in body.outputs:
        if entry.cut is None or entry.port is None:
            continue
        cut, shape = entry.cut, results[entry.result].shape
        values = f"start {cut.start}, end {cut.end}, stride {cut.stride}, part_size {cut.part_size}"
        with violations_at(entry.at):
            if count.known and shape.static:
                size = int(count) * cut.part_size
                warn_unless(int(count) * abs(cut.stride) == _covered(cut, size), "C13", values)
            else:
                warn_unless(abs(cut.stride) == cut.part_size, "C13", values)


def _covered(cut: Cut, size: int) -> int:
    """The number of elements that the plug-in counts along an axis."""
    start, end = (at if at >= 0 else at + size + 1 for at in (cut.start, cut.end))
    return end - start if cut.stride > 0 else start - end
