"""Sequence lengths, validated against the definition: in one pass in the usual case, contiguous i64."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.backends.filling import Lengths, checked_lengths
from irops.backends.numba.compiled import compiled
from irops.values.element import Array

I64 = np.dtype(np.int64)


def checked_lengths_fast(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """What checked_lengths returns.

    Raises:  Violation
    """
    usual = type(seq_lengths) is np.ndarray and seq_lengths.dtype == I64 and seq_lengths.flags.c_contiguous
    if (
        usual
        and seq_lengths.size
        and seq_lengths.shape == (data.shape[batch_axis],)
        and batch_axis != seq_axis
    ):
        minimum, maximum = extent(seq_lengths)
        if minimum >= 1 and maximum <= data.shape[seq_axis]:
            return Lengths(seq_lengths, minimum, maximum)
    return checked_lengths(data, seq_lengths, batch_axis, seq_axis)


def _extent(numbers: Any) -> tuple[int, int]:
    """The least and the greatest."""
    minimum = maximum = numbers[0]
    for index in range(numbers.size):
        number = numbers[
            np.uint64(index)
        ]  # an index that cannot count from the end: such loops become vectors
        minimum, maximum = min(minimum, number), max(maximum, number)
    return minimum, maximum


extent = compiled(_extent)
