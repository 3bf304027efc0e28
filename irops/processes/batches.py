"""Distributes items in batches, of which each takes about the same time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

Batch = list[tuple[int, Any]]
"""Items with their indices."""
SECONDS = 0.1
"""How long the work on a batch should take: sending one costs little beside it."""
LARGEST = 64
SHARES = 4
"""No batch is larger than what is left for each process, divided by this: all are to be done at one time."""


class Batches:
    """The items that no process has. Batches grow while items turn out to be quick.

    processes: how many work at a time
    """

    def __init__(self, items: Sequence[Any], processes: int) -> None:
        self._items, self._processes = items, processes
        self._next = 0
        self._returned: deque[Batch] = deque()
        self._seconds_per_item = SECONDS

    @property
    def quick(self) -> bool:
        """Whether a process should have the next batch before it is done with one, so that it never waits.

        Otherwise an item could wait behind a slow one while another process has nothing to do.
        """
        return 2 * self._seconds_per_item <= SECONDS

    def next(self) -> Batch:
        """The next batch; an empty one if there is none."""
        if self._returned:
            return self._returned.popleft()
        left = len(self._items) - self._next
        size = min(int(SECONDS / self._seconds_per_item), LARGEST, left // (SHARES * self._processes))
        start = self._next
        self._next = min(start + max(size, 1), len(self._items))
        return [(number, self._items[number]) for number in range(start, self._next)]

    def took(self, seconds: float, count: int) -> None:
        """Take into account how long some items took."""
        average = (self._seconds_per_item + seconds / count) / 2
        self._seconds_per_item = max(average, SECONDS / LARGEST)

    def give_back(self, batch: Batch) -> None:
        """Return items that a process could not work on; they are the next batch."""
        if batch:
            self._returned.appendleft(batch)
