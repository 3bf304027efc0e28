"""The Dims of the entries of a short list of integers: positions, pads, lengths."""

from __future__ import annotations

from irops.values.dim import UNKNOWN, Dim
from irops.values.fact import Fact


def entries(numbers: Fact | None, count: int, absent: int = 1) -> tuple[Dim, ...]:
    """The Dim of each of `count` numbers: unknown if the values are unknown, `absent` if there is no list."""
    if numbers is None:
        return (Dim.of(absent),) * count
    dims = numbers.dims
    return (UNKNOWN,) * count if dims is None else dims
