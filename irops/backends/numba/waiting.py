"""Waiting for another thread for a short while: looking again and again, on a core that nobody else wants.

Sleeping and being woken takes longer than most tensors take to be moved.
"""

from __future__ import annotations

from irops.backends.numba.compiled import compiled
from irops.backends.numba.vectors import count_up, give_way, look, peek

BEGUN, DONE, BELL = 0, 64, 128
"""Where the counters of a job are, in bytes: of tasks that are begun, of those that are finished, and the
address of the bell.
"""
SIZE = (BELL + 64) // 8
"""How many integers they are in, each a cache line from the next."""
POLITE = 64
"""How many looks a core is kept for before others may have it: one or two microseconds."""


def _ring(counter: int) -> None:
    """Tell those who await the bell of a job that there is one."""
    count_up(peek(counter + BELL))


def _await_change(address: int, known: int, looks: int) -> None:
    """Wait until an integer is no longer what is known of it, or that often looked at."""
    while looks and look(address) == known:
        looks -= 1
        if looks % POLITE == 0:
            give_way()


def _await_count(address: int, least: int, looks: int) -> bool:
    """Wait until an integer is so large, or that often looked at; whether it is."""
    while look(address) < least:
        if not looks:
            return False
        looks -= 1
        if looks % POLITE == 0:
            give_way()
    return True


ring, await_change, await_count = compiled(_ring), compiled(_await_change), compiled(_await_count)
