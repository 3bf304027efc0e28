"""Reverse long contiguous sequences: first the head, which is reversed, then the tail, which is copied.
Several cores share the pieces of a row.
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
from irops.backends.numba.vectors import fetch_add, load, load_i64, mirrored, store


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
    """The kernel for elements of width bytes and vectors of span bytes. Pieces have at least span bytes; the
    last piece of a row includes the rest.
    """
    margin = span - width

    def reverse_long_rows(
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
            c = task % pieces * piece
            end = row if task % pieces == pieces - 1 else c + piece
            middle = min(max(head, c), end)
            while c + span <= middle:
                store(t + head - c - span, mirrored(load(s + c, span, 1), width), 0)
                c += span
            if c < middle:
                if head >= span:  # some bytes are written twice
                    store(t + head - middle, mirrored(load(s + middle - span, span, 1), width), 0)
                elif s - margin >= low:
                    reverse_at(t, s, head, 0, width, span, 0)
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
            fetch_add(counter + FINISHED)

    return compiled(reverse_long_rows)
