"""Move bytes: whole blocks behind the sequence axis, or runs of neighbours with equal lengths."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from irops.backends.numba.compiled import carry, compiled, iterations_of, locate
from irops.backends.numba.spinning import FINISHED, STARTED, notify
from irops.backends.numba.vectors import (
    AHEAD,
    copy_bytes,
    fence_stores,
    fetch_add,
    load,
    load_i64,
    prefetch,
    store,
)

# Move whole blocks of bytes: the axes behind the sequence axis, if they are contiguous.

VECTOR = 64


@cache
def blocks(span: int, exact: int, stream: int, sequences: int) -> Callable[..., Any]:
    """The kernel that moves blocks by vectors of span bytes.

    span: VECTOR for blocks of VECTOR bytes or more; else the greatest power of two within a block
    exact: whether the block size is a multiple of span
    stream: use stores that bypass the caches; blocks must be multiples of span, targets of 16 bytes
    sequences: whether lengths determine the target of each step (steps are `turn` bytes apart); otherwise
        the loops alone do
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
        index = np.zeros(loops.shape[0], np.int64)
        inner = loops.shape[0] - 1
        size, on, out, next_length, next_step = (
            loops[inner, 0],
            loops[inner, 1],
            loops[inner, 2],
            8 * loops[inner, 3],
            loops[inner, 4],
        )
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
                        if not exact:
                            store(p + block - span, load(s + block - span, VECTOR, 1), 0)
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


SYSTEM = 2048
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
