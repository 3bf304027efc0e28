"""What is known of each entry of a short list of integers: positions, pads, lengths."""

from __future__ import annotations

from irops.values.dim import UNKNOWN, Dim
from irops.values.fact import Fact


def entries(numbers: Fact | None, count: int, absent: int = 1) -> tuple[Dim, ...]:
    """What is known of each of count numbers; all are absent where the list is not given."""
    if numbers is None:
        return (Dim.of(absent),) * count
    dims = numbers.dims
    return (UNKNOWN,) * count if dims is None else dims
