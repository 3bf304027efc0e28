"""Split, VariadicSplit and Concat."""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from math import inf

import numpy as np

from irops.ops.unbroadcast import Sizes
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import Violation, require, warn_unless


@shape("Concat-1")
def concat_shape(*inputs: Fact, axis: int) -> Shape:
    ranks = {tensor.shape.rank for tensor in inputs} - {None}
    require(len(ranks) <= 1, "C1", *(tensor.shape for tensor in inputs if tensor.shape.dims is not None))
    total = sum((tensor.shape[axis] for tensor in inputs), Dim.of(0))
    others = (tensor.shape.with_dim(axis, ANY) for tensor in inputs)
    return reduce(lambda a, b: unify_shapes(a, b, "C2"), others).with_dim(axis, total)


@values("Concat-1")
@kernel("Concat-1")
def concat(*inputs: Array, axis: int) -> Array:
    return np.concatenate(inputs, axis)


@gradient("Concat-1")
def concat_gradient(d_output: Array, *, inputs_shape: tuple[Sizes, ...], axis: int) -> tuple[Array, ...]:
    ends = list(accumulate(shape[axis] for shape in inputs_shape))
    return tuple(np.split(d_output, ends[:-1], axis))


MAX_PARTS = 1 << 16
"""The limit of outputs inferred from the number of split_lengths alone, while their values are unknown."""
MAX_UNKNOWN_LENGTHS = 8
"""With more unknown lengths, they are not narrowed, because the cost is quadratic in their number."""


@shape("Split-1")
def split_shape(data: Fact, axis: Fact, *, num_splits: int) -> tuple[Shape, ...]:
    def part(size: Dim) -> Sequence[Dim]:
        low, high = -(-size.low // num_splits), size.high if size.high == inf else size.high // num_splits
        require(low <= high, "C2", f"{size} elements in {num_splits} parts")
        even = size // num_splits
        return [even if even.known else Dim(low, high, even.symbol)]

    return split_along(data.shape, axis, part, 1) * num_splits


@shape("VariadicSplit-1")
def variadic_split_shape(
    data: Fact, axis: Fact, split_lengths: Fact, *, output_count: int = 0
) -> tuple[Shape, ...]:
    warn_unless(
        not axis.element_type.floating and not split_lengths.element_type.floating, "C5", axis, split_lengths
    )
    require(axis.shape.size.can_be(1), "C6", axis)
    count = split_lengths.shape[0]
    lengths = split_lengths.dims or (UNKNOWN,) * (
        int(count) if count.known and count <= MAX_PARTS else output_count
    )
    if not lengths and not count.known:
        return ()
    require(all(length >= -1 for length in lengths), "C3", Shape(lengths))
    require(sum(length == -1 for length in lengths) <= 1, "C4", Shape(lengths))
    try:
        return split_along(data.shape, axis, lambda size: part_sizes(size, lengths), len(lengths))
    except Violation as violation:
        if violation.constraint == "C1" or axis.value is None or not all(length >= 0 for length in lengths):
            raise
        # reported and not raised, because the output shapes are known nevertheless
        warn_unless(False, "C2", violation.detail.removeprefix("got "))
        return tuple(
            data.shape.with_dim(int(as_i64(axis.value).item()), length.at_least(0)) for length in lengths
        )


def split_along(
    data: Shape, axis: Fact, parts: Callable[[Dim], Sequence[Dim]], count: int
) -> tuple[Shape, ...]:
    """The shapes of the parts; if axis is unknown, they cover the parts along each possible axis."""
    if data.dims is None:
        return (UNRANKED,) * count
    rank = len(data)
    unknown = (axis.dims or (Dim(-rank, rank - 1),))[0]
    number = unknown if axis.value is None else Dim.of(int(as_i64(axis.value).item()))
    require(number >= -rank and number < rank, "C1", f"axis {number} at rank {rank}")
    shapes_by_axis, fault = [], None
    for candidate in range(rank):
        if number.can_be(candidate) or number.can_be(candidate - rank):
            try:
                shapes_by_axis.append([data.with_dim(candidate, part) for part in parts(data[candidate])])
            except Violation as violation:
                fault = violation
    if not shapes_by_axis and fault is not None:
        raise fault
    return tuple(reduce(Shape.union, shapes) for shapes in zip(*shapes_by_axis))


def part_sizes(size: Dim, lengths: Sequence[Dim]) -> list[Dim]:
    """The sizes of parts that add up to size; at most one length is -1 and stands for the rest."""
    sizes = [ANY if length.low < 0 else length for length in lengths]
    known = sum((length for length in sizes if length.known), Dim.of(0))
    unknown = [number for number, length in enumerate(sizes) if not length.known]
    if not unknown:
        require(known.can_be(size), "C2", f"lengths of {known} in total, {size} elements")
    for number in unknown if len(unknown) <= MAX_UNKNOWN_LENGTHS else ():
        others = sum((sizes[other] for other in unknown if other != number), known)
        rest = size - others
        require(rest >= 0, "C2", f"lengths of {others} beside one more, {size} elements")
        sizes[number] = unify(sizes[number], rest.at_least(0), "C2")
    return sizes


@kernel("Split-1", moves=("data",))
def split(data: Array, axis: Array, *, num_splits: int) -> tuple[Array, ...]:
    along = _axis(data, axis)
    require(data.shape[along] % num_splits == 0, "C2", f"{data.shape[along]} elements in {num_splits} parts")
    return tuple(np.split(data, num_splits, along))


@kernel("VariadicSplit-1", moves=("data",))
def variadic_split(data: Array, axis: Array, split_lengths: Array) -> tuple[Array, ...]:
    along = _axis(data, axis)
    lengths = as_i64(split_lengths).tolist()
    require(all(length >= -1 for length in lengths), "C3", lengths)
    require(lengths.count(-1) <= 1, "C4", lengths)
    sizes = [
        int(size) for size in part_sizes(Dim.of(data.shape[along]), [Dim.of(length) for length in lengths])
    ]
    elements = data.shape[along]
    require(sum(sizes) == elements, "C2", f"lengths of {sum(sizes)} in total, {elements} elements")
    return tuple(np.split(data, list(accumulate(sizes)), along)[:-1])


@gradient("Split-1", "VariadicSplit-1")
def split_gradient(d_outputs: tuple[Array, ...], axis: Array) -> Array:
    return np.concatenate(d_outputs, int(as_i64(axis).item()))


def _axis(data: Array, axis: Array) -> int:
    number = int(as_i64(axis).item())
    require(-data.ndim <= number < data.ndim, "C1", f"axis {number} at rank {data.ndim}")
    return number % data.ndim
