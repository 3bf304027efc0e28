"""Arrays on their way between processes. The order of their axes in memory is kept, as sums depend on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irops.analysis.batching.carried import Items
from irops.values.element import Array


class Packed(NamedTuple):
    """An array whose axes are in the order of memory. order: the axis of the array that each of them is"""

    data: Array
    order: tuple[int, ...]

    def array(self) -> Array:
        """The array with its own axes."""
        return self.data.transpose(np.argsort(self.order)) if self.order else self.data


def packed(array: Array) -> Packed:
    """An array in dense memory, with its axes in the order that they have there."""
    order = tuple(sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])))
    moved = array.transpose(order)
    return Packed(moved if moved.flags.c_contiguous else moved.copy(order="C"), order)


def dense(array: Array) -> Array:
    """The array, copied where its elements do not lie side by side."""
    return packed(array).array()


def in_order(array: Array, order: tuple[int, ...]) -> Array:
    """A copy of an array with its axes in an order in memory."""
    return Packed(np.ascontiguousarray(array.transpose(order)), order).array()


def joined(blocks: Sequence[Packed], items: Items) -> Array:
    """The whole of blocks of items, with the order of axes that each of them has."""
    first = blocks[0]
    place = first.order.index(items.axis)
    counts = [block.data.shape[place] // items.positions for block in blocks]
    shape = list(first.data.shape)
    before, after = shape[:place], shape[place + 1 :]
    whole = np.empty((*before, items.outer, sum(counts), items.each, *after), first.data.dtype)
    start = 0
    for block, count in zip(blocks, counts):
        parts = block.data.reshape(*before, items.outer, count, items.each, *after)
        whole[(slice(None),) * (place + 1) + (slice(start, start + count),)] = parts
        start += count
    return Packed(whole.reshape(*before, sum(counts) * items.positions, *after), first.order).array()


def parts_of(array: Array, items: Items, sizes: Sequence[int]) -> Iterator[Array]:
    """The blocks of an array, with the numbers of items that they have."""
    axis, each, outer = items
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    apart = array.reshape(*before, outer, sum(sizes), each, *after)
    start = 0
    for size in sizes:
        part = apart[(slice(None),) * (axis + 1) + (slice(start, start + size),)]
        yield part.reshape(*before, outer * size * each, *after)
        start += size
