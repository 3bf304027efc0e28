"""Reverse and ReverseSequence on arrays: determine the moves and run the jobs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irops.backends.numba.kernel_choice import Job, Workload, jobs, run_jobs
from irops.backends.numba.loops import BATCH, Moves, address_of, moves
from irops.backends.numba.vectors import compiled
from irops.ops.movement.reverse import reverse as reversed_view
from irops.ops.movement.reverse_sequence import check_lengths
from irops.ops.movement.reverse_sequence import reverse_sequence as by_reference
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.violation import require

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
    return _Plan(
        moves(shape, strides, itemsize, batch_axis=batch_axis, seq_axis=seq_axis),
        Workload(size, address, steps),
    )


# Check sequence lengths against the definition, in one pass if they are integers.

I64 = np.dtype(np.int64)


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
        values = np.ascontiguousarray(seq_lengths, I64)
        minimum, maximum = extent(values)
        if minimum >= 1 and maximum <= data.shape[seq_axis]:
            return Lengths(values, minimum, maximum)
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    if seq_lengths.shape != (data.shape[batch_axis],):
        unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    check_lengths(seq_lengths, Dim.of(data.shape[seq_axis]))
    values = np.ascontiguousarray(seq_lengths, I64)
    return Lengths(values, *(extent(values) if values.size else (0, 0)))


def _extent(numbers: Any) -> tuple[int, int]:
    """The minimum and the maximum."""
    minimum = maximum = numbers[0]
    for index in range(numbers.size):
        number = numbers[np.uint64(index)]  # unsigned, so that LLVM can vectorise the loop
        minimum, maximum = min(minimum, number), max(maximum, number)
    return minimum, maximum


extent = compiled(_extent)
