"""Reverse and ReverseSequence on arrays: determine the moves and run the jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irops.backends import numpy as by_numpy
from irops.backends.filling import Lengths, checked_lengths, deliver, output_array
from irops.backends.numba import columns as side_by_side
from irops.backends.numba.columns import columns
from irops.backends.numba.compiled import compiled
from irops.backends.numba.rows import UNIT, UNROLLED, long_rows, rows, streamed_rows
from irops.backends.numba.runs import VECTOR, blocks, move_runs, run_ends
from irops.backends.numba.workers import WORKERS, address_of
from irops.values.element import Array

# Moves of tensors, reduced to few nested loops. All sizes and offsets are in bytes. No heavy imports here.
#
# Loops run upwards through the source if possible, and downwards through the target where an axis is
# reversed: caches prefetch upward loads, and stores need no prefetching.

PLAIN, BATCH, STEPS = 0, 1, 2
"""The role of a loop's axis: any other axis, the batch axis, the sequence axis."""


class Loop(NamedTuple):
    """A loop of `size` iterations. source, target, sequences: the increments of each iteration."""

    size: int
    source: int
    target: int
    role: int = PLAIN
    sequences: int = 0


@dataclass(frozen=True, slots=True)
class Moves:
    """Blocks of bytes, contiguous in source and target, and the loops over them, the outermost first.

    source, target: offsets of the first block from the first element; sequence: its sequence
    """

    block: int
    loops: tuple[Loop, ...]
    source: int = 0
    target: int = 0
    sequence: int = 0

    @property
    def count(self) -> int:
        """The number of blocks."""
        return prod(loop.size for loop in self.loops)

    @property
    def lowest(self) -> int:
        """The offset of the lowest block of the source from the first element."""
        return self.source + sum(min(0, (loop.size - 1) * loop.source) for loop in self.loops)

    def inner(self, role: int, target: int = 1) -> bool:
        """Whether the innermost loop has a role and its blocks are adjacent. target: -1 if they are in
        reverse order in the target.
        """
        last = self.loops[-1] if self.loops else None
        return last is not None and (last.role, last.source, last.target) == (
            role,
            self.block,
            target * self.block,
        )

    def at(
        self, source: int, target: int, loops: Sequence[Loop], *, block: int = 0, sequence: int = 0
    ) -> Moves:
        """Moves with other loops that begin at other offsets."""
        return Moves(
            block or self.block,
            tuple(loops),
            self.source + source,
            self.target + target,
            self.sequence + sequence,
        )


def moves(
    shape: Sequence[int],
    strides: Sequence[int],
    itemsize: int,
    *,
    reversed_axes: Sequence[int] = (),
    batch_axis: int = -1,
    seq_axis: int = -1,
) -> Moves:
    """The moves that fill a C-contiguous tensor; no size may be 0.

    shape, strides: of the source. The loops do not reverse the sequence axis, because that depends on
    lengths.
    """
    roles = {seq_axis: STEPS, batch_axis: BATCH}
    loops: list[Loop] = []
    source = target = 0
    out = itemsize
    for axis in reversed(range(len(shape))):
        size, on, to = shape[axis], strides[axis], out
        role = roles.get(axis, PLAIN)
        if axis in reversed_axes:
            target, to = target + (size - 1) * to, -to
        if role == PLAIN and on < 0:
            source, on = source + (size - 1) * on, -on
            target, to = target + (size - 1) * to, -to
        if size > 1:
            loops.insert(0, Loop(size, on, to, role, int(role == BATCH)))
        out *= size
    block = itemsize
    merged = _merged(loops)
    while merged and merged[-1].role == PLAIN and merged[-1].source == merged[-1].target == block:
        block *= merged.pop().size
    return Moves(block, tuple(merged), source, target)


def _merged(loops: Sequence[Loop]) -> list[Loop]:
    """The loops with neighbours merged if the outer one continues where the inner one ends."""
    merged: list[Loop] = []
    for loop in loops:
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.role == loop.role == PLAIN
            and (last.source, last.target) == (loop.source * loop.size, loop.target * loop.size)
        ):
            merged[-1] = Loop(last.size * loop.size, loop.source, loop.target)
        else:
            merged.append(loop)
    return merged


def split_loop(nest: Moves, depth: int, size: int, outermost: int) -> list[Moves]:
    """Split the loop at a depth into parts of `size` iterations, with a loop over the parts at the depth
    `outermost`. A remainder gives a second nest.
    """
    loop, loops = nest.loops[depth], list(nest.loops)
    parts, rest = divmod(loop.size, size)
    nests = []
    if parts:
        over = Loop(parts, loop.source * size, loop.target * size, loop.role, loop.sequences * size)
        inner = [*loops[:depth], loop._replace(size=size), *loops[depth + 1 :]]
        nests.append(nest.at(0, 0, [*inner[:outermost], over, *inner[outermost:]]))
    if rest:
        begin = size * parts
        inner = [*loops[:depth], loop._replace(size=rest), *loops[depth + 1 :]]
        nests.append(
            nest.at(loop.source * begin, loop.target * begin, inner, sequence=loop.sequences * begin)
        )
    return nests


# The choice of a kernel, and the division of its work into tasks, by sizes alone. The thresholds are
# measured (docs/performance.md).

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
    ) -> Job:
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
    """What the choice depends on besides the moves.

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
        if (
            moves.block in (1, 2, 4, 8)
            and row >= VECTOR
            and workload.steps <= side_by_side.max_steps(moves.block)
        ):
            return _column_jobs(moves, row, workload)
        steps = next(place for place, loop in enumerate(moves.loops) if loop.role == STEPS)
        narrow = max(NARROW_BYTES // moves.block, 1)
        if moves.block < VECTOR and moves.loops[-1].size > narrow:
            return tuple(
                job
                for part in split_loop(moves, len(moves.loops) - 1, narrow, steps)
                for job in _block_jobs(part, workload)
            )
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
    streamed = (
        workload.size >= _cache_bytes() // 4
        and row % VECTOR == 0
        and workload.aligned(moves.at(0, 0, moves.loops[:-1]), UNIT)
    )
    parts = side_by_side.parts(row, -workload.address % VECTOR if streamed else 0)
    count = len(parts) * moves.at(0, 0, loops).count
    rest = (
        _table(loops),
        parts,
        steps.size,
        steps.source,
        steps.target,
        side_by_side.scratch_rows(steps.size),
    )
    return (
        Job.of(
            columns(moves.block, int(streamed)), moves, rest, count if workload.size >= PARALLEL_BYTES else 1
        ),
    )


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


# Check sequence lengths against the definition, in one pass if they are a contiguous i64 array.

I64 = np.dtype(np.int64)


def checked_lengths_fast(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """Checked lengths, as checked_lengths returns them. Raises: Violation"""
    usual = type(seq_lengths) is np.ndarray and seq_lengths.dtype == I64 and seq_lengths.flags.c_contiguous
    if (
        usual
        and seq_lengths.size
        and seq_lengths.shape == (data.shape[batch_axis],)
        and batch_axis != seq_axis
    ):
        minimum, maximum = extent(seq_lengths)
        if minimum >= 1 and maximum <= data.shape[seq_axis]:
            return Lengths(seq_lengths, minimum, maximum)
    return checked_lengths(data, seq_lengths, batch_axis, seq_axis)


def _extent(numbers: Any) -> tuple[int, int]:
    """The minimum and the maximum."""
    minimum = maximum = numbers[0]
    for index in range(numbers.size):
        number = numbers[np.uint64(index)]  # unsigned, so that LLVM can vectorise the loop
        minimum, maximum = min(minimum, number), max(maximum, number)
    return minimum, maximum


extent = compiled(_extent)


ALL = np.ones(1, np.int64)
"""The lengths argument of moves without lengths."""
_ALL_ADDRESS = address_of(ALL)
LINE = 64


def reverse(view: Any, data: Array, axes: Array, *, mode: str, out: Array | None = None) -> Array:
    """Compute Reverse. view: the reference kernel, which checks the axes and returns a view of data."""
    if data.dtype.kind == "O":
        return by_numpy.reverse(view, data, axes, mode=mode, out=out)  # Python counts references to objects
    filled = output_array(data, out)
    _move(view(data, axes, mode=mode), filled, ALL)
    return deliver(filled, out)


def reverse_sequence(
    data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int, out: Array | None = None
) -> Array:
    if data.dtype.kind == "O":
        return by_numpy.reverse_sequence(data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis, out=out)
    lengths = checked_lengths_fast(data, seq_lengths, batch_axis, seq_axis)
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
    return _Plan(
        moves(shape, strides, itemsize, batch_axis=batch_axis, seq_axis=seq_axis),
        Workload(size, address, steps),
    )
