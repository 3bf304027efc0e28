"""Reshape, Squeeze and Unsqueeze: change the shape of a tensor without changing its elements; ShapeOf.

At the end: its special_zero where it is unknown which elements of the pattern are 0 and copy a size.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial, reduce
from itertools import combinations
from math import prod

import numpy as np

from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, shape as infers, values
from irops.values.dim import ANY, MAX_DIM, Dim, Product, Symbol, missing_factor, unify
from irops.values.element import I64, Array, ElementType, as_i64
from irops.values.fact import Fact, elements_of
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import Violation, require, warn_unless

MAX_UNKNOWN = 6
"""Sizes are narrowed by the element count only if at most this many are unknown; more gain little."""
ONE = Dim.of(1)


@infers("Reshape-1")
def reshape_shape(data: Fact, shape: Fact, *, special_zero: bool) -> Shape:
    pattern = shape.dims
    if pattern is None:
        return UNRANKED
    requested, rank = Shape(pattern), data.shape.rank
    require(all(size >= -1 for size in pattern), "C1", requested)
    require(sum(size == -1 for size in pattern) <= 1, "C2", requested)
    copied = {axis for axis, size in enumerate(pattern) if special_zero and size == 0}
    require(rank is None or all(axis < rank for axis in copied), "C3", f"{requested} at rank {rank}")
    has_size_0 = any(size == 0 and axis not in copied for axis, size in enumerate(pattern))
    warn_unless(not has_size_0 or -1 not in pattern, "C5", requested)
    has_elements = rank is not None and all(size.low >= 1 for size in data.shape)
    remaining = ONE if has_size_0 else ANY.at_least(int(has_elements))
    sizes = [_requested(size, remaining, -1 in pattern) for size in pattern]
    for axis in copied:
        sizes[axis] = data.shape[axis]
    if rank is None:
        return Shape(
            size.at_least(1) if entry == -1 and not copied else size for entry, size in zip(pattern, sizes)
        )
    balanced = partial(_balanced, inferred=-1 in pattern)
    uncertain = possible_copies(pattern, data.shape) if special_zero else []
    if uncertain:
        known = union_of_copies(sizes, data.shape, copied, uncertain, balanced)
        if known is not None:
            return known
        for axis in uncertain:
            sizes[axis] = sizes[axis].union(data.shape[axis])
    try:
        return Shape(balanced(sizes, data.shape, copied))
    except Violation:
        counted = [axis for axis in range(max(rank, len(sizes))) if -1 not in pattern or axis not in copied]
        kept = (Shape(dims[axis] for axis in counted if axis < len(dims)) for dims in (data.shape, sizes))
        may_be_empty = all(shape.size.can_be(0) for shape in kept)
        shape_known = -1 not in pattern and prod(size.low for size in sizes) <= MAX_DIM
        require(may_be_empty or shape_known, "C4", data.shape, requested)
        warn_unless(may_be_empty, "C4", data.shape, requested)  # the output shape is known nevertheless
        return Shape(sizes)


def _requested(size: Dim, remaining: Dim, has_minus_1: bool) -> Dim:
    """The size that an element of the pattern asks for. Only one element is -1, so that no other may be where
    one certainly is.
    """
    if size.low >= 0:
        return size
    return size.at_least(0) if has_minus_1 and size != -1 else remaining


def _balanced(sizes: list[Dim], data: Shape, copied: set[int], inferred: bool) -> list[Dim]:
    """The sizes of the output, narrowed by the number of elements of data.

    inferred: whether the pattern holds -1. Where a copied size is 0, both sides have no elements whatever the
        other sizes are, and only the size that -1 stands for follows from those of data
    Raises:  Violation(C4) if the numbers of elements cannot be equal
    """
    if not inferred and any(sizes[axis] == 0 for axis in copied):
        return sizes
    before = [size for axis, size in enumerate(data) if axis not in copied]
    after = [size for axis, size in enumerate(sizes) if axis not in copied]
    unknown = [axis for axis, size in enumerate(after) if not size.known]
    for axis in unknown if len(unknown) <= MAX_UNKNOWN else ():
        after[axis] = _matched(after[axis], missing_factor(before, after[:axis] + after[axis + 1 :]))
    for axis, size in enumerate(before):
        if not size.known:
            _matched(size, missing_factor(after, before[:axis] + before[axis + 1 :]))
    if all(size.known for size in before + after):
        require(prod(map(int, before)) == prod(map(int, after)), "C4")
    narrowed = iter(after)
    return [size if axis in copied else next(narrowed) for axis, size in enumerate(sizes)]


def _matched(size: Dim, needed: Dim | None) -> Dim:
    require(needed is not None, "C4")
    assert needed is not None
    return unify(size, needed, "C4")


@values("Reshape-1")
@kernel("Reshape-1")
def reshape(data: Array, shape: Array, *, special_zero: bool) -> Array:
    sizes = reshape_shape(Fact.of(data), Fact.of(shape), special_zero=special_zero).to_tuple()
    require(prod(sizes) == data.size, "C4", Shape(data.shape), Shape(sizes))
    return data.reshape(sizes)


@gradient("Reshape-1")
@gradient("Squeeze-1")
@gradient("Unsqueeze-1")
def reshape_gradient(d_output: Array, *, data_shape: Sizes) -> Array:
    return d_output.reshape(data_shape)


MAX_AXES = 4
"""Of more elements that may be 0, the others are not distinguished: each is its own or the copied size."""
Balanced = Callable[[list[Dim], Shape, set[int]], list[Dim]]


def possible_copies(pattern: Sequence[Dim], data: Shape) -> list[int]:
    """The axes whose element of the pattern is unknown, may be 0, and then copies another size.

    An element that is a factor of the number of elements of data is not among them: where it is 0, data is
    empty, and the output is assumed to be empty along the same axis.
    """
    factors = Product(data).named
    return [
        axis
        for axis, size in enumerate(pattern[: data.rank])
        if not size.known
        and size.can_be(0)
        and (size.symbol is None or not any(factor in factors for factor in size.symbol.factors()[1]))
    ]


def union_of_copies(
    sizes: list[Dim], data: Shape, copied: set[int], uncertain: Collection[int], balanced: Balanced
) -> Shape | None:
    """The sizes of the output, whichever of the uncertain axes are copied; None if no choice is possible.

    sizes: without the copies of uncertain axes; balanced: narrows sizes by the number of elements of data
    """
    distinguished, rest = sorted(uncertain)[:MAX_AXES], sorted(uncertain)[MAX_AXES:]
    loose = list(sizes)
    for axis in rest:
        loose[axis] = loose[axis].union(data[axis])
    found = []
    for chosen in _subsets(distinguished):
        source = _with_zeros(data, {sizes[axis].symbol for axis in chosen})
        if source is None:
            continue
        choice = list(loose)
        for axis in distinguished:
            choice[axis] = source[axis] if axis in chosen else _positive(choice[axis])
        if any(size == 0 for size in source) and not any(size.can_be(0) for size in choice):
            continue
        with suppress(Violation):
            found.append(Shape(balanced(choice, source, copied | chosen)))
    return reduce(Shape.union, found) if found else None


def _with_zeros(data: Shape, symbols: Collection[Symbol | None]) -> Shape | None:
    """The shape of data where these symbols are 0, and sizes with them; None if they cannot be 0."""
    sizes = [Dim.of(0) if any(symbol in symbols for symbol in size.zero_with) else size for size in data]
    possible = all(before.can_be(after) for before, after in zip(data, sizes))
    return Shape(sizes) if possible else None


def _subsets(axes: Sequence[int]) -> Iterator[set[int]]:
    for count in range(len(axes) + 1):
        yield from map(set, combinations(axes, count))


def _positive(size: Dim) -> Dim:
    return Dim(max(size.low, 1), max(size.high, 1), size.symbol)


# ShapeOf: the shape of a tensor as a 1D tensor.


@shape("ShapeOf-1", "ShapeOf-3")
def shape_of_shape(data: Fact, *, output_type: ElementType = I64) -> Fact:
    sizes = data.shape.dims
    if sizes is None:
        return Fact(output_type, Shape.of(ANY))
    return Fact(output_type, Shape.of(len(sizes)), elements_of(sizes, output_type))


@kernel("ShapeOf-1", "ShapeOf-3")
def shape_of(data: Array, *, output_type: ElementType = I64) -> Array:
    return np.array(data.shape, np.int64).astype(output_type.dtype)


# Squeeze and Unsqueeze.


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


@shape("Squeeze-1", "Squeeze-15")
def squeeze_shape(data: Fact, axes: Fact | None, *, allow_axis_skip: bool = False) -> Shape:
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
        if allow_axis_skip and not all(size.known for axis, size in enumerate(sizes) if axis in removed):
            return UNRANKED
        return Shape(size for axis, size in enumerate(sizes) if axis not in removed)
    ones = [axis for axis, size in enumerate(sizes) if size.can_be(1)]
    if not ones:
        return data.shape
    if allow_axis_skip or axes.shape.size != 1:
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


@values("Squeeze-1", "Squeeze-15")
@kernel("Squeeze-1", "Squeeze-15")
def squeeze(data: Array, axes: Array | None) -> Array:
    return data.reshape(squeeze_shape(Fact.of(data), None if axes is None else Fact.of(axes)).to_tuple())
