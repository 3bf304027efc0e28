"""Convolution as a matrix product: the elements under each window become a column (im2col)."""

from collections.abc import Iterator, Sequence
from itertools import product as combinations
from math import prod

import numpy as np

from irops.ops.contraction import product
from irops.ops.sliding import Slide
from irops.values.element import Array

BLOCK_BYTES = 4 << 20
"""The maximum size of the columns that are in memory at one time."""


def convolve(data: Array, filters: Array, slides: Sequence[Slide]) -> Array:
    """Convolve each group of channels with its own filters.

    Shapes:  data[N, G * C, sizes...], filters[G, M, C, taps...] -> [N, G * M, positions...]
    """
    groups, maps, depth = filters.shape[:3]
    batch, positions = len(data), tuple(slide.positions for slide in slides)
    rows = filters.reshape(groups, maps, depth * prod(filters.shape[3:]))
    grouped = data.reshape(batch, groups, depth, *data.shape[2:])
    output = np.empty((batch, groups * maps, *positions), data.dtype)
    if output.size:
        flat = output.reshape(batch, groups, maps, prod(positions))
        for items, covered, block in _blocks(grouped, slides):
            product(rows, _columns(grouped[items], block), out=flat[items, :, :, covered])
    return output


def _blocks(data: Array, slides: Sequence[Slide]) -> Iterator[tuple[slice, slice, Sequence[Slide]]]:
    """Split the work so that the columns of each block stay within BLOCK_BYTES.

    Yields a slice of the batch, a slice of the flattened output positions, and the windows at these.
    """
    first, *others = slides
    inner = prod(slide.positions for slide in others)
    row = max(prod(data.shape[1:3]) * prod(slide.taps for slide in slides) * inner * data.itemsize, 1)
    height = min(max(BLOCK_BYTES // row, 1), first.positions)
    items = max(BLOCK_BYTES // (row * first.positions), 1)
    for item in range(0, len(data), items):
        for start in range(0, first.positions, height):
            stop = min(start + height, first.positions)
            covered = slice(start * inner, stop * inner)
            yield slice(item, item + items), covered, (first.cut(start, stop), *others)


def _columns(data: Array, slides: Sequence[Slide]) -> Array:
    """The elements under each window, 0 for padding: [N, G, C * taps, positions]."""
    batch, groups, depth = data.shape[:3]
    taps, positions = tuple(slide.taps for slide in slides), tuple(slide.positions for slide in slides)
    if all(
        slide.taps == slide.stride == 1 and slide.positions == slide.size and slide.whole for slide in slides
    ):
        return data.reshape(batch, groups, depth, prod(positions))
    allocate = np.empty if all(slide.whole for slide in slides) else np.zeros
    columns = allocate((batch, groups, depth, *taps, *positions), data.dtype)
    for tap in combinations(*map(range, taps)):
        covered, elements = zip(*(slide.meet(t) for slide, t in zip(slides, tap)))
        columns[(..., *tap, *covered)] = data[(..., *elements)]
    return columns.reshape(batch, groups, depth * prod(taps), prod(positions))
