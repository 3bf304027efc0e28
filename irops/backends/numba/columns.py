"""Sequences that lie side by side, each element a few bytes: the batch axis is the innermost one, and every
column has its length.

Columns are taken as many at a time as fit into the caches: their rows are copied to one place, reversed there
    as a whole, each
column shifted by what its sequence lacks (octets), and copied on. No element is moved by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from irops.backends.numba.column_shifts import column_lasts, shift_rows
from irops.backends.numba.compiled import compiled
from irops.backends.numba.iteration import iterations_of, locate
from irops.backends.numba.spinning import FINISHED, STARTED, notify
from irops.backends.numba.vectors import fence_stores, fetch_add, load, store

OCTET, VECTOR = 8, 64
PART = 512
"""Bytes of a row that are worked on at a time, at most: long enough for memory, short enough for the caches.
"""


def max_steps(width: int) -> int:
    """How long sequences may be: their steps are counted in lanes, and a part of them must stay in the
    caches.
    """
    return 256 if width == 1 else 2048


def scratch_rows(steps: int) -> int:
    """How many rows the work needs room for: more than there are, since rows are shifted in groups."""
    step = OCTET
    while step * OCTET < steps:
        step *= OCTET
    return max(step * OCTET, steps + step) + OCTET


def parts(row: int, first_offset: int) -> npt.NDArray[np.int64]:
    """Where in a row of so many bytes each part begins, and its size, a multiple of VECTOR.

    lead: bytes before the second part; parts may overlap, since each is computed from the source alone.
    """
    offsets_and_sizes = [(0, VECTOR)] if first_offset else []
    begin = first_offset
    while begin + VECTOR <= row:
        size = min(PART, (row - begin) // VECTOR * VECTOR)
        offsets_and_sizes.append((begin, size))
        begin += size
    if begin < row:
        offsets_and_sizes.append((row - VECTOR, VECTOR))
    return np.array(offsets_and_sizes, np.int64)


@cache
def columns(width: int, stream: int) -> Callable[..., Any]:
    """The kernel for elements of width bytes. parts: where in a row each part begins, and how many bytes it
    has (multiples of VECTOR).

    stream: store past the caches: targets and begins of parts must be multiples of 16.
    """
    count = VECTOR // width

    def reverse_columns(
        target: int,
        source: int,
        low: int,  # noqa: ARG001
        lengths: int,
        loops: Any,
        parts: Any,
        steps: int,
        on: int,
        out: int,
        rows: int,
        counter: int,
    ) -> None:
        index = np.zeros(loops.shape[0], np.int64)
        total = parts.shape[0] * iterations_of(loops)
        gap = PART + VECTOR  # not a power of two: rows would contend for the same places of a cache
        space = np.empty(rows * VECTOR + (rows + OCTET) * gap + VECTOR, np.uint8)
        shifted = space.ctypes.data
        shifted += -shifted % VECTOR
        columns_start = shifted + rows * VECTOR + OCTET * gap
        notify(counter)
        while True:
            task = fetch_add(counter + STARTED)
            if task >= total:
                break
            s, t, _, _ = locate(loops, index, task // parts.shape[0])
            begin, size = parts[task % parts.shape[0], 0], parts[task % parts.shape[0], 1]
            s, t, k = source + s + begin, target + t + begin, lengths + 8 * (begin // width)
            for step in range(steps):
                for c in range(0, size, VECTOR):
                    store(columns_start + step * gap + c, load(s + step * on + c, VECTOR, 1), 0)
            for c in range(0, size, VECTOR):
                lasts = column_lasts(k + 8 * (c // width), count, width)
                column, backwards = columns_start + c, columns_start + c + (steps - 1) * gap
                first = 0
                while first + OCTET < steps:
                    shift_rows(shifted, backwards, 0, -gap, VECTOR, lasts, steps, 1, first, OCTET, 1, 0)
                    first += OCTET
                shift_rows(shifted, backwards, 0, -gap, VECTOR, lasts, steps, 1, first, OCTET, 0, 0)
                step = OCTET
                while step * OCTET < steps:
                    for lane in range(step):
                        first = lane
                        while first + OCTET * step < steps:
                            shift_rows(
                                shifted, shifted, 0, VECTOR, VECTOR, lasts, steps, step, first, OCTET, 1, 0
                            )
                            first += OCTET * step
                        shift_rows(
                            shifted, shifted, 0, VECTOR, VECTOR, lasts, steps, step, first, OCTET, 0, 0
                        )
                    step *= OCTET
                for lane in range(min(step, steps)):
                    if steps <= 2 * step:
                        shift_rows(column, shifted, column, VECTOR, gap, lasts, steps, step, lane, 2, 0, 1)
                    elif steps <= 4 * step:
                        shift_rows(column, shifted, column, VECTOR, gap, lasts, steps, step, lane, 4, 0, 1)
                    else:
                        shift_rows(
                            column, shifted, column, VECTOR, gap, lasts, steps, step, lane, OCTET, 0, 1
                        )
            for step in range(steps):
                for c in range(0, size, VECTOR):
                    store(t + step * out + c, load(columns_start + step * gap + c, VECTOR, 1), stream)
            fence_stores()
            fetch_add(counter + FINISHED)
        space[0] = 0  # it is in use until here, though only by its address

    return compiled(reverse_columns)
