"""Long rows of tensors that no cache holds: stored past the caches, every byte once.

A line that is stored both ways costs more than either way saves, so here all goes by units of 16 bytes, which
is what such stores align to; the one unit that holds the end of the head and the beginning of the tail is
turned as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from irops.backends.numba.compiled import compiled
from irops.backends.numba.turning import turn_at
from irops.backends.numba.vectors import AHEAD, ask_for, count_up, load, mirrored, peek, settle, store
from irops.backends.numba.waiting import BEGUN, DONE, ring
from irops.backends.numba.walking import sought, turns_of

UNIT, VECTOR = 16, 64


@cache
def streamed_rows(width: int) -> Callable[..., Any]:
    """The kernel for elements of 1, 2, 4, 8 or 16 bytes; rows, pieces and targets are multiples of UNIT."""
    margin = UNIT - width

    def reverse_streamed_rows(
        target: int, source: int, low: int, lengths: int, loops: Any, row: int, piece: int, counter: int
    ) -> None:
        index = np.zeros(loops.shape[0], np.int64)
        pieces = max(row // piece, 1)
        total = pieces * turns_of(loops)
        ring(counter)
        while True:
            task = count_up(counter + BEGUN)
            if task >= total:
                break
            s, t, k, _ = sought(loops, index, task // pieces)
            s, t = source + s, target + t
            head = peek(lengths + 8 * k) * width
            begin = task % pieces * piece
            end = row if task % pieces == pieces - 1 else begin + piece
            over = head % UNIT  # how much of the head is in the unit that head and tail share
            if over and begin == 0:
                if s - margin >= low:
                    turn_at(t, s, head, head - over, width, UNIT, 1)
                else:
                    for e in range(0, over, width):
                        store(t + head - width - e, load(s + e, width, 1), 0)
                    for e in range(head, head - over + UNIT, width):
                        store(t + e, load(s + e, width, 1), 0)
            c, stop = begin + over, min(head, end + over)
            while c + VECTOR <= stop:
                store(t + head - c - VECTOR, mirrored(load(s + c, VECTOR, 1), width), 1)
                ask_for(s + c + AHEAD)
                c += VECTOR
            while c < stop:
                store(t + head - c - UNIT, mirrored(load(s + c, UNIT, 1), width), 1)
                c += UNIT
            c = max(begin, head - over + (UNIT if over else 0))
            while c + VECTOR <= end:
                store(t + c, load(s + c, VECTOR, 1), 1)
                ask_for(s + c + AHEAD)
                c += VECTOR
            while c < end:
                store(t + c, load(s + c, UNIT, 1), 1)
                c += UNIT
            settle()
            count_up(counter + DONE)

    return compiled(reverse_streamed_rows)
