"""Sequences that lie in one piece and are long: head and tail one after the other, in pieces that several
cores share.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from irops.backends.numba.compiled import compiled
from irops.backends.numba.turning import turn_at
from irops.backends.numba.vectors import count_up, load, mirrored, peek, store
from irops.backends.numba.waiting import BEGUN, DONE, ring
from irops.backends.numba.walking import sought, turns_of


def _copy_few(target: int, source: int, size: int) -> None:
    while size >= 8:
        store(target, load(source, 8, 1), 0)
        target, source, size = target + 8, source + 8, size - 8
    while size:
        store(target, load(source, 1, 1), 0)
        target, source, size = target + 1, source + 1, size - 1


copy_few = compiled(_copy_few)


@cache
def long_rows(width: int, span: int) -> Callable[..., Any]:
    """The kernel for elements of width bytes, vectors of span bytes, pieces no shorter than that; the last
    piece of a row is longer.
    """
    margin = span - width

    def reverse_long_rows(
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
            c = task % pieces * piece
            end = row if task % pieces == pieces - 1 else c + piece
            middle = min(max(head, c), end)
            while c + span <= middle:
                store(t + head - c - span, mirrored(load(s + c, span, 1), width), 0)
                c += span
            if c < middle:
                if head >= span:  # some are written twice
                    store(t + head - middle, mirrored(load(s + middle - span, span, 1), width), 0)
                elif s - margin >= low:
                    turn_at(t, s, head, 0, width, span, 0)
                else:
                    for e in range(c, middle, width):
                        store(t + head - width - e, load(s + e, width, 1), 0)
                c = middle
            while c + span <= end:
                store(t + c, load(s + c, span, 1), 0)
                c += span
            if c < end:
                if end - middle >= span:
                    store(t + end - span, load(s + end - span, span, 1), 0)
                else:
                    copy_few(t + c, s + c, end - c)
            count_up(counter + DONE)

    return compiled(reverse_long_rows)
