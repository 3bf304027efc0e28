"""Lengths of sequences held to the definition, in one pass where they are as they mostly are: integers of 64
bits in one piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.backends.filling import Lengths, settled
from irops.backends.numba.compiled import compiled
from irops.values.element import Array

I64 = np.dtype(np.int64)


def settled_at_once(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """What settled gives.

    Raises:  Violation
    """
    usual = type(seq_lengths) is np.ndarray and seq_lengths.dtype == I64 and seq_lengths.flags.c_contiguous
    if (
        usual
        and seq_lengths.size
        and seq_lengths.shape == (data.shape[batch_axis],)
        and batch_axis != seq_axis
    ):
        least, most = extent(seq_lengths)
        if least >= 1 and most <= data.shape[seq_axis]:
            return Lengths(seq_lengths, least, most)
    return settled(data, seq_lengths, batch_axis, seq_axis)


def _extent(numbers: Any) -> tuple[int, int]:
    """The least and the greatest."""
    least = most = numbers[0]
    for place in range(numbers.size):
        each = numbers[np.uint64(place)]  # an index that cannot count from the end: such loops become vectors
        least, most = min(least, each), max(most, each)
    return least, most


extent = compiled(_extent)
