"""Reverse sequences that lie side by side: runs of neighbours with equal lengths are moved as one block.

Batches are often sorted by length; then a row consists of a few blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.backends.numba.compiled import compiled
from irops.backends.numba.iteration import iterations_of, locate
from irops.backends.numba.spinning import FINISHED, STARTED, notify
from irops.backends.numba.vectors import copy_bytes, fetch_add, load, store

VECTOR, SYSTEM = 64, 2048
SAMPLE = 512


def _run_ends(lengths: Any, max_runs: int) -> Any:
    """The ends of runs of equal lengths; none if there are more than max_runs, or if the first lengths
    suggest it.
    """
    ends = np.empty(max(max_runs, 1), np.int64)
    count = 0
    for k in range(1, len(lengths)):
        if lengths[k] != lengths[k - 1]:
            if count + 1 >= max_runs or (k < SAMPLE and 2 * count > k):
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
    run_lengths: Any,
    width: int,
    turn: int,
    grain: int,
    counter: int,
) -> None:
    """Move runs. ends: of the runs, in sequences; run_lengths: the sequence length of each run; turn: bytes
    from one step to the next in the target.
    """
    index = np.zeros(loops.shape[0], np.int64)
    total = iterations_of(loops)
    notify(counter)
    while True:
        begin = fetch_add(counter + STARTED) * grain
        if begin >= total:
            break
        for row in range(begin, min(total, begin + grain)):
            s, t, _, step = locate(loops, index, row)
            at = 0
            for run in range(len(ends)):
                size = ends[run] * width - at
                p = (
                    target
                    + t
                    + at
                    + turn * (run_lengths[run] - 1 - step if step < run_lengths[run] else step)
                )
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
        fetch_add(counter + FINISHED)


run_ends, move_runs = compiled(_run_ends), compiled(_move_runs)
