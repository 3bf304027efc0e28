"""Search for few items that still fail, among items in an order in which neighbours belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Fails = Callable[[Sequence[T]], bool]


def narrowed(items: Sequence[T], fails: Fails[T]) -> Sequence[T]:
    """A run of neighbours that fails. items must fail.

    Halves are tried first, then a window around the border of halves that fail only together.
    """
    while len(items) > 1:
        middle = len(items) // 2
        if fails(items[:middle]):
            items = items[:middle]
        elif fails(items[middle:]):
            items = items[middle:]
        else:
            return _around(items, middle, fails)
    return items


def _around(items: Sequence[T], middle: int, fails: Fails[T]) -> Sequence[T]:
    """The shortest run of neighbours around a border that is seen to fail."""
    width = 1
    while width < middle:
        window = items[middle - width : middle + width]
        if fails(window):
            items, middle = window, width
            break
        width *= 2
    items = items[: _first(middle + 1, len(items), lambda end: fails(items[:end]))]
    back = _first(1, middle, lambda count: fails(items[middle - count :]))
    return items[middle - back :]


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number for which a statement holds, if it holds for all after it too; it holds for high."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def without_each(items: Sequence[T], fails: Fails[T]) -> Sequence[T]:
    """The items without those that can be left out: long runs first, then shorter ones, at last each
    alone, until none can be left out.
    """
    size = max(len(items) // 2, 1)
    while items:
        before, start = len(items), 0
        while start < len(items):
            fewer = [*items[:start], *items[start + size :]]
            if fewer and fails(fewer):
                items = fewer
            else:
                start += size
        if size == 1 and len(items) == before:
            break
        size = max(size // 2, 1)
    return items
