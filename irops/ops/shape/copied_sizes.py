"""The special_zero of Reshape where it is unknown which elements of the pattern are 0 and copy a size."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from itertools import combinations

from irops.values.dim import Dim, Product, Symbol
from irops.values.shape import Shape
from irops.values.violation import Violation

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
