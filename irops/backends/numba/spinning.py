"""Wait for another thread by polling a counter for a short time.

To sleep and to be woken takes longer than to move most tensors.
"""

from __future__ import annotations

from irops.backends.numba.compiled import compiled
from irops.backends.numba.vectors import fetch_add, load_i64, load_i64_atomic, yield_core

STARTED, FINISHED, WAKEUP = 0, 64, 128
"""Byte offsets of a job's counters: the tasks started, the tasks finished, and the address of the wakeup
counter, which workers poll.
"""
SIZE = (WAKEUP + 64) // 8
"""The size of the counters in integers of 64 bits; each counter has its own cache line."""
YIELD_INTERVAL = 64
"""The number of polls, one or two microseconds, after which a thread yields its core."""


def _notify(counter: int) -> None:
    """Increment the wakeup counter of a job."""
    fetch_add(load_i64(counter + WAKEUP))


def _await_change(address: int, last_value: int, spins: int) -> None:
    """Poll until an integer differs from last_value, at most spins times."""
    while spins and load_i64_atomic(address) == last_value:
        spins -= 1
        if spins % YIELD_INTERVAL == 0:
            yield_core()


def _await_count(address: int, minimum: int, spins: int) -> bool:
    """Poll until an integer is at least minimum, at most spins times; return whether it is."""
    while load_i64_atomic(address) < minimum:
        if not spins:
            return False
        spins -= 1
        if spins % YIELD_INTERVAL == 0:
            yield_core()
    return True


notify, await_change, await_count = compiled(_notify), compiled(_await_change), compiled(_await_count)
