"""Sliding windows: their positions and the elements that they cover. Shared by convolution and pooling."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irops.values.dim import Dim, DimLike, slack
from irops.values.element import Array
from irops.values.violation import require, warn_unless

Numbers = tuple[int, ...]


def reach(taps: DimLike, dilation: int) -> Dim:
    """The number of elements from the first to the last tap of a window, both included; 1 without taps."""
    return (Dim.of(taps).at_least(1) - 1) * dilation + 1


def at(axis: int, where: slice | int | Array) -> tuple[slice | int | Array, ...]:
    """An index tuple that selects along one axis and keeps all other axes whole."""
    return (*(slice(None),) * axis, where)


@dataclass(frozen=True, slots=True)
class Steps:
    """The attributes of sliding windows, with one number for each spatial axis."""

    strides: Numbers
    dilations: Numbers
    pads_begin: Numbers
    pads_end: Numbers

    @classmethod
    def of(
        cls, axes: int, strides: Numbers, dilations: Numbers, pads_begin: Numbers, pads_end: Numbers, **_: Any
    ) -> "Steps":
        """The attributes as OpenVINO reads them: an empty list means 1 for each axis, as a padding 0."""
        ones, zeros = (1,) * axes, (0,) * axes
        return cls(strides or ones, dilations or ones, pads_begin or zeros, pads_end or zeros)

    @property
    def axes(self) -> int:
        """The number of spatial axes."""
        return len(self.strides)

    def __iter__(self) -> Iterator[Numbers]:
        return iter((self.strides, self.dilations, self.pads_begin, self.pads_end))


def warn_of_empty(auto_pad: str, pads_begin: Numbers, pads_end: Numbers, *lists: Numbers) -> None:
    """Warn of constraint C9 where a list that matters is empty. lists: those that always matter."""
    matter = (*lists, pads_begin, pads_end) if auto_pad == "explicit" else lists
    lengths = ", ".join(str(len(numbers)) for numbers in matter)
    warn_unless(all(matter), "C9", f"{lengths} values")


def check_empty_lists(
    constraint: str,
    auto_pad: str,
    strides: Numbers,
    dilations: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
) -> None:
    """Warn of constraint C9 where a list that matters is empty: OpenVINO writes all of them empty for a layer
    whose inputs have an unknown rank.

    Raises:  Violation(constraint) if strides or dilations is empty, but not all the lists are
    """
    lists = (strides, dilations, pads_begin, pads_end)
    lengths = ", ".join(str(len(numbers)) for numbers in lists)
    require(all((strides, dilations)) or not any(lists), constraint, f"{lengths} values")
    warn_of_empty(auto_pad, pads_begin, pads_end, strides, dilations)


def same_padding(size: int, reach: int, stride: int, auto_pad: str) -> tuple[int, int]:
    """The padding before and after an axis for which ceil(size / stride) windows fit. If the total is odd,
    same_upper adds the extra element after the axis, same_lower before it.
    """
    positions = -(-size // stride)
    total = max((positions - 1) * stride + reach - size, 0)
    less, more = total // 2, total - total // 2
    return (less, more) if auto_pad == "same_upper" else (more, less)


def positions(size: Dim, taps: Dim, stride: int, dilation: int, padding: int, constraint: str) -> Dim:
    """The number of window positions along an axis of `size` elements, with `padding` elements added.

    Raises:  Violation(constraint) if no window fits
    """
    return slack(size + padding, reach(taps, dilation), constraint) // stride + 1


@dataclass(frozen=True, slots=True)
class Slide:
    """Windows along one axis. Tap t of the window at position p lies on the element
    p * stride + t * dilation - before, or on padding if there is no such element.
    """

    size: int
    taps: int
    stride: int
    dilation: int
    before: int
    positions: int
    first: int = 0

    def cut(self, first: int, last: int) -> "Slide":
        """The positions from first to last, without last."""
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
        """The number of taps that lie on elements, for each position."""
        starts = (self.first + np.arange(self.positions)) * self.stride - self.before
        low = np.maximum(-(starts // self.dilation), 0)
        high = np.minimum((self.size - 1 - starts) // self.dilation + 1, self.taps)
        counts: Array = np.maximum(high - low, 0)
        return counts

    @property
    def whole(self) -> bool:
        """Whether every tap lies on an element at every position, so that no padding is read."""
        last = (self.first + self.positions - 1) * self.stride + (self.taps - 1) * self.dilation - self.before
        return self.first * self.stride >= self.before and last < self.size
