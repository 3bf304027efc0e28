"""Reverse sequences that lie side by side: the batch axis is the innermost, each column has its own length.

Of elements of a few bytes, as many columns as fit into the caches are processed together: their rows are
copied to a buffer, reversed as a whole, each column is shifted by steps - length, and the rows are copied to
the target. No element is moved individually. Other elements are moved in runs of neighbours with equal
lengths, as one block each: batches are often sorted by length; then a row consists of a few blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir

from irops.backends.numba.vectors import (
    I64,
    Lanes,
    broadcast,
    compiled,
    copy_bytes,
    fence_stores,
    fetch,
    fetch_add,
    i64_constant,
    iterations_of,
    load,
    locate,
    no_value,
    operation,
    put,
    store,
    vector,
)
from irops.backends.numba.workers import FINISHED, STARTED, notify

OCTET, VECTOR = 8, 64
PART = 512
"""The most bytes of a row that are processed together: long enough for sequential memory access, short
enough for the caches.
"""

GAP = PART + VECTOR
"""The bytes from one row of the buffer to the next: not a power of two, or rows would compete for the same
cache sets.
"""


def max_steps(width: int) -> int:
    """The maximum sequence length: steps must be representable in a lane, and a part must fit the caches."""
    return 256 if width == 1 else 2048


def scratch_rows(steps: int) -> int:
    """The number of rows of the buffer: more than there are steps, because rows are shifted in groups."""
    step = OCTET
    while step * OCTET < steps:
        step *= OCTET
    return max(step * OCTET, steps + step) + OCTET


def parts(row: int, first_offset: int) -> npt.NDArray[np.int64]:
    """The offset and the size of each part of a row of `row` bytes; sizes are multiples of VECTOR.

        first_offset: where the second part begins, if not 0. Parts may overlap, because each one is computed
    from the source alone.
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


def _shift_columns(column: int, shifted: int, lasts: Any, steps: int) -> None:
    """Reverse columns beside each other, as many as lasts has lanes, and shift each one by steps - 1 - last.

    column: the address of their first row, with rows GAP bytes apart; shifted: that of scratch_rows rows
    """
    backwards = column + (steps - 1) * GAP
    first = 0
    while first + OCTET < steps:
        shift_rows(shifted, backwards, 0, -GAP, VECTOR, lasts, steps, 1, first, OCTET, 1, 0)
        first += OCTET
    shift_rows(shifted, backwards, 0, -GAP, VECTOR, lasts, steps, 1, first, OCTET, 0, 0)
    step = OCTET
    while step * OCTET < steps:
        for lane in range(step):
            first = lane
            while first + OCTET * step < steps:
                shift_rows(shifted, shifted, 0, VECTOR, VECTOR, lasts, steps, step, first, OCTET, 1, 0)
                first += OCTET * step
            shift_rows(shifted, shifted, 0, VECTOR, VECTOR, lasts, steps, step, first, OCTET, 0, 0)
        step *= OCTET
    for lane in range(min(step, steps)):
        if steps <= 2 * step:
            shift_rows(column, shifted, column, VECTOR, GAP, lasts, steps, step, lane, 2, 0, 1)
        elif steps <= 4 * step:
            shift_rows(column, shifted, column, VECTOR, GAP, lasts, steps, step, lane, 4, 0, 1)
        else:
            shift_rows(column, shifted, column, VECTOR, GAP, lasts, steps, step, lane, OCTET, 0, 1)


shift_columns = compiled(_shift_columns)


@cache
def columns(width: int, stream: int) -> Callable[..., Any]:
    """The kernel for elements of width bytes. Its argument parts holds the offset and size of each part of a
    row.

    stream: use stores that bypass the caches; targets and offsets of parts must be multiples of 16
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
        space = np.empty(rows * VECTOR + (rows + OCTET) * GAP + VECTOR, np.uint8)
        shifted = space.ctypes.data
        shifted += -shifted % VECTOR
        columns_start = shifted + rows * VECTOR + OCTET * GAP
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
                    store(columns_start + step * GAP + c, load(s + step * on + c, VECTOR, 1), 0)
            for c in range(0, size, VECTOR):
                lasts = column_lasts(k + 8 * (c // width), count, width)
                shift_columns(columns_start + c, shifted, lasts, steps)
            for step in range(steps):
                for c in range(0, size, VECTOR):
                    store(t + step * out + c, load(columns_start + step * GAP + c, VECTOR, 1), stream)
            fence_stores()
            fetch_add(counter + FINISHED)
        space[0] = 0  # keeps the array alive until here; otherwise only its address is used

    return compiled(reverse_columns)


# Shift rows of vectors towards the beginning, each lane by a count of its own.


def _column_lasts(builder: Any, address: Any, count: int, width: int) -> Any:
    lengths = fetch(builder, address, count, 8)
    one = ir.Constant(ir.VectorType(I64, count), [1] * count)
    some = builder.select(builder.icmp_signed(">", lengths, one), lengths, one)
    last = builder.sub(some, one)
    return last if width == 8 else builder.trunc(last, vector(count, width))


def _shift_rows(
    builder: Any,
    target: Any,
    source: Any,
    straight: Any,
    on: Any,
    out: Any,
    lasts: Any,
    steps: Any,
    step: Any,
    first: Any,
    many: int,
    more: int,
    final: int,
) -> None:
    kind = lasts.type
    count = 2 * many - 1 if more else many
    numbers = [builder.add(first, builder.mul(step, i64_constant(place))) for place in range(count)]

    def row(base: Any, gap: Any, place: int) -> Any:
        return builder.add(base, builder.mul(gap, numbers[place]))

    def rows_of(base: Any, gap: Any, places: int) -> list[Any]:
        size = kind.element.width // 8
        return [fetch(builder, row(base, gap, place), kind.count, size) for place in range(places)]

    short = builder.sub(broadcast(builder, builder.sub(steps, i64_constant(1)), kind), lasts)
    rows = rows_of(source, on, len(numbers))
    for distance in (1, 2, 4)[: many.bit_length() - 1]:
        bit = broadcast(builder, builder.mul(step, i64_constant(distance)), kind)
        moves = builder.icmp_unsigned("!=", builder.and_(short, bit), ir.Constant(kind, [0] * kind.count))
        remaining = max(len(rows) - distance, many)
        rows = [
            builder.select(moves, rows[k + distance], rows[k]) if k + distance < len(rows) else rows[k]
            for k in range(remaining)
        ]
    if final:
        shown = (broadcast(builder, numbers[place], kind) for place in range(many))
        behind = [builder.icmp_unsigned(">", one, lasts) for one in shown]
        rows = [builder.select(*choice) for choice in zip(behind, rows_of(straight, out, many), rows)]
    for place, shifted in enumerate(rows):
        put(builder, row(target, out, place), shifted, 0)


column_lasts = operation(
    _column_lasts,
    lambda address, count, width: Lanes(count, width),  # noqa: ARG005
    static=2,
)
"""The last steps of the heads of count columns, from their lengths: column_lasts(address, count, width).

A head is the part of a sequence that is reversed. A length of 0 is treated as 1: nothing is reversed.
"""
shift_rows = operation(_shift_rows, no_value, static=3)
"""Shift two, four or eight rows from source to target, beginning with row `first`, `step` rows apart.

shift_rows(target, source, straight, on, out, lasts, steps, step, first, many, more, final)
on, out: bytes from one row to the next in source and in target
lasts: the last step of each column's head; a column is shifted by steps - 1 - last
more: whether rows follow the `many` ones
final: take elements of rows behind a column's head from the same row of `straight`
"""


_VECTOR, SYSTEM = 64, 2048
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
                elif size >= _VECTOR:
                    c = 0
                    while c + _VECTOR <= size:
                        store(p + c, load(q + c, _VECTOR, 1), 0)
                        c += _VECTOR
                    store(p + size - _VECTOR, load(q + size - _VECTOR, _VECTOR, 1), 0)
                else:
                    for c in range(0, size, width):
                        for k in range(width):
                            store(p + c + k, load(q + c + k, 1, 1), 0)
        fetch_add(counter + FINISHED)


run_ends, move_runs = compiled(_run_ends), compiled(_move_runs)
