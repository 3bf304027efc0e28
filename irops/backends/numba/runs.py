"""Sequences that lie side by side, where neighbours are of equal length: as many as lie together are moved as
one block.

Batches are often sorted by length; then a row is a few blocks, and each goes to one place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.backends.numba.compiled import compiled
from irops.backends.numba.vectors import copy_bytes, count_up, load, store
from irops.backends.numba.waiting import BEGUN, DONE, ring
from irops.backends.numba.walking import sought, turns_of

VECTOR, SYSTEM = 64, 2048
SAMPLE = 512


def _run_ends(lengths: Any, most: int) -> Any:
    """Where runs of equal lengths end; nothing, where there are more than most, or the first few lengths look
    so.
    """
    ends = np.empty(max(most, 1), np.int64)
    count = 0
    for k in range(1, len(lengths)):
        if lengths[k] != lengths[k - 1]:
            if count + 1 >= most or (k < SAMPLE and 2 * count > k):
                return ends[:0]
            ends[count] = k
            count += 1
    ends[count] = len(lengths)
    return ends[: count + 1]


def _move_runs(
    target: int,
    source: int,
    low: int,  # noqa: ARG001
    lengths: int,  # noqa: ARG001
    loops: Any,
    ends: Any,
    each: Any,
    width: int,
    turn: int,
    grain: int,
    counter: int,
) -> None:
    """ends: of runs, in sequences; each: the lengths of runs; turn: bytes from a step to the next in the
    target.
    """
    index = np.zeros(loops.shape[0], np.int64)
    total = turns_of(loops)
    ring(counter)
    while True:
        begin = count_up(counter + BEGUN) * grain
        if begin >= total:
            break
        for row in range(begin, min(total, begin + grain)):
            s, t, _, step = sought(loops, index, row)
            at = 0
            for run in range(len(ends)):
                size = ends[run] * width - at
                p = target + t + at + turn * (each[run] - 1 - step if step < each[run] else step)
                q = source + s + at
                at += size
                if size >= SYSTEM:
                    copy_bytes(p, q, size)
                elif size >= VECTOR:
                    c = 0
                    while c + VECTOR <= size:
                        store(p + c, load(q + c, VECTOR, 1), 0)
                        c += VECTOR
                    store(p + size - VECTOR, load(q + size - VECTOR, VECTOR, 1), 0)
                else:
                    for c in range(0, size, width):
                        for k in range(width):
                            store(p + c + k, load(q + c + k, 1, 1), 0)
        count_up(counter + DONE)


run_ends, move_runs = compiled(_run_ends), compiled(_move_runs)
