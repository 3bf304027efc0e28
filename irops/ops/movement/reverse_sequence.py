"""ReverseSequence: reverse the head of every sequence in a batch."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import gradient, kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("ReverseSequence-1")
def reverse_sequence_shape(data: Fact, seq_lengths: Fact, *, batch_axis: int, seq_axis: int) -> Shape:
    require(data.shape.rank is not None or seq_axis >= 0, "C7", seq_axis)
    warn_unless(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    warn_unless(not seq_lengths.element_type.floating, "C6", seq_lengths)
    batch = unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    if seq_lengths.value is not None:
        check_lengths(seq_lengths.value, data.shape[seq_axis])
    return data.shape.with_dim(batch_axis, batch)


@kernel("ReverseSequence-1")
def reverse_sequence(data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int) -> Array:
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    rows = np.moveaxis(data, (batch_axis, seq_axis), (0, 1))
    check_lengths(seq_lengths, Dim.of(rows.shape[1]))
    batch, step = np.ogrid[: rows.shape[0], : rows.shape[1]]
    length = seq_lengths.astype(np.int64)[:, np.newaxis]
    source = np.where(step < length, length - 1 - step, step)  # the <formula>
    return np.moveaxis(rows[batch, source], (0, 1), (batch_axis, seq_axis))


@gradient("ReverseSequence-1")
def reverse_sequence_gradient(
    d_output: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int
) -> Array:
    return reverse_sequence(
        d_output, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis
    )  # its own transpose, and its own inverse


def check_lengths(lengths: Array, steps: Dim) -> None:
    """Hold lengths to the number of steps that a sequence has; a length of 1 where there is no step reverses
    nothing, and is let be.
    """
    wide = lengths.astype(np.float64 if lengths.dtype.kind not in "iu" else lengths.dtype)
    require(
        (wide > -1).all(), "C4", _first(lengths, ~(wide > -1))
    )  # fractions are cut off; NaN is not greater than anything
    whole = wide if wide.dtype.kind in "iu" else np.trunc(wide)
    excess = whole > max(steps.high, 1)
    require(not excess.any(), "C3", _first(lengths, excess), steps)
    warn_unless((whole >= 1).all(), "C5", _first(lengths, whole < 1))


def _first(lengths: Array, wrong: Array) -> str:
    """The first length that is wrong, and for which batch item."""
    places = np.flatnonzero(wrong)
    return f"{lengths.ravel()[places[0]]} for batch item {places[0]}" if places.size else "none"
