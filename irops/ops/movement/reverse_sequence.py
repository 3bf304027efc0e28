"""ReverseSequence: reverse the first elements of every sequence in a batch."""

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


@gradient("ReverseSequence-1", by_kernel=True)
def reverse_sequence_gradient(
    d_output: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int
) -> Array:
    # a permutation that is its own inverse and its own transpose
    return reverse_sequence(d_output, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis)


def check_lengths(lengths: Array, steps: Dim) -> None:
    """Require lengths from 0 to the number of steps of a sequence; warn if a length is 0.

    A length of 1 is accepted if there are no steps, because it reverses nothing.
    """
    numbers = lengths.astype(np.float64 if lengths.dtype.kind not in "iu" else lengths.dtype)
    # fractions are truncated, so -0.5 counts as 0; NaN > -1 is false
    require((numbers > -1).all(), "C4", _first(lengths, ~(numbers > -1)))
    whole = numbers if numbers.dtype.kind in "iu" else np.trunc(numbers)
    excess = whole > max(steps.high, 1)
    require(not excess.any(), "C3", _first(lengths, excess), steps)
    warn_unless((whole >= 1).all(), "C5", _first(lengths, whole < 1))


def _first(lengths: Array, wrong: Array) -> str:
    """The first wrong length and its batch item."""
    batch_items = np.flatnonzero(wrong)
    if not batch_items.size:
        return "none"
    return f"{lengths.ravel()[batch_items[0]]} for batch item {batch_items[0]}"
