"""start:stop:step along one axis, as in Slice and StridedSlice: which elements it takes, and how many.

Negative positions count from the end. Then positions are clamped: with a positive step, both to 0..size;
with a negative step, start to 0..size-1 and stop to -1..size. So with a negative step, a start before the
first element takes the first element, unlike in Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import inf

from irops.values.dim import Bound, Dim, maximum, minimum
from irops.values.shape import MAX_DIM

FAR = 1 << 200
"""An integer that stands for infinity: greater than any size times any step."""


def bounds(size: int, start: int, stop: int, step: int) -> tuple[int, int]:
    """start and stop counted from 0 and clamped for the direction of step."""
    start, stop = (position + size if position < 0 else position for position in (start, stop))
    if step > 0:
        return _clamped(start, 0, size), _clamped(stop, 0, size)
    return _clamped(start, 0, size - 1), _clamped(stop, -1, size)


def slice_of(size: int, start: int, stop: int, step: int) -> slice:
    """The elements to take, as a Python slice."""
    first, last = bounds(size, start, stop, step)
    if _count(size, start, stop, step) == 0:
        return slice(0, 0)
    return slice(first, None if last < 0 else last, step)


def sliced_size(size: Dim, start: Dim, stop: Dim, step: Dim) -> Dim:
    """The number of elements taken, as exactly as bounds and symbols determine it.

    If step may be positive or negative, only size limits the number. Otherwise, while the signs of the other
    arguments are fixed, the number has at most one turning point in each argument. So its extremes lie at the
    ends of the intervals, and at the sizes where clamping begins.
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
    result = Dim(min(counts), inf if max(counts) > MAX_DIM else max(counts))
    return result if result.known else _with_symbol(result, size, start, stop, step)


def takes_all(size: Dim, start: Dim, stop: Dim, step: Dim) -> bool:
    """Whether every element is certainly taken, forward or backward."""
    max_size = min(size.high, MAX_DIM)
    if step == 1:
        return (start == 0 or start.high <= -max_size) and stop.low >= max_size
    return step == -1 and (start == -1 or start.low >= max_size - 1) and stop.high <= -max_size - 1


def _with_symbol(count: Dim, size: Dim, start: Dim, stop: Dim, step: Dim) -> Dim:
    """The count by its formula, which keeps symbols, where the signs of the arguments are certain."""
    if not step.known or not all(p.low >= 0 or p.high < 0 for p in (start, stop)):
        return count
    if step > 0:
        length = _limited(stop, size, 0, size) - _limited(start, size, 0, size)
    else:
        length = _limited(start, size, 0, size - 1) - _limited(stop, size, -1, size)
    formula = length.at_least(0).ceil_div(abs(int(step)))
    low, high = max(count.low, formula.low), min(count.high, formula.high)
    return count if low > high else Dim(low, high).named(formula.symbol)


def _limited(position: Dim, size: Dim, low: int, high: Dim) -> Dim:
    """The distance from 0, clamped to low..high: negative positions count from the end."""
    if position.low >= MAX_DIM:
        return high
    if position.high <= -MAX_DIM:
        return Dim.of(low)
    return minimum(maximum(size + position if position.high < 0 else position, low), high)


def _clamped(position: int, low: int, high: int) -> int:
    return min(max(position, low), high)


def _count(size: int, start: int, stop: int, step: int) -> int:
    first, last = bounds(size, start, stop, step)
    return max(0, -((first - last) // step))


def _finite(bound: Bound) -> int:
    """A bound as an integer; models write the limits of i64 for no limit."""
    if bound >= MAX_DIM:
        return 2 * FAR
    return -2 * FAR if bound <= -MAX_DIM else int(bound)


def _corners(position: Dim) -> set[int]:
    """The ends of the interval of a position, split at 0: negative positions count from the end."""
    low, high = _finite(position.low), _finite(position.high)
    return {low, high} | ({-1, 0} if low < 0 <= high else set())


def _sizes(size: Dim, start: int, stop: int) -> Iterable[int]:
    """The ends of the interval of a size, and the sizes in between at which the count may have an extreme."""
    low, high = int(size.low), FAR if size.high > MAX_DIM else int(size.high)
    turning_points = (1, -start, stop, start + 1, -stop - 1)
    return {low, high, *(point for point in turning_points if low < point < high)} if low < high else (low,)
