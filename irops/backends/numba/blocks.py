"""Move whole blocks of bytes: the axes behind the sequence axis, if they are contiguous."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from irops.backends.numba.compiled import compiled
from irops.backends.numba.iteration import carry, iterations_of, locate
from irops.backends.numba.spinning import FINISHED, STARTED, notify
from irops.backends.numba.vectors import AHEAD, fence_stores, fetch_add, load, load_i64, prefetch, store

VECTOR = 64
"""The span of blocks of this many bytes or more; that of others is the greatest power of two within them."""


@cache
def blocks(span: int, exact: int, stream: int, sequences: int) -> Callable[..., Any]:
    """The kernel that moves blocks by vectors of span bytes.

    exact: whether the block size is a multiple of span
    stream: use stores that bypass the caches; blocks must be multiples of span, targets of 16 bytes
    sequences: whether lengths, not the loops alone, determine the target of each step, `turn` bytes apart
    """

    def move_blocks(
        target: int,
        source: int,
        low: int,  # noqa: ARG001
        lengths: int,
        loops: Any,
        turn: int,
        block: int,
        grain: int,
        counter: int,
    ) -> None:
        index, inner = np.zeros(loops.shape[0], np.int64), loops.shape[0] - 1
        size, on, out = loops[inner, 0], loops[inner, 1], loops[inner, 2]
        next_length, next_step = 8 * loops[inner, 3], loops[inner, 4]
        total = iterations_of(loops)
        notify(counter)
        while True:
            begin = fetch_add(counter + STARTED) * grain
            if begin >= total:
                break
            left = min(grain, total - begin)
            s, t, k, step = locate(loops, index, begin)
            s, t, k = source + s, target + t, lengths + 8 * k
            while left:
                turns = min(size - index[inner], left)
                for _ in range(turns):
                    p = t
                    if sequences:
                        length = load_i64(k)
                        p += turn * (length - 1 - step if step < length else step)
                        k, step = k + next_length, step + next_step
                    if span == VECTOR:
                        c = 0
                        while c + span <= block:
                            store(p + c, load(s + c, VECTOR, 1), stream)
                            if stream:
                                prefetch(s + c + AHEAD)
                            c += span
                    else:
                        store(p, load(s, span, 1), 0)
                    if not exact:
                        store(p + block - span, load(s + block - span, span, 1), 0)
                    s, t = s + on, t + out
                left -= turns
                index[inner] += turns
                if left and index[inner] == size:
                    more = carry(loops, index)
                    s, t, k, step = s + more[0], t + more[1], k + 8 * more[2], step + more[3]
            fence_stores()
            fetch_add(counter + FINISHED)

    return compiled(move_blocks)
