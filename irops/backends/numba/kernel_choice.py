"""Which kernel moves what, and how the work is cut: decided by sizes alone, and measured
(docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from irops.backends.numba import columns as side_by_side
from irops.backends.numba.blocks import VECTOR, blocks
from irops.backends.numba.columns import columns
from irops.backends.numba.long_rows import long_rows
from irops.backends.numba.loops import BATCH, PLAIN, STEPS, Loop, Moves, split_loop
from irops.backends.numba.rows import UNROLLED, rows
from irops.backends.numba.runs import move_runs, run_ends
from irops.backends.numba.streamed_rows import UNIT, streamed_rows
from irops.backends.numba.workers import WORKERS

PARALLEL_BYTES = 512 << 10
"""Bytes from which on more than one core is asked: asking takes as long as copying a tenth of a megabyte, if
the core is awake.
"""
TASK_BYTES = 128 << 10
"""Bytes that a core takes at a time."""
PIECE_BYTES = 64 << 10
"""Bytes of what lies in one piece and is moved as it is, that are one block."""
LONG_ROW, LONG_STREAMED_ROW = 8 << 10, 2 << 10
"""The bytes of a row from which on handling its head and tail separately pays off; the second, where the row
is stored past the caches.
"""
RUN_BYTES = 256
"""Bytes of neighbouring sequences of equal lengths, on the average, from which on they are moved together."""
NARROW_BYTES = 1 << 10
"""Bytes of neighbouring sequences that are gone through together, where their elements are moved one by one.
"""
WIDTHS = {**dict.fromkeys((1, 2, 4, 8, 16, 32), VECTOR), **dict.fromkeys((3, 6, 12, 24), 48)}
"""Bytes of elements that a vector mirrors, and of the longest vector that is made of them."""


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel, where its blocks begin, and what it is given beside addresses. lengths: fixed ones, instead
    of those that are given.
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
        """A kernel that does moves."""
        sequence = 8 * moves.sequence if lengths is None else lengths.ctypes.data
        return Job(kernel, (moves.target, moves.source, moves.lowest, sequence), rest, tasks, lengths)

    def run(self, target: int, source: int, lengths: int, keep_alive: Any) -> None:
        """held: the arrays that the addresses are of."""
        to, come, low, sequence = self.begin
        own = sequence + lengths if self.lengths is None else sequence
        WORKERS.run(
            self.kernel, (target + to, source + come, source + low, own, *self.rest), self.tasks, keep_alive
        )


@dataclass(frozen=True, slots=True)
class Workload:
    """What a choice depends on beside the moves: bytes in all; the target's address, as far as lines go;
    steps, if lengths turn them.
    """

    size: int
    address: int
    steps: int = 0

    @property
    def streamed(self) -> bool:
        """Whether source and result are more than the caches hold."""
        return 2 * self.size >= _cache_bytes()

    def aligned(self, moves: Moves, unit: int) -> bool:
        """Whether every block begins at a multiple of unit in the target."""
        return not (self.address + moves.target) % unit and not any(
            loop.target % unit for loop in moves.loops
        )


def jobs(moves: Moves, workload: Workload) -> tuple[Job, ...]:
    """The work to do."""
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
    """Rows of steps elements, each a block."""
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
    """Rows of elements that lie side by side, each of a sequence of its own."""
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
    """Work on sequences that lie side by side, run by run; none, where neighbours are mostly of different
    lengths.
    """
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
    """Blocks that are moved as they are; long ones in pieces."""
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
    """Loops as kernels take them (walking). Steps have no place of their own in the target, where lengths
    turn them.
    """
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
    """How many rows or blocks make a task."""
    return max(TASK_BYTES // each, 1) if workload.size >= PARALLEL_BYTES else count


@cache
def _cache_bytes() -> int:
    """The size of the largest cache, as Linux reports it."""
    sizes = [32 << 20]
    for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = file.read_text().strip()
        if text.endswith("K") and text[:-1].isdigit():
            sizes.append(int(text[:-1]) << 10)
    return sizes[0] if len(sizes) == 1 else max(sizes[1:])
