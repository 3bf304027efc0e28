"""Reverse and ReverseSequence: moves, jobs, and the arrays that they are done on."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from irops.backends import numpy as by_numpy
from irops.backends.filling import deliver, output_array
from irops.backends.numba.addresses import address_of
from irops.backends.numba.kernel_choice import Job, Workload, jobs, run_jobs
from irops.backends.numba.lengths import checked_lengths_fast
from irops.backends.numba.loops import BATCH, Moves, moves
from irops.values.element import Array

ALL = np.ones(1, np.int64)
"""Lengths of moves that no lengths turn."""
_ALL_ADDRESS = address_of(ALL)
LINE = 64


def reverse(view: Any, data: Array, axes: Array, *, mode: str, out: Array | None = None) -> Array:
    """view: the reference, which checks the axes and gives a view of data."""
    if data.dtype.kind == "O":
        return by_numpy.reverse(view, data, axes, mode=mode, out=out)  # references are counted
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
    """Move what source has to target, steps along seq_axis as lengths say: one for each position of
    batch_axis, or one for all (-1).
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
    """Moves, and the jobs that execute them, which are computed on first use."""

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
