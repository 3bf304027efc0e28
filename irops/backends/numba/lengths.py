"""Check sequence lengths against the definition, in one pass if they are integers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irops.backends.numba.compiled import compiled
from irops.ops.movement.reverse_sequence import check_lengths
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.violation import require

I64 = np.dtype(np.int64)


class Lengths(NamedTuple):
    """The number of steps to reverse in each sequence, with the minimum and maximum (0 without sequences)."""

    values: npt.NDArray[np.int64]
    minimum: int
    maximum: int


def checked_lengths(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """Validate lengths by the definition of ReverseSequence, like the reference.

    Raises:  Violation
    """
    if (
        seq_lengths.dtype.kind in "iu"
        and seq_lengths.size
        and seq_lengths.shape == (data.shape[batch_axis],)
        and batch_axis != seq_axis
    ):
        values = np.ascontiguousarray(seq_lengths, I64)
        minimum, maximum = extent(values)
        if minimum >= 1 and maximum <= data.shape[seq_axis]:
            return Lengths(values, minimum, maximum)
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    if seq_lengths.shape != (data.shape[batch_axis],):
        unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    check_lengths(seq_lengths, Dim.of(data.shape[seq_axis]))
    values = np.ascontiguousarray(seq_lengths, I64)
    return Lengths(values, *(extent(values) if values.size else (0, 0)))


def _extent(numbers: Any) -> tuple[int, int]:
    """The minimum and the maximum."""
    minimum = maximum = numbers[0]
    for index in range(numbers.size):
        number = numbers[np.uint64(index)]  # unsigned, so that LLVM can vectorise the loop
        minimum, maximum = min(minimum, number), max(maximum, number)
    return minimum, maximum


extent = compiled(_extent)
