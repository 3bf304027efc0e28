"""Memory for results, used again as soon as no array refers to it.

Fresh memory costs a page fault for every 4 KB, which for an op that only moves elements is as much as its own
work. NumPy keeps small blocks itself.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from threading import Lock
from typing import Any
from weakref import ref

import numpy as np

from irops.values.element import Array

MIN_BYTES = 1 << 20
"""Smaller arrays get memory of their own."""
ALIGNMENT = 64
"""The start of an array in bytes: a cache line."""
MAX_WASTE = 2
"""A block serves arrays of at least its size divided by this."""


class _Block(np.ndarray[Any, np.dtype[np.uint8]]):
    """Memory of an arena. It is a type of its own, since NumPy makes an array that lies in another one of its
    type a view of that one, and lets views of the array refer to that one alone.
    """

    start: int
    """Where arrays begin in it."""


class _Lease(ref[Array]):
    """The block that an array uses, and its size."""

    block: _Block
    size: int


class Arena:
    """Blocks of memory. An array that lies in a block, and every view of it, keeps the block from being used
    again: so nobody sees an array change, whoever holds it and however long. Threads may share an arena.

    limit: the largest number of bytes that are kept for later; together with the arrays in use, they never
    exceed what arrays used at one time.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.free_bytes = self.used_bytes = self.peak_bytes = 0
        self._free: list[tuple[int, int, _Block]] = []
        self._leases: dict[int, _Lease] = {}
        self._ended: deque[_Lease] = deque()  # filled by destructors, in any thread and without a lock
        self._count = 0
        self._lock = Lock()

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Array:
        """An array with any content. size: its bytes"""
        with self._lock:
            self._take_back()
            block = self._block(size)
            made: Array = np.ndarray(shape, dtype, block, block.start)
            lease = _Lease(made, self._ended.append)
            lease.block, lease.size = block, block.nbytes
            self._leases[id(lease)] = lease
            self.used_bytes += lease.size
            self.peak_bytes = max(self.peak_bytes, self.used_bytes)
        return made

    def _take_back(self) -> None:
        """Collect the blocks that no array uses any more."""
        while self._ended:
            lease = self._ended.popleft()
            del self._leases[id(lease)]
            self.used_bytes -= lease.size
            if self.free_bytes + lease.size <= self.limit:
                self._count += 1
                insort(self._free, (lease.size, self._count, lease.block))
                self.free_bytes += lease.size

    def _block(self, size: int) -> _Block:
        """A free block that is large enough, or a new one."""
        wanted = size + ALIGNMENT
        place = bisect_left(self._free, (wanted, 0))
        if place < len(self._free) and self._free[place][0] <= MAX_WASTE * wanted:
            self.free_bytes -= self._free[place][0]
            return self._free.pop(place)[2]
        while self._free and self.used_bytes + self.free_bytes + wanted > self.peak_bytes:
            self.free_bytes -= self._free.pop()[0]
        block = _Block((wanted,), np.uint8)
        block.start = -block.ctypes.data % ALIGNMENT
        return block
