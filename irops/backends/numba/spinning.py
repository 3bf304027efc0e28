"""Waiting for another thread for a short while: looking again and again, on a core that nobody else wants.

Sleeping and being woken takes longer than most tensors take to be moved.
"""

from __future__ import annotations

from irops.backends.numba.compiled import compiled
from irops.backends.numba.vectors import fetch_add, load_i64, load_i64_atomic, yield_core

STARTED, FINISHED, WAKEUP = 0, 64, 128
"""Where the counters of a job are, in bytes: of tasks that are begun, of those that are finished, and the
address of the bell.
"""
SIZE = (WAKEUP + 64) // 8
"""How many integers they are in, each a cache line from the next."""
YIELD_INTERVAL = 64
"""How many looks a core is kept for before others may have it: one or two microseconds."""


def _notify(counter: int) -> None:
    """Wake the threads that wait for a job: change the integer that they watch."""
    fetch_add(load_i64(counter + WAKEUP))


def _await_change(address: int, last_value: int, spins: int) -> None:
    """Wait until an integer is no longer what is known of it, or that often looked at."""
    while spins and load_i64_atomic(address) == last_value:
        spins -= 1
        if spins % YIELD_INTERVAL == 0:
            yield_core()


def _await_count(address: int, minimum: int, spins: int) -> bool:
    """Wait until an integer is so large, or that often looked at; whether it is."""
    while load_i64_atomic(address) < minimum:
        if not spins:
            return False
        spins -= 1
        if spins % YIELD_INTERVAL == 0:
            yield_core()
    return True


notify, await_change, await_count = compiled(_notify), compiled(_await_change), compiled(_await_count)
