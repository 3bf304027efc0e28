"""CumSum: cumulative sums along an axis; of booleans, a running logical or."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.spec.binding import kernel, shape
from irops.values.element import BOOLEAN, Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("CumSum-3")
def cum_sum_shape(data: Fact, axis: Fact | None) -> Shape:
    warn_unless(data.element_type is not BOOLEAN, "C4")
    if axis is not None:
        require(axis.shape.size.can_be(1), "C1", axis)
        warn_unless(axis.shape.rank in (None, 0), "C3", axis)
        if axis.value is not None and data.shape.rank is not None:
            normal_axis(axis.value, data.shape.rank)
    return data.shape


@kernel("CumSum-3", widen=True)
def cum_sum(data: Array, axis: Array | None, *, exclusive: bool, reverse: bool) -> Array:
    along = 0 if axis is None else normal_axis(axis, data.ndim)
    boolean = data.dtype == np.bool_
    numbers = np.moveaxis(data if boolean else as_numbers(data), along, 0)
    if reverse:
        numbers = numbers[::-1]
    sums = np.cumsum(numbers, axis=0, dtype=numbers.dtype)  # NumPy adds booleans by a logical or
    if exclusive:
        sums = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
    kind = element_type_of(data)
    sums = np.moveaxis(sums[::-1] if reverse else sums, 0, along)
    return low_bits(sums, kind) if kind.integral and not boolean else sums


def normal_axis(axis: Array, rank: int) -> int:
    """The only element of axis, as an axis counted from 0; Violation("C2") if it is out of range."""
    number = int(axis.reshape(-1)[0])
    require(-rank <= number < rank, "C2", f"axis {number} at rank {rank}")
    return number % rank
