"""start:stop:step along one axis, as Slice and StridedSlice read it: how many elements that takes, and which.

Negative positions count from the end, then all are clamped into the axis: going forward, into 0..size; going
    backward, a start into
0..size-1 and a stop into -1..size. So a start before the first element still takes the first, even going
backward.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import inf

from irops.values.dim import Bound, Dim
from irops.values.shape import MAX_DIM

FAR = 1 << 200
"""Stands for no limit, so that integers suffice: greater than any size times any step."""


def bounds(size: int, start: int, stop: int, step: int) -> tuple[int, int]:
    """The position of the first element taken, and the first that is not, if the step were 1 or -1."""
    start, stop = (position + size if position < 0 else position for position in (start, stop))
    if step > 0:
        return _clamped(start, 0, size), _clamped(stop, 0, size)
    return _clamped(start, 0, size - 1), _clamped(stop, -1, size)


def slice_of(size: int, start: int, stop: int, step: int) -> slice:
    """The elements taken, as a slice of Python's."""
    first, last = bounds(size, start, stop, step)
    if _count(size, start, stop, step) == 0:
        return slice(0, 0)
    return slice(first, None if last < 0 else last, step)


def sliced_size(size: Dim, start: Dim, stop: Dim, step: Dim) -> Dim:
    """How many elements are taken, as closely as bounds and symbols tell; nothing is known of a step that may
    have either sign.

    The count rises and falls at most once as one of the four grows while the signs of the others stay: its
        extremes lie at the ends
    of intervals, and at the sizes where clamping sets in.
    """
    if takes_all(size, start, stop, step):
        return size
    if step.low <= 0 <= step.high:
        return Dim(0, size.high)
    counts = [
        _count(n, a, b, s)
        for a, b, s in product(_corners(start), _corners(stop), {_finite(step.low), _finite(step.high)})
        for n in _sizes(size, a, b)
    ]
    found = Dim(min(counts), inf if max(counts) > MAX_DIM else max(counts))
    return _named(found, size, start, stop) if step == 1 and not found.known else found


def takes_all(size: Dim, start: Dim, stop: Dim, step: Dim) -> bool:
    """Whether surely every element is taken, forward or backward."""
    most = min(size.high, MAX_DIM)
    if step == 1:
        return (start == 0 or start.high <= -most) and stop.low >= most
    return step == -1 and (start == -1 or start.low >= most - 1) and stop.high <= -most - 1


def _named(count: Dim, size: Dim, start: Dim, stop: Dim) -> Dim:
    """The count as stop - start, which carries symbols on, where surely 0 <= start <= stop <= size."""
    first, last = _from_0(start, size), _from_0(stop, size)
    if first < 0 or last < first or last > size:
        return count
    between = last - first
    low, high = max(count.low, between.low), min(count.high, between.high)
    return Dim(low, high, between.symbol) if low <= high else count


def _from_0(position: Dim, size: Dim) -> Dim:
    return size if position.low >= MAX_DIM else size + position if position.high < 0 else position


def _clamped(position: int, low: int, high: int) -> int:
    return min(max(position, low), high)


def _count(size: int, start: int, stop: int, step: int) -> int:
    first, last = bounds(size, start, stop, step)
    return max(0, -((first - last) // step))


def _finite(bound: Bound) -> int:
    """A bound as an integer; the ends of i64 are what models write for no limit."""
    return 2 * FAR if bound >= MAX_DIM else -2 * FAR if bound <= -MAX_DIM else int(bound)


def _corners(position: Dim) -> set[int]:
    """The ends of what a position may be, those that count from the end of the axis apart from the others."""
    low, high = _finite(position.low), _finite(position.high)
    return {low, high} | ({-1, 0} if low < 0 <= high else set())


def _sizes(size: Dim, start: int, stop: int) -> Iterable[int]:
    """The ends of what a size may be, and those between at which the count may peak."""
    low, high = int(size.low), FAR if size.high > MAX_DIM else int(size.high)
    turns = (1, -start, stop, start + 1, -stop - 1)
    return {low, high, *(turn for turn in turns if low < turn < high)} if low < high else (low,)
