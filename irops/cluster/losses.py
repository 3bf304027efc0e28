"""Which items to blame for workers that were lost while they worked on them."""

from __future__ import annotations

from collections import Counter, deque

from irops.processes.batches import Batch, Batches
from irops.processes.outcomes import Died

SUSPECT, LOST = 2, 4
"""An item whose workers were lost so often gets a worker that does nothing else, and is given up."""


class Losses:
    """Counts losses by index of item. suspects: items that wait for a worker that does nothing else"""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.suspects: deque[Batch] = deque()

    def blame(self, batch: Batch, alone: bool, batches: Batches, times: int = 1) -> list[tuple[int, Died]]:
        """Count a loss for each item of a batch and return the items that are given up. The others are sent
        again: first in a batch as before, later each by itself.

        alone: whether the worker did nothing else, so that it is certain what it was lost with; times: how
        often it was lost
        """
        for number, _ in batch:
            self._counts[number] += times
        if alone and self._counts[batch[0][0]] >= LOST:
            return [(batch[0][0], Died("the workers that worked on it were lost", lost=True))]
        again = [item for item in batch if self._counts[item[0]] < SUSPECT]
        self.suspects += [[item] for item in batch if self._counts[item[0]] >= SUSPECT]
        batches.give_back(again)
        return []
