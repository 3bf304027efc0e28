"""Windows that slide along axes: where they stand and which elements they meet. Convolution and pooling share
it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from irops.values.dim import Dim, DimLike, slack
from irops.values.element import Array


def reach(taps: DimLike, dilation: int) -> Dim:
    """How many elements lie from a window's first tap to its last, both counted; a window without taps counts
    as one element.
    """
    return (Dim.of(taps).at_least(1) - 1) * dilation + 1


def at(axis: int, where: slice | int | Array) -> tuple[slice | int | Array, ...]:
    """An index that picks along one axis and takes all others whole."""
    return (*(slice(None),) * axis, where)


def same_padding(size: int, reach: int, stride: int, auto_pad: str) -> tuple[int, int]:
    """Padding before and after an axis so that one window stands at every stride-th element; same_lower has
    the odd one before.
    """
    positions = -(-size // stride)
    total = max((positions - 1) * stride + reach - size, 0)
    less, more = total // 2, total - total // 2
    return (less, more) if auto_pad == "same_upper" else (more, less)


def positions(size: Dim, taps: Dim, stride: int, dilation: int, padding: int, constraint: str) -> Dim:
    """How many windows stand in an axis of size elements with padding elements added.

    Raises:  Violation(constraint) if not even one fits
    """
    return slack(size + padding, reach(taps, dilation), constraint) // stride + 1


@dataclass(frozen=True, slots=True)
class Slide:
    """Windows along one axis: that at position p has its tap t on element p * stride + t * dilation - before,
    if there is one.
    """

    size: int
    taps: int
    stride: int
    dilation: int
    before: int
    positions: int
    first: int = 0

    def cut(self, first: int, last: int) -> Slide:
        """Only the positions from first to before last."""
        return replace(self, first=self.first + first, positions=last - first)

    def meet(self, tap: int) -> tuple[slice, slice]:
        """The positions at which a tap lies on an element, and those elements."""
        start = self.first * self.stride + tap * self.dilation - self.before
        low = max(-(start // self.stride), 0)
        high = min((self.size - 1 - start) // self.stride + 1, self.positions)
        if low >= high:
            return slice(0, 0), slice(0, 0)
        at = start + low * self.stride
        return slice(low, high), slice(at, start + (high - 1) * self.stride + 1, self.stride)

    def cover(self, position: int) -> slice:
        """The elements on which the taps of the window at a position lie."""
        start = (self.first + position) * self.stride - self.before
        low = max(-(start // self.dilation), 0)
        high = min((self.size - 1 - start) // self.dilation + 1, self.taps)
        if low >= high:
            return slice(0, 0)
        return slice(start + low * self.dilation, start + (high - 1) * self.dilation + 1, self.dilation)

    def counts(self) -> Array:
        """How many taps lie on elements, for each position."""
        starts = (self.first + np.arange(self.positions)) * self.stride - self.before
        low = np.maximum(-(starts // self.dilation), 0)
        high = np.minimum((self.size - 1 - starts) // self.dilation + 1, self.taps)
        counts: Array = np.maximum(high - low, 0)
        return counts

    @property
    def whole(self) -> bool:
        """Whether every tap lies on an element at every position: there is no padding."""
        last = (self.first + self.positions - 1) * self.stride + (self.taps - 1) * self.dilation - self.before
        return self.first * self.stride >= self.before and last < self.size
