"""Reverse long rows of tensors that exceed the caches, with stores that bypass the caches, each byte once.

A cache line that is written by both kinds of stores costs more than bypassing saves. Therefore all stores
here have units of 16 bytes, the alignment that they require; the unit that contains the end of the head and
the beginning of the tail is written as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from irops.backends.numba.compiled import compiled
from irops.backends.numba.iteration import iterations_of, locate
from irops.backends.numba.row_reversal import reverse_at
from irops.backends.numba.spinning import FINISHED, STARTED, notify
from irops.backends.numba.vectors import (
    AHEAD,
    fence_stores,
    fetch_add,
    load,
    load_i64,
    mirrored,
    prefetch,
    store,
)

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
        total = pieces * iterations_of(loops)
        notify(counter)
        while True:
            task = fetch_add(counter + STARTED)
            if task >= total:
                break
            s, t, k, _ = locate(loops, index, task // pieces)
            s, t = source + s, target + t
            head = load_i64(lengths + 8 * k) * width
            begin = task % pieces * piece
            end = row if task % pieces == pieces - 1 else begin + piece
            over = head % UNIT  # the bytes of the head in the unit that head and tail share
            if over and begin == 0:
                if s - margin >= low:
                    reverse_at(t, s, head, head - over, width, UNIT, 1)
                else:
                    for e in range(0, over, width):
                        store(t + head - width - e, load(s + e, width, 1), 0)
                    for e in range(head, head - over + UNIT, width):
                        store(t + e, load(s + e, width, 1), 0)
            c, stop = begin + over, min(head, end + over)
            while c + VECTOR <= stop:
                store(t + head - c - VECTOR, mirrored(load(s + c, VECTOR, 1), width), 1)
                prefetch(s + c + AHEAD)
                c += VECTOR
            while c < stop:
                store(t + head - c - UNIT, mirrored(load(s + c, UNIT, 1), width), 1)
                c += UNIT
            c = max(begin, head - over + (UNIT if over else 0))
            while c + VECTOR <= end:
                store(t + c, load(s + c, VECTOR, 1), 1)
                prefetch(s + c + AHEAD)
                c += VECTOR
            while c < end:
                store(t + c, load(s + c, UNIT, 1), 1)
                c += UNIT
            fence_stores()
            fetch_add(counter + FINISHED)

    return compiled(reverse_streamed_rows)
