"""Reverse and ReverseSequence on arrays: determine the moves and run the jobs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir

from irops.backends.numba.loops import BATCH, PLAIN, STEPS, Loop, Moves, address_of, moves, split_loop
from irops.backends.numba.vectors import (
    AHEAD,
    I64,
    Lanes,
    broadcast,
    carry,
    compiled,
    copy_bytes,
    emit_prefetch,
    fence_stores,
    fetch,
    fetch_add,
    i64_constant,
    iterations_of,
    load,
    load_i64,
    locate,
    mirror,
    mirrored,
    no_value,
    operation,
    prefetch,
    put,
    store,
    vector,
)
from irops.backends.numba.workers import FINISHED, STARTED, WORKERS, notify
from irops.ops.movement.reverse import reverse as reversed_view
from irops.ops.movement.reverse_sequence import check_lengths, reverse_sequence as by_reference
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.violation import require

# Reverse sequences that lie side by side: the batch axis is the innermost, each column has its own length.
#
# Of elements of a few bytes, as many columns as fit into the caches are processed together: their rows are
# copied to a buffer, reversed as a whole, each column is shifted by steps - length, and the rows are copied
# to the target. No element is moved individually. Other elements are moved in runs of neighbours with equal
# lengths, as one block each: batches are often sorted by length; then a row consists of a few blocks.

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


def parts_of_row(row: int, first_offset: int) -> npt.NDArray[np.int64]:
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


# All jobs of Reverse and ReverseSequence.


def _minimum(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def _maximum(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed(">", a, b), a, b)


def _select(
    builder: Any, target: Any, source: Any, where: tuple[Any, Any, Any], width: int, span: int, stream: int
) -> None:
    """Store one vector of a row.

    where: the number of its bytes that belong to the head, the offset of the load that is mirrored, and the
    offset of the vector
    """
    count, before, place = where
    kind = vector(span, 1)
    image = mirror(builder, fetch(builder, builder.add(source, before), span, 1), width)
    straight = fetch(builder, builder.add(source, place), span, 1)
    of_head = builder.icmp_unsigned(
        "<", ir.Constant(kind, list(range(span))), broadcast(builder, count, kind)
    )
    put(builder, builder.add(target, place), builder.select(of_head, image, straight), stream)
    if stream:
        emit_prefetch(builder, builder.add(builder.add(source, place), i64_constant(AHEAD)))


def _reverse_at(
    builder: Any, target: Any, source: Any, head: Any, place: Any, width: int, span: int, stream: int
) -> None:
    """Store the vector at an offset of a row.

    The mirrored load ends at the mirror image of that offset. It may begin up to span - width bytes before
    the row; none of its lanes are selected if the offset is behind the head.
    """
    left = builder.sub(head, place)
    before = _maximum(builder, builder.sub(left, i64_constant(span)), i64_constant(width - span))
    count = _maximum(builder, _minimum(builder, left, i64_constant(span)), i64_constant(0))
    _select(builder, target, source, (count, before, place), width, span, stream)


def _reverse_row(
    builder: Any,
    target: Any,
    source: Any,
    head: Any,
    row: Any,
    width: int,
    span: int,
    vectors: int,
    stream: int,
) -> None:
    if vectors == 1:
        starts = (head, builder.sub(head, i64_constant(span)), i64_constant(0))
        _select(builder, target, source, starts, width, span, stream)
        return
    for place in (
        *(i64_constant(k * span) for k in range(vectors - 1)),
        builder.sub(row, i64_constant(span)),
    ):
        _reverse_at(builder, target, source, head, place, width, span, stream)


reverse_at = operation(_reverse_at, no_value, static=3)
"""Write span bytes of a row at an offset: reverse_at(target, source, head, place, width, span, stream).

head: the number of bytes of the row to reverse, in groups of width
"""
reverse_row = operation(_reverse_row, no_value, static=4)
"""Write a row by a number of vectors, the last one at its end. A row with one vector has span bytes.

reverse_row(target, source, head, row, width, span, vectors, stream)
"""


UNIT = 16


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


PARALLEL_BYTES = 512 << 10
"""The size from which several cores are used: to involve an awake core costs as much as to copy a tenth of a
megabyte.
"""
TASK_BYTES = 128 << 10
"""The size of a task."""
PIECE_BYTES = 64 << 10
"""The size of the pieces into which longer contiguous blocks are cut."""
LONG_ROW, LONG_STREAMED_ROW = 8 << 10, 2 << 10
"""The row sizes from which branches on head and tail pay off: with ordinary stores, and with stores that
bypass the caches.
"""
RUN_BYTES = 256
"""The average size of runs of neighbouring sequences with equal lengths from which runs are moved as blocks.
"""
NARROW_BYTES = 1 << 10
"""The size of neighbouring sequences that are processed together if their elements are moved one by one."""
WIDTHS = {**dict.fromkeys((1, 2, 4, 8, 16, 32), VECTOR), **dict.fromkeys((3, 6, 12, 24), 48)}
"""The longest vector by element size, in bytes, for the element sizes that vectors can mirror."""


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel, the offsets at which its blocks begin, and its arguments other than addresses.

    begin: offsets in target, source, the lowest byte of source, and lengths
    lengths: constant lengths that replace those of the call
    """

    kernel: Callable[..., Any]
    begin: tuple[int, int, int, int]
    rest: tuple[Any, ...]
    tasks: int
    lengths: npt.NDArray[np.int64] | None = None

    @staticmethod
    def of(
        kernel: Callable[..., Any],
        moves: Moves,
        rest: tuple[Any, ...],
        tasks: int,
        lengths: npt.NDArray[np.int64] | None = None,
    ) -> "Job":
        """The job that executes moves with a kernel."""
        sequence = 8 * moves.sequence if lengths is None else lengths.ctypes.data
        return Job(kernel, (moves.target, moves.source, moves.lowest, sequence), rest, tasks, lengths)

    def run(self, target: int, source: int, lengths: int, keep_alive: Any) -> None:
        """Run the job. keep_alive: the arrays that the addresses refer to."""
        to, come, low, sequence = self.begin
        lengths = sequence + lengths if self.lengths is None else sequence
        arguments = (target + to, source + come, source + low, lengths, *self.rest)
        WORKERS.run(self.kernel, arguments, self.tasks, keep_alive)


@dataclass(frozen=True, slots=True)
class Workload:
    """The properties besides the moves on which the choice depends.

    size: bytes in all; address: of the target, modulo the cache line; steps: of sequences, 0 without lengths
    """

    size: int
    address: int
    steps: int = 0

    @property
    def streamed(self) -> bool:
        """Whether source and result together exceed the caches."""
        return 2 * self.size >= _cache_bytes()

    def aligned(self, moves: Moves, unit: int) -> bool:
        """Whether every block of the target begins at a multiple of unit."""
        return not (self.address + moves.target) % unit and not any(
            loop.target % unit for loop in moves.loops
        )


def jobs(moves: Moves, workload: Workload) -> tuple[Job, ...]:
    """The jobs that execute moves."""
    if moves.inner(PLAIN, -1) and moves.block in WIDTHS and not workload.steps:
        last = moves.loops[-1]
        turned = moves.at(0, -(last.size - 1) * moves.block, moves.loops[:-1])
        return _row_jobs(turned, last.size, workload, np.array([last.size]))
    if moves.inner(STEPS) and moves.block in WIDTHS:
        return _row_jobs(moves.at(0, 0, moves.loops[:-1]), moves.loops[-1].size, workload, None)
    if moves.inner(BATCH):
        row = moves.block * moves.loops[-1].size
        if moves.block in (1, 2, 4, 8) and row >= VECTOR and workload.steps <= max_steps(moves.block):
            return _column_jobs(moves, row, workload)
        steps = next(place for place, loop in enumerate(moves.loops) if loop.role == STEPS)
        narrow = max(NARROW_BYTES // moves.block, 1)
        if moves.block < VECTOR and moves.loops[-1].size > narrow:
            parts = split_loop(moves, len(moves.loops) - 1, narrow, steps)
            return tuple(job for part in parts for job in _block_jobs(part, workload))
    return _block_jobs(moves, workload)


def _row_jobs(
    moves: Moves, steps: int, workload: Workload, fixed: npt.NDArray[np.int64] | None
) -> tuple[Job, ...]:
    """Jobs for rows of `steps` elements, each one a block."""
    width, row = moves.block, steps * moves.block
    table, count = _table(moves.loops), moves.count
    span = WIDTHS[width]
    while span > row or span % width:
        span //= 2
    streamed = workload.streamed and UNIT % width == 0 and row % UNIT == 0 and workload.aligned(moves, UNIT)
    if row >= (LONG_STREAMED_ROW if streamed else LONG_ROW):
        kernel = streamed_rows(width) if streamed else long_rows(width, span)
        piece = TASK_BYTES // span * span
        tasks = count * max(row // piece, 1) if workload.size >= PARALLEL_BYTES else 1
        return (Job.of(kernel, moves, (table, row, piece), tasks, fixed),)
    vectors = -(-row // span)
    kernel = rows(width, span, vectors if vectors <= UNROLLED else 0, int(streamed and row % span == 0))
    grain = _grain(count, row, workload)
    return (Job.of(kernel, moves, (table, row, grain), -(-count // grain), fixed),)


def _column_jobs(moves: Moves, row: int, workload: Workload) -> tuple[Job, ...]:
    """Jobs for rows in which each element belongs to a different sequence."""
    steps = next(loop for loop in moves.loops if loop.role == STEPS)
    loops = tuple(loop for loop in moves.loops[:-1] if loop.role != STEPS)
    is_aligned = workload.aligned(moves.at(0, 0, moves.loops[:-1]), UNIT)
    streamed = workload.size >= _cache_bytes() // 4 and row % VECTOR == 0 and is_aligned
    parts = parts_of_row(row, -workload.address % VECTOR if streamed else 0)
    count = len(parts) * moves.at(0, 0, loops).count
    scratch = scratch_rows(steps.size)
    rest = (_table(loops), parts, steps.size, steps.source, steps.target, scratch)
    threads = count if workload.size >= PARALLEL_BYTES else 1
    return (Job.of(columns(moves.block, int(streamed)), moves, rest, threads),)


def run_jobs(moves: Moves, workload: Workload, lengths: npt.NDArray[np.int64]) -> tuple[Job, ...]:
    """Jobs that move runs of neighbouring sequences with equal lengths as blocks; none if runs are short."""
    row = moves.block * len(lengths)
    ends = run_ends(lengths, row // RUN_BYTES)
    if not len(ends):
        return ()
    loops = moves.loops[:-1]
    turn = next(loop.target for loop in loops if loop.role == STEPS)
    count = moves.at(0, 0, loops).count
    grain = _grain(count, row, workload)
    rest = (_table(loops, True), ends, lengths[ends - 1], moves.block, turn, grain)
    return (Job.of(move_runs, moves, rest, -(-count // grain)),)


def _block_jobs(moves: Moves, workload: Workload) -> tuple[Job, ...]:
    """Jobs that move blocks unchanged, long ones in pieces."""
    if moves.block > 2 * PIECE_BYTES:
        pieces, rest = divmod(moves.block, PIECE_BYTES)
        cut = [moves.at(0, 0, (*moves.loops, Loop(pieces, PIECE_BYTES, PIECE_BYTES)), block=PIECE_BYTES)]
        if rest:
            cut.append(moves.at(pieces * PIECE_BYTES, pieces * PIECE_BYTES, moves.loops, block=rest))
        return tuple(_block_job(part, workload) for part in cut)
    return (_block_job(moves, workload),)


def _block_job(moves: Moves, workload: Workload) -> Job:
    span = VECTOR
    while span > moves.block:
        span //= 2
    exact = moves.block % span == 0 if span == VECTOR else moves.block == span
    streamed = workload.streamed and span == VECTOR and exact and workload.aligned(moves, UNIT)
    turn = next((loop.target for loop in moves.loops if loop.role == STEPS), 0)
    streamed = streamed and turn % UNIT == 0
    kernel = blocks(span, int(exact), int(streamed), int(turn != 0))
    grain = _grain(moves.count, moves.block, workload)
    rest = (_table(moves.loops, turn != 0), turn, moves.block, grain)
    return Job.of(kernel, moves, rest, -(-moves.count // grain))


def _table(loops: Sequence[Loop], turning: bool = False) -> npt.NDArray[np.int64]:
    """Loops as an array for kernels (see iteration). turning: lengths determine the targets of steps."""
    lines = [
        (
            loop.size,
            loop.source,
            0 if turning and loop.role == STEPS else loop.target,
            loop.sequences,
            int(loop.role == STEPS),
        )
        for loop in loops
    ]
    return np.array(lines or [(1, 0, 0, 0, 0)], np.int64)


def _grain(count: int, each: int, workload: Workload) -> int:
    """The number of rows or blocks of a task."""
    return max(TASK_BYTES // each, 1) if workload.size >= PARALLEL_BYTES else count


@cache
def _cache_bytes() -> int:
    """The size of the largest cache as reported by Linux; 32 MiB on other systems."""
    sizes = [32 << 20]
    for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = file.read_text().strip()
        if text.endswith("K") and text[:-1].isdigit():
            sizes.append(int(text[:-1]) << 10)
    return sizes[0] if len(sizes) == 1 else max(sizes[1:])


# Reverse long contiguous sequences: first the head, which is reversed, then the tail, which is copied.
# Several cores share the pieces of a row.


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


# Reverse contiguous sequences with elements of a few bytes, each row vector by vector.

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


ALL = np.ones(1, np.int64)
"""The lengths argument of moves without lengths."""
_ALL_ADDRESS = address_of(ALL)
LINE = 64


def reverse(data: Array, axes: Array, *, mode: str, out: Array | None = None) -> Array:
    view, filled = reversed_view(data, axes, mode=mode), output_array(data, out)
    if data.dtype.kind == "O":  # Python counts references to objects
        np.copyto(filled, view)
    else:
        _move(view, filled, ALL)
    return deliver(filled, out)


def reverse_sequence(
    data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int, out: Array | None = None
) -> Array:
    if data.dtype.kind == "O":  # Python counts references to objects
        return deliver(by_reference(data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis), out)
    lengths = checked_lengths(data, seq_lengths, batch_axis, seq_axis)
    filled = output_array(data, out)
    if lengths.maximum <= 1:
        _move(data, filled, ALL)
    elif lengths.minimum == data.shape[seq_axis]:
        _move(np.flip(data, seq_axis), filled, ALL)
    else:
        _move(
            data, filled, lengths.values, -1 if lengths.minimum == lengths.maximum else batch_axis, seq_axis
        )
    return deliver(filled, out)


def output_array(data: Array, out: Array | None) -> Array:
    """The array to fill, with the type and shape of data, in C order: `out` if it is contiguous and does not
    overlap data, else a new one.

    Raises:  ValueError if out has another type or shape, or is read-only
    """
    if out is None:
        return np.empty(data.shape, data.dtype)
    if out.dtype != data.dtype or out.shape != data.shape or not out.flags.writeable:
        kind = "" if out.flags.writeable else "read-only "
        raise ValueError(
            f"out is {kind}{out.dtype}{list(out.shape)}, must be a writeable {data.dtype}{list(data.shape)}"
        )
    usable = out.flags.c_contiguous and not np.may_share_memory(out, data)
    return out if usable else np.empty(data.shape, data.dtype)


def deliver(result: Array, out: Array | None) -> Array:
    """Return the result, copied to `out` if it is another array."""
    if out is None or out is result:
        return result
    np.copyto(out, result)
    return out


def _move(source: Array, target: Array, lengths: Array, batch_axis: int = -1, seq_axis: int = -1) -> None:
    """Copy source to target, with the first steps of seq_axis reversed: lengths has their number for each
    position of batch_axis, or for all (-1).
    """
    if not source.size:
        return
    begin, end = address_of(source), address_of(target)
    first = _ALL_ADDRESS if lengths is ALL else address_of(lengths)
    for job in _work(source, end % LINE, lengths, batch_axis, seq_axis):
        job.run(end, begin, first, (source, target, lengths))


def _work(source: Array, address: int, lengths: Array, batch_axis: int, seq_axis: int) -> tuple[Job, ...]:
    plan = _plan(source.shape, source.strides, source.itemsize, address, batch_axis, seq_axis)
    together = run_jobs(plan.moves, plan.workload, lengths) if plan.side_by_side else ()
    return together or plan.jobs()


class _Plan:
    """Moves and their jobs, which are created on first use."""

    def __init__(self, moves: Moves, workload: Workload) -> None:
        self.moves, self.workload = moves, workload
        self.side_by_side = moves.inner(BATCH) and moves.block < LINE
        self._jobs: tuple[Job, ...] | None = None

    def jobs(self) -> tuple[Job, ...]:
        if self._jobs is None:
            self._jobs = jobs(self.moves, self.workload)
        return self._jobs


@lru_cache(1024)
def _plan(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    itemsize: int,
    address: int,
    batch_axis: int,
    seq_axis: int,
) -> _Plan:
    size = itemsize * int(np.prod(shape, dtype=np.int64))
    steps = shape[seq_axis] if seq_axis >= 0 else 0
    made = moves(shape, strides, itemsize, batch_axis=batch_axis, seq_axis=seq_axis)
    return _Plan(made, Workload(size, address, steps))


# Check sequence lengths against the definition, in one pass if they are integers.

LENGTHS = np.dtype(np.int64)


class Lengths(NamedTuple):
    """The number of steps to reverse in each sequence, with the minimum and maximum (0 without sequences)."""

    values: npt.NDArray[np.int64]
    minimum: int
    maximum: int


def checked_lengths(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """Validate lengths by the definition of ReverseSequence, like the reference.

    Raises:  Violation
    """
    if (
        seq_lengths.dtype.kind in "iu"
        and seq_lengths.size
        and seq_lengths.shape == (data.shape[batch_axis],)
        and batch_axis != seq_axis
    ):
        values = np.ascontiguousarray(seq_lengths, LENGTHS)
        minimum, maximum = extent(values)
        if minimum >= 1 and maximum <= data.shape[seq_axis]:
            return Lengths(values, minimum, maximum)
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    if seq_lengths.shape != (data.shape[batch_axis],):
        unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    check_lengths(seq_lengths, Dim.of(data.shape[seq_axis]))
    values = np.ascontiguousarray(seq_lengths, LENGTHS)
    return Lengths(values, *(extent(values) if values.size else (0, 0)))


def _extent(numbers: Any) -> tuple[int, int]:
    """The minimum and the maximum."""
    minimum = maximum = numbers[0]
    for index in range(numbers.size):
        number = numbers[np.uint64(index)]  # unsigned, so that LLVM can vectorise the loop
        minimum, maximum = min(minimum, number), max(maximum, number)
    return minimum, maximum


extent = compiled(_extent)
