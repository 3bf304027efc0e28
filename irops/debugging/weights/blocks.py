"""Reads constants in blocks, so that memory stays bounded whatever their size."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from irops.ir.storage import Weights
from irops.ir.weights import Region
from irops.values.element import Array
from irops.values.packing import packed_size, unpack

ELEMENTS = 1 << 19
"""The number of elements of a block: a multiple of the elements that share bytes in any type."""


def blocks(
    weights: Weights, region: Region, left_out: Collection[int] = ()
) -> Iterator[tuple[memoryview, int]]:
    """The bytes of a region block by block, and the number of elements of each block.

    left_out: the numbers of blocks that are not read
    Raises:  ValueError where the file was changed or cut off meanwhile
    """
    for number, start in enumerate(range(0, region.elements, ELEMENTS)):
        if number in left_out:
            continue
        count = min(ELEMENTS, region.elements - start)
        offset = region.offset + packed_size(region.element, start)
        yield weights.read(offset, packed_size(region.element, count)), count


def elements(raw: memoryview, region: Region, count: int) -> Array:
    """The elements of a block, flat."""
    return unpack(raw, region.element, (count,))


def is_zero(raw: memoryview) -> bool:
    """Whether all bytes of a block are 0, as in the holes of a sparse file."""
    words = len(raw) // 8
    return not np.frombuffer(raw, np.uint64, words).any() and not any(raw[8 * words :])
