"""Reverse contiguous sequences with elements of a few bytes, each row vector by vector.

No branch depends on the lengths, because such branches would be mispredicted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from irops.backends.numba.compiled import compiled
from irops.backends.numba.iteration import carry, iterations_of, locate
from irops.backends.numba.row_reversal import reverse_at, reverse_row
from irops.backends.numba.spinning import FINISHED, STARTED, notify
from irops.backends.numba.vectors import fence_stores, fetch_add, load, load_i64, store

UNROLLED = 4
"""The maximum number of vectors of a row whose code is unrolled."""


@cache
def rows(width: int, span: int, vectors: int, stream: int) -> Callable[..., Any]:
    """The kernel for elements of width bytes and vectors of span bytes; span is at most the size of a row.

    vectors: the number of vectors of a row, or 0 for any number; 1 requires rows of span bytes
    stream: use stores that bypass the caches; rows must be multiples of span, targets of 16 bytes
    """
    margin = span  # the most bytes before a row at which a vector may begin

    def reverse_rows(
        target: int, source: int, low: int, lengths: int, loops: Any, row: int, grain: int, counter: int
    ) -> None:
        index = np.zeros(loops.shape[0], np.int64)
        inner = loops.shape[0] - 1
        size, on, out, next_length = loops[inner, 0], loops[inner, 1], loops[inner, 2], 8 * loops[inner, 3]
        total = iterations_of(loops)
        notify(counter)
        while True:
            begin = fetch_add(counter + STARTED) * grain
            if begin >= total:
                break
            left = min(grain, total - begin)
            s, t, k, _ = locate(loops, index, begin)
            s, t, k = source + s, target + t, lengths + 8 * k
            while left:
                turns = min(size - index[inner], left)
                careful = False
                # a vector may begin before its row, but not before the first row
                if min(s, s + (turns - 1) * on) - margin < low:
                    turns, careful = 1, s - margin < low
                for _ in range(turns):
                    head = load_i64(k) * width
                    if careful:
                        for c in range(0, row, width):
                            store(t + c, load(s + (head - width - c if c < head else c), width, 1), 0)
                    elif vectors:
                        reverse_row(t, s, head, row, width, span, vectors, stream)
                    else:
                        for c in range(0, row - span, span):
                            reverse_at(t, s, head, c, width, span, stream)
                        reverse_at(t, s, head, row - span, width, span, stream)
                    s, t, k = s + on, t + out, k + next_length
                left -= turns
                index[inner] += turns
                if left and index[inner] == size:
                    more = carry(loops, index)
                    s, t, k = s + more[0], t + more[1], k + 8 * more[2]
            fence_stores()
            fetch_add(counter + FINISHED)

    return compiled(reverse_rows)
